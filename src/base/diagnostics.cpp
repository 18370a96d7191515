#include "base/diagnostics.h"

#include "base/fork_guard.h"

#include <unistd.h>

#include <map>
#include <mutex>
#include <utility>

namespace taffrail {
namespace {

struct State {
    std::mutex mutex;
    DiagnosticHandler handler;
    std::map<std::string, std::uint64_t, std::less<>> counts;
};

// Leaked on purpose: collector threads and atexit handlers may still speak while statics are being
// destroyed.
State& state() {
    static auto* instance = new State;
    return *instance;
}

std::mutex& state_mutex() {
    return state().mutex;
}

void write_to_stderr(DiagnosticLevel level, std::string_view message) {
    std::string line = "taffrail: ";
    if (level == DiagnosticLevel::Warning) {
        line += "warning: ";
    } else if (level == DiagnosticLevel::Error) {
        line += "error: ";
    }
    line += message;
    line += '\n';
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void guard_diagnostics_over_fork() noexcept {
    guard_over_fork<state_mutex>();
}

DiagnosticHandler set_diagnostic_handler(DiagnosticHandler handler) {
    const std::lock_guard lock(state().mutex);
    return std::exchange(state().handler, std::move(handler));
}

void diagnose(DiagnosticLevel level, std::string_view message) noexcept {
    try {
        DiagnosticHandler handler;
        {
            const std::lock_guard lock(state().mutex);
            handler = state().handler;
        }
        if (handler) {
            handler(level, message);
        } else {
            write_to_stderr(level, message);
        }
    } catch (...) {
        // A handler that throws must not reach the training loop; there is nowhere left to report
        // it.
    }
}

std::uint64_t diagnose_once(DiagnosticLevel level, std::string_view cause,
                            std::string_view message) noexcept {
    try {
        std::uint64_t count = 0;
        {
            const std::lock_guard lock(state().mutex);
            auto found = state().counts.find(cause);
            if (found == state().counts.end()) {
                found = state().counts.emplace(std::string(cause), 0).first;
            }
            count = ++found->second;
        }
        if (count == 1) {
            diagnose(level, message);
        }
        return count;
    } catch (...) {
        return 0;
    }
}

std::uint64_t diagnostic_count(std::string_view cause) noexcept {
    const std::lock_guard lock(state().mutex);
    const auto found = state().counts.find(cause);
    return found == state().counts.end() ? 0 : found->second;
}

void reset_diagnostics() noexcept {
    const std::lock_guard lock(state().mutex);
    state().counts.clear();
}

}  // namespace taffrail
