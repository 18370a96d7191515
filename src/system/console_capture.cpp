#include "system/console_capture.h"

#include "base/clock.h"
#include "base/quiet_thread.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace taffrail::system {
namespace {

std::atomic<bool> g_active{false};

/// One captured descriptor: where it pointed, and the end we read from.
struct Tap {
    int target = -1;    // 1 or 2
    int original = -1;  // duplicate of what it was
    int reader = -1;    // pipe or pty master
    bool terminal = false;
    bool open = false;
};

void write_all(int to, const char* data, std::size_t size) {
    while (size > 0) {
        const ssize_t wrote = write(to, data, size);
        if (wrote < 0 && errno == EAGAIN) {
            pollfd ready{to, POLLOUT, 0};
            poll(&ready, 1, 100);
        } else if (wrote < 0 && errno != EINTR) {
            return;  // the terminal is gone; the capture goes on
        } else if (wrote > 0) {
            data += wrote;
            size -= static_cast<std::size_t>(wrote);
        }
    }
}

void copy_window_size(const Tap& tap) {
    winsize now{}, known{};
    if (ioctl(tap.original, TIOCGWINSZ, &now) == 0 && ioctl(tap.reader, TIOCGWINSZ, &known) == 0 &&
        std::memcmp(&now, &known, sizeof now) != 0) {
        ioctl(tap.reader, TIOCSWINSZ, &now);
    }
}

/// Puts a pipe, or a pty for a terminal, in the place of `target`.
bool install(Tap& tap, int target) {
    tap.target = target;
    tap.original = fcntl(target, F_DUPFD_CLOEXEC, 3);
    if (tap.original < 0) {
        return false;
    }
    std::array<int, 2> ends{-1, -1};  // reader, writer
    tap.terminal = isatty(target) == 1;
    if (tap.terminal) {
        termios mode{};
        winsize size{};
        tcgetattr(target, &mode);
        ioctl(target, TIOCGWINSZ, &size);
        // Bytes must arrive as written: the real terminal does the line ends.
        mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
        mode.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
        if (openpty(&ends[0], &ends[1], nullptr, &mode, &size) != 0) {
            return false;
        }
        fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    } else if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        return false;
    }
    tap.reader = ends[0];
    tap.open = true;
    dup2(ends[1], target);  // the duplicate is inherited by children, as the original was
    close(ends[1]);
    return true;
}

}  // namespace

struct ConsoleCapture::Implementation {
    ConsoleCallback callback;
    std::array<Tap, 2> taps;
    std::mutex mutex;
    std::condition_variable changed;
    bool stopping = false;
    bool drained = false;
    std::array<int, 2> wake{-1, -1};

    ~Implementation() {
        for (Tap& tap : taps) {
            for (int descriptor : {tap.original, tap.reader}) {
                if (descriptor >= 0) {
                    close(descriptor);
                }
            }
        }
        for (int descriptor : wake) {
            if (descriptor >= 0) {
                close(descriptor);
            }
        }
    }

    void pass_on(Tap& tap, bool hand_out) {
        std::array<char, 16384> buffer;
        const ssize_t got = read(tap.reader, buffer.data(), buffer.size());
        if (got > 0) {
            const auto size = static_cast<std::size_t>(got);
            write_all(tap.original, buffer.data(), size);
            if (hand_out) {
                callback(tap.target == 1 ? ConsoleStream::Output : ConsoleStream::Errors,
                         wall_time_ns(), {buffer.data(), size});
            }
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            tap.open = false;  // every writer is gone (a pty says EIO)
        }
    }

    void run() {
        bool hand_out = true;
        while (taps[0].open || taps[1].open) {
            std::array<pollfd, 3> waiting{};
            for (std::size_t i = 0; i < 2; ++i) {
                waiting[i] = {taps[i].open ? taps[i].reader : -1, POLLIN, 0};
            }
            waiting[2] = {hand_out ? wake[0] : -1, POLLIN, 0};
            const bool asked = [&] {
                const std::lock_guard lock(mutex);
                return stopping && hand_out;
            }();
            const int ready = poll(waiting.data(), waiting.size(), asked ? 0 : 250);
            bool any = false;
            for (std::size_t i = 0; i < 2; ++i) {
                if (ready > 0 && (waiting[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
                    pass_on(taps[i], hand_out);
                    any = true;
                }
                if (taps[i].open && taps[i].terminal) {
                    copy_window_size(taps[i]);
                }
            }
            if (asked && !any) {
                hand_out = false;
                report_drained();
            }
        }
        report_drained();
    }

    void report_drained() {
        const std::lock_guard lock(mutex);
        drained = true;
        changed.notify_all();
    }
};

ConsoleCapture::ConsoleCapture(std::shared_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Result<std::unique_ptr<ConsoleCapture>> ConsoleCapture::start(ConsoleCallback callback) {
    if (g_active.exchange(true)) {
        return Error{ErrorCode::AlreadyExists,
                     "the console is being captured by another run of this process"};
    }
    auto implementation = std::make_shared<Implementation>();
    implementation->callback = std::move(callback);
    std::fflush(stdout);
    std::fflush(stderr);
    const bool installed = pipe2(implementation->wake.data(), O_CLOEXEC) == 0 &&
                           install(implementation->taps[0], 1) &&
                           install(implementation->taps[1], 2);
    const auto give_up = [&](const std::string& why) {
        for (Tap& tap : implementation->taps) {
            if (tap.open) {
                dup2(tap.original, tap.target);
            }
        }
        g_active = false;
        return Error{ErrorCode::Io, "cannot capture the console: " + why};
    };
    if (!installed) {
        return give_up(std::strerror(errno));
    }
    try {
        // The thread owns what it reads from: it may outlive this object when a child still writes.
        start_quiet_thread("taffrail-tee", [implementation] { implementation->run(); }).detach();
    } catch (const std::exception& error) {
        return give_up(std::string("no thread that would pass it on: ") + error.what());
    }
    return std::unique_ptr<ConsoleCapture>(new ConsoleCapture(std::move(implementation)));
}

ConsoleCapture::~ConsoleCapture() {
    stop();
}

void ConsoleCapture::stop() {
    if (!implementation_) {
        return;
    }
    std::fflush(stdout);
    std::fflush(stderr);
    for (Tap& tap : implementation_->taps) {
        dup2(tap.original, tap.target);
    }
    {
        std::unique_lock lock(implementation_->mutex);
        implementation_->stopping = true;
        const char nudge = 1;
        (void)!write(implementation_->wake[1], &nudge, 1);
        implementation_->changed.wait(lock, [this] { return implementation_->drained; });
    }
    implementation_.reset();
    g_active = false;
}

}  // namespace taffrail::system
