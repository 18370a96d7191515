// `metric`: numbers per batch, their mean and distribution per epoch.
//
// This one runs every iteration. What a name needs is looked up once per phase; a call walks the
// tracked names and the data side by side, both sorted, and logs one row.
#include "base/try.h"
#include "routines/common/registry.h"
#include "routines/common/tracked.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace taffrail::routines {
namespace {

/// One tracked number of one phase.
struct Slot {
    std::string key;             ///< of its batch series
    std::vector<double> values;  ///< since the last epoch
};

class MetricRoutine : public Routine {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        std::vector<Tracked>& tracked = phase(data.phase, context);
        Result<void> first;
        row_.clear();
        auto at = data.values.begin();
        for (Tracked& each : tracked) {
            while (at != data.values.end() && at->first < each.name) {
                ++at;
            }
            if (at == data.values.end() || at->first != each.name) {
                warn_absent(each.name, data, "metric");
            } else if (const double* value = std::get_if<double>(&at->second)) {
                add(each.number, *value);
            } else if (const auto* values =
                           std::get_if<std::map<std::string, double>>(&at->second)) {
                for (const auto& [sub, number] : *values) {
                    add(part(each, sub, data.phase), number);
                }
            } else if (first.ok()) {
                first = wrong_datum(each.name, at->second, "numbers and maps of numbers");
            }
        }
        context.log(row_, data.total_iters);
        return first;
    }

    Result<void> log_epoch(std::int64_t epoch, Phase which, RoutineContext& context) override {
        row_.clear();
        std::vector<std::pair<const std::string*, Slot*>> filled;
        for (Tracked& each : phase(which, context)) {
            filled.emplace_back(&each.name, &each.number);
            for (auto& [sub, slot] : each.parts) {
                filled.emplace_back(&each.part_names.at(sub), &slot);
            }
        }
        std::erase_if(filled, [](const auto& each) { return each.second->values.empty(); });
        for (const auto& [name, slot] : filled) {
            double sum = 0;
            for (const double value : slot->values) {
                sum += value;
            }
            row_.emplace_back(epoch_keys_.key(*name, which),
                              sum / static_cast<double>(slot->values.size()));
        }
        context.log(row_, epoch);
        for (const auto& [name, slot] : filled) {
            context.log_value(distribution_keys_.key(*name, which),
                              Histogram::from_values(slot->values), epoch);
            slot->values.clear();
        }
        return {};
    }

    Result<void> end_log(RoutineContext&) override { return {}; }

  private:
    struct Tracked {
        std::string name;
        Slot number;
        std::map<std::string, Slot> parts;  ///< of a map of numbers
        std::map<std::string, std::string> part_names;
    };

    std::vector<Tracked>& phase(Phase which, RoutineContext& context) {
        auto& tracked = phases_[static_cast<std::size_t>(which)];
        if (tracked.empty()) {
            std::vector<std::string> names = context.tracked();
            std::ranges::sort(names);
            const auto repeated = std::ranges::unique(names);
            names.erase(repeated.begin(), repeated.end());
            for (std::string& name : names) {
                const std::string key = batch_keys_.key(name, which);
                tracked.push_back({std::move(name), {key, {}}, {}, {}});
            }
        }
        return tracked;
    }

    Slot& part(Tracked& of, const std::string& sub, Phase which) {
        auto found = of.parts.find(sub);
        if (found == of.parts.end()) {
            const std::string name = of.name + "/" + sub;
            of.part_names[sub] = name;
            found = of.parts.emplace(sub, Slot{batch_keys_.key(name, which), {}}).first;
        }
        return found->second;
    }

    void add(Slot& slot, double value) {
        row_.emplace_back(slot.key, value);
        slot.values.push_back(value);
    }

    SeriesKeys batch_keys_{"Metric-BatchWise"}, epoch_keys_{"Metric-EpochWise"},
        distribution_keys_{"Metric-Hist"};
    std::array<std::vector<Tracked>, 8> phases_;
    std::vector<std::pair<std::string_view, double>> row_;
};

}  // namespace

void register_metric() {
    registry().add({.key = "metric",
                    .class_name = "MetricLogger",
                    .summary = "numbers per batch; mean and distribution per epoch",
                    .make = make_without_options<MetricRoutine>("metric")});
}

}  // namespace taffrail::routines
