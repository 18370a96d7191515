#include "routines/common/tracked.h"

#include "base/diagnostics.h"
#include "base/strings.h"

#include <array>

namespace taffrail {

std::string_view phase_key(Phase phase) noexcept {
    return phase == Phase::Validate ? "val" : phase == Phase::None ? "run" : to_string(phase);
}

}  // namespace taffrail

namespace taffrail::routines {

const std::string& SeriesKeys::key(const std::string& name, Phase phase) {
    auto found = keys_.find({name, phase});
    if (found == keys_.end()) {
        found = keys_
                    .emplace(std::pair(name, phase),
                             family_ + "/" + name + "/" + std::string(phase_key(phase)))
                    .first;
    }
    return found->second;
}

void warn_absent(const std::string& name, const DataMap& data, std::string_view family) {
    // Asked first: a key that is missing from every batch must not cost a message each time.
    const std::string cause = "tracked." + std::string(family) + "." + name;
    if (diagnostic_count(cause) > 0) {
        return;
    }
    std::vector<std::string> present;
    for (const auto& [key, datum] : data.values) {
        present.push_back(key);
    }
    diagnose_once(DiagnosticLevel::Warning, cause,
                  "'" + name + "' is tracked by the routine '" + std::string(family) +
                      "' but is not in the data" + did_you_mean(name, present) +
                      "; it is left out where it is missing");
}

Result<void> for_each_tracked(
    const DataMap& data, const RoutineContext& context, std::string_view family,
    const std::function<Result<void>(const std::string&, const Datum&)>& take) {
    Result<void> first;
    for (const std::string& name : context.tracked()) {
        const auto found = data.values.find(name);
        if (found == data.values.end()) {
            warn_absent(name, data, family);
            continue;
        }
        if (auto done = take(name, found->second); !done.ok() && first.ok()) {
            first = std::move(done);
        }
    }
    return first;
}

Error wrong_datum(const std::string& name, const Datum& datum, std::string_view wanted) {
    constexpr std::array kNames = {
        "a number", "a tensor", "an image", "audio",       "a video",         "a mesh",
        "text",     "a table",  "a graph",  "a histogram", "hyperparameters", "a map of numbers"};
    static_assert(kNames.size() == std::variant_size_v<Datum::Variant>);
    return {ErrorCode::InvalidArgument, "'" + name + "' is " + kNames[datum.index()] +
                                            "; this routine takes " + std::string(wanted)};
}

}  // namespace taffrail::routines
