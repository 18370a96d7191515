#include "sinks/tensorboard/folders.h"

#include "base/strings.h"
#include "io/files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <ctime>

namespace taffrail::tensorboard {

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

std::string versioned_folder(const std::string& root, const std::string& name,
                             const std::string& version) {
    const std::string base = name.empty() ? root : io::join(root, name);
    if (!version.empty()) {
        return io::join(base, parse_int(version) ? "version_" + version : version);
    }
    std::int64_t next = 0;
    if (const auto entries = io::list(base); entries.ok()) {
        for (const io::DirectoryEntry& entry : *entries) {
            if (entry.name.starts_with("version_")) {
                const auto number = parse_int(std::string_view(entry.name).substr(8));
                next = number ? std::max(next, *number + 1) : next;
            }
        }
    }
    return io::join(base, "version_" + std::to_string(next));
}

std::string default_log_dir(std::string_view comment, std::int64_t time_ns) {
    const auto seconds = static_cast<std::time_t>(time_ns / 1'000'000'000);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    std::array<char, 64> date{};
    std::strftime(date.data(), date.size(), "%b%d_%H-%M-%S", &local);
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) {
        host[0] = '\0';
    }
    return "runs/" + std::string(date.data()) + "_" + host.data() + std::string(comment);
}

}  // namespace taffrail::tensorboard
