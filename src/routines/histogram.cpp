// `hist`: a distribution per logged iteration for 1-D values; single numbers gather into one per
// epoch.
#include <taffrail/media_options.h>

#include "base/try.h"
#include "codec/tensor.h"
#include "routines/common/registry.h"
#include "routines/common/tracked.h"

#include <vector>

namespace taffrail::routines {
namespace {

struct HistOptions {
    std::size_t bins = HistogramOptions().bins;
};

const OptionSchema<HistOptions>& hist_options() {
    static const auto schema = OptionSchema<HistOptions>("hist").add(
        "bins", &HistOptions::bins, "bins of a distribution", {.least = 1});
    return schema;
}

class HistogramRoutine : public Routine {
  public:
    explicit HistogramRoutine(const HistOptions& options) : options_(options) {}

    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        last_iteration_[data.phase] = data.total_iters;
        return for_each_tracked(
            data, context, "hist",
            [&](const std::string& name, const Datum& datum) -> Result<void> {
                const std::string& key = keys_.key(name, data.phase);
                if (const double* value = std::get_if<double>(&datum)) {
                    gathered_[data.phase][name].push_back(*value);
                } else if (const auto* ready = std::get_if<Histogram>(&datum)) {
                    context.log_value(key, *ready, data.total_iters);
                } else if (const auto* tensor = std::get_if<TensorView>(&datum)) {
                    TAFFRAIL_TRY(check_tensor(*tensor, name));
                    if (tensor->shape.rank() == 0) {
                        gathered_[data.phase][name].push_back(to_f64(*tensor).front());
                    } else if (tensor->shape.rank() == 1) {
                        context.log_value(key,
                                          Histogram::from_values(to_f64(*tensor), options_.bins),
                                          data.total_iters);
                    } else {
                        return Error{ErrorCode::InvalidArgument,
                                     "'" + name + "' has the shape " + describe(*tensor) +
                                         "; a histogram takes single numbers or 1-D values: "
                                         "flatten it first"};
                    }
                } else {
                    return wrong_datum(name, datum,
                                       "single numbers, 1-D tensors and ready histograms");
                }
                return {};
            });
    }

    Result<void> log_epoch(std::int64_t, Phase phase, RoutineContext& context) override {
        for (const auto& [name, values] : gathered_[phase]) {
            context.log_value(keys_.key(name, phase), Histogram::from_values(values, options_.bins),
                              last_iteration_[phase]);
        }
        gathered_[phase].clear();
        return {};
    }

    Result<void> end_log(RoutineContext&) override { return {}; }

  private:
    HistOptions options_;
    SeriesKeys keys_{"Hist"};
    std::map<Phase, std::map<std::string, std::vector<double>>> gathered_;
    std::map<Phase, std::int64_t> last_iteration_;
};

}  // namespace

void register_histogram() {
    registry().add({.key = "hist",
                    .class_name = "HistogramLogger",
                    .summary = "distributions of values, such as activations and gradients",
                    .make = make_with<HistogramRoutine>(hist_options()),
                    .options = hist_options().infos()});
}

}  // namespace taffrail::routines
