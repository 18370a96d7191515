// A process that may start no more threads, as under a limit of processes that others have used up.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

namespace taffrail::test {

inline void forbid_threads() {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NPROC, &none);
}

/// What `work` returned in a child process, whose `folder` it is; or the signal that ended it, less
/// than 0. The limit holds for nobody who may change limits: who may is another user there. Threads
/// are there until forbid_threads().
inline int as_a_user(const std::string& folder, const std::function<int()>& work) {
    constexpr uid_t kNobody = 65534;
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (chown(folder.c_str(), kNobody, kNobody) != 0 ||
                               setgid(kNobody) != 0 || setuid(kNobody) != 0)) {
            _exit(99);
        }
        _exit(work());
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace taffrail::test
