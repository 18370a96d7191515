#include "base/metric_definitions.h"

#include <taffrail/metric_options.h>

#include <utility>

namespace taffrail {

const MetricOptions* find_metric(std::span<const MetricDefinition> definitions,
                                 std::string_view key) noexcept {
    const auto found = find_definition(
        definitions.size(),
        [&](std::size_t i) -> std::string_view { return definitions[i].pattern; }, key);
    return found ? &definitions[*found].options : nullptr;
}

void put_metric(std::vector<MetricDefinition>& definitions, MetricDefinition definition) {
    std::erase_if(definitions, [&](const MetricDefinition& known) {
        return known.pattern == definition.pattern;
    });
    definitions.push_back(std::move(definition));
}

}  // namespace taffrail
