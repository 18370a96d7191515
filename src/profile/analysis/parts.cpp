#include "base/strings.h"
#include "profile/analysis/analysis.h"

#include <algorithm>

namespace taffrail::profile::analysis {
namespace {

constexpr std::array<std::string_view, kParts> kKeys = {
    "kernel", "memcpy", "memset", "communication", "runtime", "data_loader", "cpu", "other"};
constexpr std::array<std::string_view, kParts> kTitles = {
    "Kernel", "Memcpy", "Memset", "Communication", "Runtime", "Data loader", "CPU", "Other"};

bool is_digits(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](char letter) { return letter >= '0' && letter <= '9'; });
}

}  // namespace

std::string_view part_key(Part part) noexcept {
    return kKeys[static_cast<std::size_t>(part)];
}

std::string_view part_title(Part part) noexcept {
    return kTitles[static_cast<std::size_t>(part)];
}

WorkerWindow worker_window_of(std::string_view path) {
    std::string_view name = path.substr(path.find_last_of('/') + 1);
    for (const std::string_view end : {".gz", ".json", ".trace", ".pt"}) {
        if (name.ends_with(end) && name.size() > end.size()) {
            name.remove_suffix(end.size());
        }
    }
    std::int64_t window = -1;
    const std::size_t dot = name.rfind('.');
    if (dot != std::string_view::npos && dot > 0 && is_digits(name.substr(dot + 1))) {
        window = parse_int(name.substr(dot + 1)).value_or(-1);
        name = name.substr(0, dot);
    }
    return {std::string(name), window};
}

}  // namespace taffrail::profile::analysis
