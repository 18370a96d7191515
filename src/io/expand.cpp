#include "io/expand.h"

#include <cctype>
#include <cstdlib>

namespace taffrail::io {

std::string expand_path(std::string_view path) {
    std::string result;
    if (path == "~" || path.starts_with("~/")) {
        if (const char* home = std::getenv("HOME"); home != nullptr) {
            result = home;
            path.remove_prefix(1);
        }
    }
    while (!path.empty()) {
        const auto dollar = path.find('$');
        result += path.substr(0, dollar);
        if (dollar == std::string_view::npos) {
            break;
        }
        path.remove_prefix(dollar + 1);
        const bool braced = path.starts_with('{');
        std::size_t length = braced ? 1 : 0;
        while (
            length < path.size() &&
            (std::isalnum(static_cast<unsigned char>(path[length])) != 0 || path[length] == '_')) {
            ++length;
        }
        const bool closed = braced && length < path.size() && path[length] == '}';
        const std::string name(path.substr(braced ? 1 : 0, braced ? length - 1 : length));
        const char* value =
            !name.empty() && (!braced || closed) ? std::getenv(name.c_str()) : nullptr;
        const std::size_t used = closed ? length + 1 : length;
        if (value != nullptr) {
            result += value;
        } else {
            result += "$" + std::string(path.substr(0, used));
        }
        path.remove_prefix(used);
    }
    return result;
}

}  // namespace taffrail::io
