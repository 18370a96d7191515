#include "system/machine_claim.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>

namespace taffrail::system {
namespace {

std::string own_name(const char* text) {
    return text + std::to_string(getpid());
}

TEST(MachineClaim, IsHeldByOneAtATime) {
    std::optional<MachineClaim> first(own_name("run"));
    EXPECT_TRUE(first->held());
    EXPECT_FALSE(MachineClaim(own_name("run")).held());
    EXPECT_TRUE(MachineClaim(own_name("another")).held());
    first.reset();
    EXPECT_TRUE(MachineClaim(own_name("run")).held());
}

TEST(MachineClaim, TakesNamesOfAnyLength) {
    const MachineClaim first(own_name("") + std::string(5000, 'x'));
    EXPECT_TRUE(first.held());
    EXPECT_TRUE(MachineClaim(own_name("") + std::string(5000, 'y')).held());
}

TEST(MachineClaim, IsFreeOnceItsProcessIsKilled) {
    const std::string name = own_name("killed");
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        const MachineClaim claim(name);
        const char byte = claim.held() ? 1 : 0;
        (void)!write(ready[1], &byte, 1);
        pause();
        _exit(0);
    }
    char held = 0;
    ASSERT_EQ(read(ready[0], &held, 1), 1);
    EXPECT_EQ(held, 1);
    EXPECT_FALSE(MachineClaim(name).held());
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(MachineClaim(name).held());
    close(ready[0]);
    close(ready[1]);
}

}  // namespace
}  // namespace taffrail::system
