// The command line of a program that is driven by a configuration.
#include <taffrail/config.h>

#include "base/strings.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace taffrail {
namespace {

Error option_error(std::string message) {
    return {ErrorCode::InvalidArgument, std::move(message)};
}

}  // namespace

Result<ConfigCommand> parse_config_command(std::span<const char* const> arguments,
                                           ComposeOptions defaults) {
    ConfigCommand command{.compose = std::move(defaults)};
    std::vector<std::string> folders;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string word = arguments[i];
        if (!word.starts_with('-')) {
            command.compose.overrides.push_back(word);
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const auto value = [&]() -> Result<std::string> {
            if (equals != std::string::npos) {
                return word.substr(equals + 1);
            }
            if (i + 1 < arguments.size()) {
                return std::string(arguments[++i]);
            }
            return option_error("option '" + name + "' needs a value");
        };
        if (name == "--help" || name == "-h") {
            command.help = true;
        } else if (name == "--cfg" || name == "-c") {
            command.print_config = true;
            const bool next_is_kind = equals == std::string::npos && i + 1 < arguments.size() &&
                                      (std::string_view(arguments[i + 1]) == "job" ||
                                       std::string_view(arguments[i + 1]) == "all");
            i += next_is_kind ? 1 : 0;
        } else if (name == "--config-dir" || name == "-cd" || name == "--config-path" ||
                   name == "-cp") {
            auto folder = value();
            if (!folder.ok()) {
                return std::move(folder).error();
            }
            folders.push_back(*folder);
        } else if (name == "--config-name" || name == "-cn") {
            auto primary = value();
            if (!primary.ok()) {
                return std::move(primary).error();
            }
            command.compose.primary = *primary;
        } else {
            const std::array<std::string, 4> known = {"--help", "--cfg", "--config-dir",
                                                      "--config-name"};
            return option_error("unknown option '" + name + "'" + did_you_mean(name, known) +
                                " (known: --help, --cfg, --config-dir DIR, --config-name NAME; "
                                "values are set by key=value)");
        }
    }
    if (const char* folder = std::getenv("TAFFRAIL_CONFIG_PATH");
        folder != nullptr && *folder != '\0') {
        folders.emplace_back(folder);
    }
    auto& path = command.compose.sources.search_path;
    path.insert(path.begin(), folders.begin(), folders.end());
    return command;
}

}  // namespace taffrail
