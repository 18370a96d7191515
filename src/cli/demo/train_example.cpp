#include "cli/demo/train_example.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace taffrail::cli {
namespace {

/// Where this program lies.
std::string own_folder() {
    std::array<char, 4096> path{};
    const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
    const std::string program(path.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    return program.substr(0, program.rfind('/'));
}

Result<std::string> find_example() {
    std::string tried;
    for (const char* relative :
         {"/vae_digits", "/../examples/vae_digits/vae_digits", "/../libexec/taffrail/vae_digits"}) {
        std::string program = own_folder() + relative;
        if (access(program.c_str(), X_OK) == 0) {
            return program;
        }
        tried += (tried.empty() ? "" : ", ") + program;
    }
    return Error{
        ErrorCode::NotFound,
        "the example vae_digits is not installed beside this program (looked for " + tried + ")"};
}

std::atomic<pid_t> example_process{0};

// The terminal sends Ctrl-C to both; this one must outlive the example to say how it ended.
void pass_on(int signal) {
    if (const pid_t process = example_process.load(); process > 0 && signal != SIGINT) {
        kill(process, signal);
    }
}

}  // namespace

Result<int> train_example(const std::string& root, const std::vector<std::string>& settings) {
    auto program = find_example();
    if (!program.ok()) {
        return program.error();
    }
    setenv("TAFFRAIL_DIR", root.c_str(), 1);
    std::vector<std::string> words{*program};
    words.insert(words.end(), settings.begin(), settings.end());
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);

    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        std::signal(signal, pass_on);
    }
    // What this process ignores the example would ignore too.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t process = 0;
    const int failure =
        posix_spawn(&process, program->c_str(), nullptr, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0) {
        return Error{ErrorCode::Io, *program + " cannot be started: " + std::strerror(failure)};
    }
    example_process = process;
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    example_process = 0;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        std::signal(signal, SIG_DFL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace taffrail::cli
