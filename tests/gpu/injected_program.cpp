// A program that knows nothing of Taffrail. Its first lines do what CUDA does for it: load the
// library and call InitializeInjection.
//
//     injected_program LIBRARY FAKE_CUPTI return|wait|handle|handle_late|ignore|fork
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

volatile sig_atomic_t handled = 0;

void handler(int) {
    handled = 1;
}

template <typename Function>
Function load(const char* library, const char* name) {
    return reinterpret_cast<Function>(::dlsym(::dlopen(library, RTLD_NOW), name));
}

void wait_for_signals() {
    std::puts("ready");
    std::fflush(stdout);
    while (handled == 0) {
        ::usleep(1000);
    }
}

}  // namespace

int main(int, char** arguments) {
    const std::string_view how = arguments[3];
    if (how == "handle") {
        std::signal(SIGTERM, handler);
    } else if (how == "ignore") {
        std::signal(SIGINT, SIG_IGN);
    }
    if (load<int (*)()>(arguments[1], "InitializeInjection")() != 1) {
        return 1;
    }
    if (how == "handle_late") {
        std::signal(SIGTERM, handler);
    }
    load<void (*)(const char*)>(arguments[2], "fake_cupti_launch")("of_the_program");
    if (how == "return") {
        return 0;
    }
    if (how == "fork") {
        const pid_t child = ::fork();
        if (child == 0) {
            std::puts("ready");
            std::fflush(stdout);
            ::raise(SIGTERM);  // as a launcher ends its workers
            return 9;
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    wait_for_signals();
    std::puts("handled");
    return 3;
}
