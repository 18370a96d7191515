// Many short runs in one program: each gives back what it took.
#include <taffrail/run.h>

#include "io/temporary_folder.h"
#include "system/environment.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

namespace taffrail {
namespace {

bool make_a_run(const std::string& root) {
    RunOptions options;
    options.root = root;
    options.environment = false;
    options.machine_load.reset();
    options.seal_on_finish = false;
    Run run = init(options);
    for (int series = 0; series < 20; ++series) {
        const std::string key = "series/" + std::to_string(series);
        for (int step = 0; step < 20; ++step) {
            run.log(key, step, step);
        }
    }
    return run.finish().ok() && run.stats().written == 400 && run.stats().errors == 0;
}

long resident_kilobytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmRSS:")) {
            return std::stol(line.substr(6));
        }
    }
    return 0;
}

int in_a_child(const std::function<int()>& work) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(work());
    }
    int status = 1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
}

TEST(ManyRuns, FindingG06_NeedNoMoreDescriptorsThanOne) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(in_a_child([&] {
                  const rlimit few{40, 40};
                  setrlimit(RLIMIT_NOFILE, &few);
                  for (int i = 0; i < 60; ++i) {
                      if (!make_a_run(folder.file("store"))) {
                          return 1;
                      }
                  }
                  return 0;
              }),
              0);
}

TEST(ManyRuns, FindingG05_LeaveTheMemoryOfTheProgramFlat) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer keeps memory of its own; the other builds measure it";
#endif
    const test::TemporaryFolder folder;
    EXPECT_EQ(in_a_child([&] {
                  for (int i = 0; i < 20; ++i) {
                      make_a_run(folder.file("store"));
                  }
                  const long before = resident_kilobytes();
                  for (int i = 0; i < 100; ++i) {
                      make_a_run(folder.file("store"));
                  }
                  // A run kept 10 kB and its ring before; what is left is noise of the allocator.
                  return resident_kilobytes() - before < 600 ? 0 : 1;
              }),
              0);
}

TEST(ManyRuns, FindingG05_ShareOneSnapshotOfTheEnvironment) {
    const auto first = system::shared_environment_snapshot();
    EXPECT_EQ(system::shared_environment_snapshot(), first);
    EXPECT_FALSE(first->empty());
}

}  // namespace
}  // namespace taffrail
