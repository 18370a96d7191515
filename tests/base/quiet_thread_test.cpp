#include "base/quiet_thread.h"

#include "test_files.h"
#include "without_threads.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <csignal>
#include <system_error>

namespace taffrail {
namespace {

bool takes(int signal) {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return sigismember(&mask, signal) == 0;
}

TEST(QuietThread, IsNamedAndTakesNoSignals) {
    bool deaf = false;
    std::array<char, 16> name{};
    start_quiet_thread("taffrail-test", [&] {
        deaf = !takes(SIGINT) && !takes(SIGTERM);
        pthread_getname_np(pthread_self(), name.data(), name.size());
    }).join();
    EXPECT_TRUE(deaf);
    EXPECT_STREQ(name.data(), "taffrail-test");
    EXPECT_TRUE(takes(SIGINT));
}

TEST(QuietThread, WhereThereIsNoneTheCallerStillTakesSignals) {
    const test::TestFolder folder;
    EXPECT_EQ(test::as_a_user(folder.path(),
                              [] {
                                  test::forbid_threads();
                                  try {
                                      start_quiet_thread("taffrail-test", [] {}).join();
                                      return 1;
                                  } catch (const std::system_error&) {
                                      return takes(SIGINT) && takes(SIGTERM) ? 0 : 2;
                                  }
                              }),
              0);
}

}  // namespace
}  // namespace taffrail
