#include "terminal/environment.h"

#include "base/strings.h"
#include "io/files.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace taffrail::terminal {
namespace {

std::string_view variable(const char* name) noexcept {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string_view() : std::string_view(value);
}

int positive(std::string_view text, int fallback) noexcept {
    const auto value = parse_int(text);
    return value && *value > 0 && *value < 100'000 ? static_cast<int>(*value) : fallback;
}

}  // namespace

bool is_interactive(int fd) noexcept {
    const std::string_view term = variable("TERM");
    return ::isatty(fd) == 1 && term != "dumb" && !term.empty();
}

bool wants_color(int fd) noexcept {
    return is_interactive(fd) && variable("NO_COLOR").empty();
}

Size size_of_terminal(int fd) noexcept {
    winsize window{};
    const bool known = ::ioctl(fd, TIOCGWINSZ, &window) == 0;
    return {known && window.ws_col > 0 ? window.ws_col : positive(variable("COLUMNS"), 80),
            known && window.ws_row > 0 ? window.ws_row : positive(variable("LINES"), 24)};
}

bool is_utf8() noexcept {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        if (const std::string_view value = variable(name); !value.empty()) {
            return value.find("UTF-8") != std::string_view::npos ||
                   value.find("utf8") != std::string_view::npos ||
                   value.find("UTF8") != std::string_view::npos;
        }
    }
    return false;
}

bool debugger_attached() noexcept {
    try {
        const std::string status = io::read_text("/proc/self/status").value_or("");
        constexpr std::string_view kField = "TracerPid:";
        const std::size_t at = status.find(kField);
        if (at == std::string::npos) {
            return false;
        }
        const std::size_t begin = at + kField.size();
        const std::string tracer(
            trim(std::string_view(status).substr(begin, status.find('\n', begin) - begin)));
        if (tracer == "0") {
            return false;
        }
        // A system call tracer wants to see the program as it is; nobody types at a prompt of it.
        const std::string name(trim(io::read_text("/proc/" + tracer + "/comm").value_or("")));
        return name != "strace" && name != "ltrace" && name != "perf";
    } catch (...) {
        return false;
    }
}

}  // namespace taffrail::terminal
