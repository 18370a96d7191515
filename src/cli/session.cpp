#include "cli/session.h"

#include "base/clock.h"
#include "terminal/text.h"

#include <cstdlib>

namespace taffrail::cli {

Session::Session(Looks looks, Writer out, Writer errors, Opener open)
    : now_ns(wall_time_ns()),
      looks_(looks),
      out_(std::move(out)),
      errors_(std::move(errors)),
      open_(std::move(open)) {}

ExitCode Session::fail(const Error& error) const {
    return fail(error.message);
}

ExitCode Session::fail(std::string_view message) const {
    warn(message);
    return ExitCode::Failed;
}

ExitCode Session::wrong_usage(std::string_view message) const {
    warn(message);
    return ExitCode::Usage;
}

void Session::warn(std::string_view message) const {
    errors_("taffrail: " + terminal::without_controls(message) + "\n");
}

std::string Session::styled(Style style, std::string_view text) const {
    const std::string shown = terminal::without_controls(text);
    if (!looks_.color || style == Style::Plain || text.empty()) {
        return shown;
    }
    const char* code = "0";
    switch (style) {
        case Style::Plain:
            break;
        case Style::Bold:
            code = "1";
            break;
        case Style::Dim:
            code = "2";
            break;
        case Style::Red:
            code = "31";
            break;
        case Style::Green:
            code = "32";
            break;
        case Style::Yellow:
            code = "33";
            break;
        case Style::Blue:
            code = "34";
            break;
        case Style::Magenta:
            code = "35";
            break;
        case Style::Cyan:
            code = "36";
            break;
    }
    return "\x1b[" + std::string(code) + "m" + shown + "\x1b[0m";
}

std::string default_root(std::string_view root) {
    if (!root.empty()) {
        return std::string(root);
    }
    const char* folder = std::getenv("TAFFRAIL_DIR");
    return folder != nullptr && *folder != '\0' ? folder : "taffrail";
}

void declare_root(Arguments& arguments, std::string& root) {
    arguments.path_option("--root", root, "DIR",
                          "where runs live (default: $TAFFRAIL_DIR, else ./taffrail)");
}

}  // namespace taffrail::cli
