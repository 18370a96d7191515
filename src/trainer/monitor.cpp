#include "trainer/monitor.h"

#include "base/diagnostics.h"
#include "base/strings.h"

namespace taffrail::trainer {

std::optional<double> monitored(Trainer& trainer, const std::string& name, std::string_view who,
                                bool strict) {
    const MetricMap& view = trainer.callback_metrics();
    if (const auto value = view.find(name)) {
        return value;
    }
    std::vector<std::string> names;
    std::string known;
    view.for_each([&](std::string_view one, double) {
        names.emplace_back(one);
        known += (known.empty() ? "" : ", ") + std::string(one);
    });
    const std::string message = std::string(who) + " monitors '" + name +
                                "', which was not logged" + did_you_mean(name, names) +
                                "; logged so far: " + (known.empty() ? "nothing" : known);
    if (strict) {
        trainer.fail(Error{ErrorCode::NotFound, message});
    } else {
        diagnose_once(DiagnosticLevel::Warning, std::string(who) + ":" + name, message);
    }
    return std::nullopt;
}

bool any_rank(Trainer& trainer, bool here) {
    const auto& communicator = trainer.options().communicator;
    if (!communicator || communicator->world_size() == 1) {
        return here;
    }
    std::int64_t flag = here ? 1 : 0;
    if (auto reduced = communicator->all_reduce(std::span(&flag, 1), ReduceOp::Max);
        !reduced.ok()) {
        trainer.fail(std::move(reduced).error());
    }
    return flag != 0;
}

}  // namespace taffrail::trainer
