#include "codec/system_names.h"

#include <algorithm>
#include <utility>

namespace taffrail {
namespace {

using Side = std::string_view SystemName::*;

const SystemName* find(std::span<const SystemName> names, Side side, std::string_view name) {
    const auto found = std::ranges::find(names, name, side);
    return found != names.end() ? &*found : nullptr;
}

/// "gpu/0/percent" → "0" and "percent"; nothing where it is no GPU's.
std::pair<std::string_view, std::string_view> gpu_parts(std::string_view name, char joint) {
    if (!name.starts_with("gpu") || name.size() < 6 || name[3] != joint) {
        return {};
    }
    name.remove_prefix(4);
    const std::size_t end = name.find(joint);
    if (end == std::string_view::npos || end == 0 ||
        name.substr(0, end).find_first_not_of("0123456789") != std::string_view::npos) {
        return {};
    }
    return {name.substr(0, end), name.substr(end + 1)};
}

std::string gpu_name(std::string_view number, std::string_view name, char joint) {
    return std::string("gpu") + joint + std::string(number) + joint + std::string(name);
}

}  // namespace

std::optional<RenamedReading> SystemNames::theirs(std::string_view ours) const {
    if (const SystemName* const found = find(machine_, &SystemName::ours, ours)) {
        return RenamedReading{std::string(found->theirs), found->factor};
    }
    const auto [number, name] = gpu_parts(ours, '/');
    const SystemName* const found = number.empty() ? nullptr : find(gpu_, &SystemName::ours, name);
    return found != nullptr ? std::optional(RenamedReading{gpu_name(number, found->theirs, joint_),
                                                           found->factor})
                            : std::nullopt;
}

std::optional<RenamedReading> SystemNames::ours(std::string_view theirs) const {
    if (const SystemName* const found = find(machine_, &SystemName::theirs, theirs)) {
        return RenamedReading{std::string(found->ours), 1 / found->factor};
    }
    const auto [number, name] = gpu_parts(theirs, joint_);
    const SystemName* const found =
        number.empty() ? nullptr : find(gpu_, &SystemName::theirs, name);
    return found != nullptr ? std::optional(RenamedReading{gpu_name(number, found->ours, '/'),
                                                           1 / found->factor})
                            : std::nullopt;
}

}  // namespace taffrail
