#include "sinks/wandb/config_items.h"

#include "base/strings.h"
#include "codec/json_writer.h"
#include "sinks/wandb/names.h"

#include <algorithm>

namespace taffrail::sinks::wandb {

std::string json_of(const Cell& cell) {
    JsonWriter json;
    json.value(cell);
    return std::move(json).take();
}

std::vector<formats::wandb::Item> ConfigItems::take(const Hparams& values) {
    std::vector<formats::wandb::Item> items;
    for (const auto& [name, cell] : values) {
        std::vector<std::string> path;
        std::string prefix;
        bool is_flat = groups_.contains(name);
        for (const std::string_view part : split(name, '/')) {
            is_flat = is_flat || part.empty() || (!prefix.empty() && values_.contains(prefix));
            prefix += (prefix.empty() ? "" : "/") + std::string(part);
            path.emplace_back(part);
        }
        if (is_flat) {
            path = {name};
        } else {
            values_.insert(name);
            for (std::size_t end = name.find('/'); end != std::string::npos;
                 end = name.find('/', end + 1)) {
                groups_.insert(name.substr(0, end));
            }
        }
        // The one name that is not the user's there.
        if (path.front() == "_wandb" || path.front().empty()) {
            path.front() = metric_name(path.front());
        }
        items.push_back({std::move(path), json_of(cell)});
    }
    return items;
}

}  // namespace taffrail::sinks::wandb
