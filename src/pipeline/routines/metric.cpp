// `metric`: numbers per batch, their mean and distribution per epoch.
#include "base/try.h"
#include "pipeline/routines/routines.h"

#include <span>
#include <vector>

namespace taffrail {
namespace {

class MetricRoutine : public Routine {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        row_.clear();
        const Result<void> done = for_each_tracked(
            data, context, "metric",
            [&](const std::string& name, const Datum& datum) -> Result<void> {
                if (const double* value = std::get_if<double>(&datum)) {
                    add(name, *value, data.phase);
                } else if (const auto* values =
                               std::get_if<std::map<std::string, double>>(&datum)) {
                    for (const auto& [sub, number] : *values) {
                        add(name + "/" + sub, number, data.phase);
                    }
                } else {
                    return wrong_datum(name, datum, "numbers and maps of numbers");
                }
                return {};
            });
        context.run().log_routed(row_, data.total_iters, context.routing());
        return done;
    }

    Result<void> log_epoch(std::int64_t epoch, Phase phase, RoutineContext& context) override {
        row_.clear();
        for (auto& [name, values] : gathered_[phase]) {
            double sum = 0;
            for (const double value : values) {
                sum += value;
            }
            row_.emplace_back(epoch_keys_.key(name, phase),
                              sum / static_cast<double>(values.size()));
        }
        context.run().log_routed(row_, epoch, context.routing());
        for (auto& [name, values] : gathered_[phase]) {
            context.run().log_value(distribution_keys_.key(name, phase),
                                    Histogram::from_values(values), epoch, context.routing());
        }
        gathered_[phase].clear();
        return {};
    }

    Result<void> end_log(RoutineContext&) override { return {}; }

  private:
    void add(const std::string& name, double value, Phase phase) {
        row_.emplace_back(batch_keys_.key(name, phase), value);
        gathered_[phase][name].push_back(value);
    }

    SeriesKeys batch_keys_{"Metric-BatchWise"}, epoch_keys_{"Metric-EpochWise"},
        distribution_keys_{"Metric-Hist"};
    std::map<Phase, std::map<std::string, std::vector<double>>> gathered_;
    std::vector<std::pair<std::string_view, double>> row_;
};

}  // namespace

std::unique_ptr<Routine> make_metric_routine() {
    return std::make_unique<MetricRoutine>();
}

}  // namespace taffrail
