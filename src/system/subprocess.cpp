#include "system/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

extern char** environ;

namespace taffrail::system {

std::optional<std::string> output_of(const std::vector<std::string>& arguments,
                                     std::chrono::milliseconds limit, std::size_t limit_bytes) {
    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
        return std::nullopt;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);  // our threads block signals; git should not
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    std::vector<char*> argv;
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(pipe_ends[1]);
    if (failed != 0) {
        close(pipe_ends[0]);
        return std::nullopt;
    }

    std::string output;
    bool complete = false;
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::array<char, 16384> buffer;
    while (output.size() <= limit_bytes) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        pollfd waiting{pipe_ends[0], POLLIN, 0};
        if (left.count() <= 0 || poll(&waiting, 1, static_cast<int>(left.count())) == 0) {
            break;
        }
        const ssize_t got = read(pipe_ends[0], buffer.data(), buffer.size());
        if (got <= 0) {
            complete = got == 0;
            break;
        }
        output.append(buffer.data(), static_cast<std::size_t>(got));
    }
    close(pipe_ends[0]);
    const bool cut = output.size() > limit_bytes;
    if (!complete) {
        kill(child, SIGKILL);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (cut) {
        output.resize(limit_bytes);
        return output;
    }
    return complete && WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? std::optional(std::move(output))
               : std::nullopt;
}

}  // namespace taffrail::system
