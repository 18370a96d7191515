// `hparams`: hyperparameters as they are, when they change.
#include "routines/common/registry.h"
#include "routines/common/tracked.h"

#include <algorithm>

namespace taffrail::routines {
namespace {

class HparamsRoutine : public WithoutStatistics {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        const auto& tracked = context.tracked();
        for (const auto& [name, datum] : data.values) {
            const bool wanted = tracked.empty() || name == "hparams" ||
                                std::find(tracked.begin(), tracked.end(), name) != tracked.end();
            const auto* hparams = std::get_if<Hparams>(&datum);
            // The same set with every batch is one set of hyperparameters, not thousands.
            if (hparams != nullptr && wanted && logged_[name] != *hparams) {
                logged_[name] = *hparams;
                context.log_value("hparams", *hparams, 0);
            }
        }
        return {};
    }

    [[nodiscard]] bool logs_changes() const noexcept override { return true; }

  private:
    std::map<std::string, Hparams> logged_;
};

}  // namespace

void register_hparams() {
    registry().add({.key = "hparams",
                    .class_name = "HyperparameterLogger",
                    .summary = "hyperparameters",
                    .make = make_without_options<HparamsRoutine>("hparams")});
}

}  // namespace taffrail::routines
