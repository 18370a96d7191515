#include "tb_data_server/flags.h"

#include "base/strings.h"

#include <string_view>

namespace taffrail::tb_data_server {

const char* usage() noexcept {
    return "taffrail-tb-data-server --logdir DIR [--reload SECONDS|once] [--port N] [--port-file "
           "FILE] [--error-file FILE]\n"
           "                        [--die-after-stdin] [--verbose]\n\n"
           "Answers TensorBoard's data-provider questions from event files and Taffrail runs, "
           "every point kept.\n"
           "Let TensorBoard start it:\n\n"
           "  TENSORBOARD_DATA_SERVER_BINARY=$(command -v taffrail-tb-data-server) tensorboard "
           "--logdir runs --load_fast=true\n";
}

Result<Flags> parse_flags(int count, char** words) {
    Flags flags;
    for (int i = 1; i < count; ++i) {
        std::string_view word = words[i];
        const auto equals = word.find('=');
        const std::string_view name = word.substr(0, equals);
        const bool simple = name == "--die-after-stdin" || name == "--verbose" || name == "-v" ||
                            name == "--checksum" || name == "--help" || name == "-h";
        std::string value;
        if (equals != std::string_view::npos) {
            value = word.substr(equals + 1);
        } else if (!simple && i + 1 < count) {
            value = words[++i];
        }
        if (name == "--logdir") {
            flags.logdir = value;
        } else if (name == "--reload") {
            const auto seconds = parse_int(value);
            if (value != "once" && (!seconds || *seconds < 0 || *seconds > 86'400)) {
                return Error{ErrorCode::InvalidArgument,
                             "--reload takes seconds or 'once', not '" + value + "'"};
            }
            flags.reload_seconds =
                value == "once" ? std::nullopt : std::optional(static_cast<int>(*seconds));
        } else if (name == "--port") {
            const auto port = parse_int(value);
            if (!port || *port < 0 || *port > 65'535) {
                return Error{ErrorCode::InvalidArgument,
                             "--port takes a port number, not '" + value + "'"};
            }
            flags.port = static_cast<int>(*port);
        } else if (name == "--port-file") {
            flags.port_file = value;
        } else if (name == "--error-file") {
            flags.error_file = value;
        } else if (name == "--die-after-stdin") {
            flags.die_after_stdin = true;
        } else if (name == "--verbose" || name == "-v") {
            ++flags.verbose;
        } else if (name == "--help" || name == "-h") {
            flags.help = true;
        } else if (name != "--samples-per-plugin" && name != "--checksum") {
            return Error{ErrorCode::InvalidArgument, "no flag '" + std::string(name) + "'"};
        }
    }
    if (flags.logdir.empty() && !flags.help) {
        return Error{ErrorCode::InvalidArgument, "--logdir is missing"};
    }
    return flags;
}

}  // namespace taffrail::tb_data_server
