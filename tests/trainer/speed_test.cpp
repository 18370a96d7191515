// The budget of a log call: a microsecond, whatever it is asked to do with the value. The measured
// figure is in bench/.
#include <taffrail/run.h>

#include "io/temporary_folder.h"
#include "trainer/fixtures.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

namespace taffrail::trainer_test {

namespace {

double thread_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

TEST(LogSpeed, CallWithEveryLevelStaysBelowAMicrosecond) {
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "speed is a property of the release build";
#endif
    test::TemporaryFolder folder;
    taffrail::Run run =
        taffrail::Run::open({.root = folder.file("runs"), .environment = false, .machine_load = {}})
            .value();
    std::vector<double> seconds;
    HookModule module;
    module.train = [&](HookModule& self, std::int64_t) {
        constexpr int kCalls = 50;
        const double begin = thread_seconds();
        for (int i = 0; i < kCalls; ++i) {
            self.log("loss", 0.5,
                     {.prog_bar = true, .on_step = true, .on_epoch = true, .batch_size = 8});
        }
        seconds.push_back((thread_seconds() - begin) / kCalls);
    };
    TrainerOptions options = quiet();
    options.run = &run;
    options.max_epochs = 1;
    Trainer trainer(options);
    ASSERT_TRUE(trainer.fit(module, {.train = batches(500)}).ok());
    std::ranges::nth_element(seconds,
                             seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2));
    EXPECT_LT(seconds[seconds.size() / 2], 1e-6);
}

}  // namespace

}  // namespace taffrail::trainer_test
