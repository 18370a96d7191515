#include "sources/wandb/json_cells.h"

#include "base/utf8.h"

#include <charconv>
#include <cmath>

namespace taffrail::sources::wandb {

void flatten(const std::string& name, const Json& json, char joint,
             std::map<std::string, Cell>& to) {
    const auto* members = json.object();
    if (members == nullptr || members->empty()) {
        to.insert_or_assign(name, cell_of(json));
        return;
    }
    for (const auto& [inner, value] : *members) {
        flatten(name + joint + inner, value, joint, to);
    }
}

std::string joined(const std::vector<std::string_view>& path, char joint) {
    std::string name;
    for (const std::string_view part : path) {
        name += (name.empty() ? "" : std::string(1, joint)) + std::string(part);
    }
    return repair_utf8(name);
}

std::optional<double> number_of(std::string_view json) noexcept {
    double value = 0;
    const auto end = std::from_chars(json.data(), json.data() + json.size(), value);
    if (end.ec == std::errc() && end.ptr == json.data() + json.size() &&
        (json.front() == '-' || (json.front() >= '0' && json.front() <= '9'))) {
        return value;
    }
    if (json == "NaN") {
        return std::nan("");
    }
    if (json == "Infinity" || json == "-Infinity") {
        return json.front() == '-' ? -HUGE_VAL : HUGE_VAL;
    }
    if (json == "true" || json == "false") {
        return json == "true" ? 1 : 0;
    }
    return std::nullopt;
}

}  // namespace taffrail::sources::wandb
