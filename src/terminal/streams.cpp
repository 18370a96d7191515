#include "terminal/streams.h"

#include "base/diagnostics.h"
#include "terminal/environment.h"
#include "terminal/screen.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <streambuf>
#include <string>
#include <utility>

namespace taffrail::terminal {
namespace {

class ScreenBuffer : public std::streambuf {
  public:
    ScreenBuffer(Screen& screen, int fd) : screen_(screen), fd_(fd) {}

  protected:
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        screen_.print_to(fd_, {text, static_cast<std::size_t>(count)});
        return count;
    }

    int overflow(int c) override {
        if (c != traits_type::eof()) {
            const char text = static_cast<char>(c);
            screen_.print_to(fd_, {&text, 1});
        }
        return 0;
    }

  private:
    Screen& screen_;
    int fd_;
};

// One exchanged stream of each kind. Made once and never freed: another thread may be inside
// printf.
struct Diversion {
    Diversion(Screen& target, int number) : screen(target), fd(number), buffer(target, number) {
        cookie_io_functions_t functions{};
        functions.write = [](void* self, const char* text, std::size_t size) {
            auto* diversion = static_cast<Diversion*>(self);
            diversion->screen.print_to(diversion->fd, {text, size});
            return static_cast<ssize_t>(size);
        };
        file = ::fopencookie(this, "w", functions);
        if (file != nullptr) {
            std::setvbuf(file, nullptr, number == STDERR_FILENO ? _IONBF : _IOLBF, 4096);
        }
    }

    Screen& screen;
    int fd;
    ScreenBuffer buffer;
    std::FILE* file = nullptr;
};

struct State {
    std::mutex mutex;
    bool diverted = false;
    Diversion* out = nullptr;
    Diversion* error = nullptr;
    std::FILE* old_stdout = nullptr;
    std::FILE* old_stderr = nullptr;
    std::array<std::pair<std::ostream*, std::streambuf*>, 3> old_buffers{};
    bool took_messages = false;
};

State& state() {
    static auto* instance = new State;
    return *instance;
}

void say(DiagnosticLevel level, std::string_view message) {
    std::string line = "taffrail: ";
    line += level == DiagnosticLevel::Warning ? "warning: "
            : level == DiagnosticLevel::Error ? "error: "
                                              : "";
    line += message;
    line += '\n';
    Screen& screen = Screen::standard();
    if (::isatty(STDERR_FILENO) == 1) {
        screen.print_to(STDERR_FILENO, line);
    } else {
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
    }
}

}  // namespace

void StandardStreams::divert(Screen& screen) noexcept {
    State& all = state();
    const std::lock_guard lock(all.mutex);
    if (all.diverted) {
        return;
    }
    if (all.out == nullptr) {
        all.out = new Diversion(screen, STDOUT_FILENO);
        all.error = new Diversion(screen, STDERR_FILENO);
    }
    if (all.out->file == nullptr || all.error->file == nullptr) {
        return;
    }
    const bool errors_too = ::isatty(STDERR_FILENO) == 1;
    std::fflush(stdout);
    std::cout.flush();
    all.old_stdout = std::exchange(stdout, all.out->file);
    all.old_buffers[0] = {&std::cout, std::cout.rdbuf(&all.out->buffer)};
    all.old_buffers[1] = all.old_buffers[2] = {nullptr, nullptr};
    all.old_stderr = nullptr;
    if (errors_too) {
        all.old_stderr = std::exchange(stderr, all.error->file);
        all.old_buffers[1] = {&std::cerr, std::cerr.rdbuf(&all.error->buffer)};
        all.old_buffers[2] = {&std::clog, std::clog.rdbuf(&all.error->buffer)};
    }
    // A program that takes the messages itself keeps them.
    if (DiagnosticHandler theirs = set_diagnostic_handler(say)) {
        set_diagnostic_handler(std::move(theirs));
        all.took_messages = false;
    } else {
        all.took_messages = true;
    }
    all.diverted = true;
}

void StandardStreams::release() noexcept {
    State& all = state();
    const std::lock_guard lock(all.mutex);
    if (!all.diverted) {
        return;
    }
    all.diverted = false;
    if (stdout == all.out->file) {
        std::fflush(stdout);
        stdout = all.old_stdout;
    }
    if (all.old_stderr != nullptr && stderr == all.error->file) {
        stderr = all.old_stderr;
    }
    for (auto& [stream, buffer] : all.old_buffers) {
        if (stream != nullptr &&
            (stream->rdbuf() == &all.out->buffer || stream->rdbuf() == &all.error->buffer)) {
            stream->rdbuf(buffer);
        }
    }
    if (all.took_messages) {
        set_diagnostic_handler(nullptr);
    }
}

}  // namespace taffrail::terminal
