#include "model/metric_meaning.h"

#include "base/metric_definitions.h"

namespace taffrail::model {

std::shared_ptr<const MetricOptions> definition_of(std::string_view key,
                                                   const MetricDefinitions& definitions) {
    const auto found = find_definition(
        definitions.size(), [&](std::size_t i) -> std::string_view { return definitions[i].first; },
        key);
    return found ? definitions[*found].second : nullptr;
}

std::optional<double> summary_of(const KeyInfo& key) {
    const SeriesSummary& s = key.scalar;
    if (s.count == 0) {
        return std::nullopt;
    }
    const Summary wanted = key.definition ? key.definition->summary : Summary::Last;
    if (wanted == Summary::None) {
        return std::nullopt;
    }
    if (wanted == Summary::Last) {
        return s.newest();
    }
    return wanted == Summary::Min ? s.smallest() : wanted == Summary::Max ? s.largest() : s.mean();
}

std::optional<double> best_of(const KeyInfo& key) {
    const Goal goal = key.definition ? key.definition->goal : Goal::None;
    return goal == Goal::None       ? std::nullopt
           : goal == Goal::Minimize ? key.scalar.smallest()
                                    : key.scalar.largest();
}

bool is_hidden(const KeyInfo& key) noexcept {
    return key.definition && key.definition->hidden;
}

std::string_view name_of(Summary summary) noexcept {
    switch (summary) {
        case Summary::Min:
            return "min";
        case Summary::Max:
            return "max";
        case Summary::Mean:
            return "mean";
        case Summary::None:
            return "none";
        case Summary::Last:
            break;
    }
    return "last";
}

std::string_view name_of(Goal goal) noexcept {
    return goal == Goal::Minimize   ? "minimize"
           : goal == Goal::Maximize ? "maximize"
                                    : std::string_view();
}

}  // namespace taffrail::model
