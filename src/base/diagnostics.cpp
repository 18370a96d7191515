#include "base/diagnostics.h"

#include "base/fork_guard.h"

#include <unistd.h>

#include <map>
#include <mutex>
#include <string>
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

// Names of runs, keys and files come from anybody, and a terminal obeys control characters.
std::string without_controls(std::string_view message) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string shown;
    shown.reserve(message.size());
    for (std::size_t at = 0; at < message.size(); ++at) {
        auto byte = static_cast<unsigned char>(message[at]);
        const bool controls = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
        // U+0080 to U+009F are two bytes in UTF-8.
        const unsigned next = byte == 0xC2 && at + 1 < message.size()
                                  ? static_cast<unsigned char>(message[at + 1])
                                  : 0;
        const bool is_long = next >= 0x80 && next < 0xA0;
        if (is_long) {
            byte = static_cast<unsigned char>(next);
            ++at;
        }
        if (controls || is_long) {
            shown += "\\x";
            shown += kDigits[byte >> 4];
            shown += kDigits[byte & 15];
        } else {
            shown += static_cast<char>(byte);
        }
    }
    return shown;
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
        const std::string shown = without_controls(message);
        DiagnosticHandler handler;
        {
            const std::lock_guard lock(state().mutex);
            handler = state().handler;
        }
        if (handler) {
            handler(level, shown);
        } else {
            write_to_stderr(level, shown);
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
