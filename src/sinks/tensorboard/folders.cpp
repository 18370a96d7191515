#include "sinks/tensorboard/folders.h"

#include "base/strings.h"
#include "io/files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <ctime>

namespace taffrail::sinks::tensorboard {

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

}  // namespace taffrail::sinks::tensorboard
