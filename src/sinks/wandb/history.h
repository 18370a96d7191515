// Rows of the history, and the summary they lead to.
//
// The tracker takes one row a step, and steps that rise. Values of one step gather in a row until
// another step comes, or a key comes again; a row that cannot have its own step gets the next place
// and says its true step (trackers/rising_steps.h).
#pragma once

#include <taffrail/metric_options.h>
#include <taffrail/record.h>

#include "base/key_order.h"
#include "codec/formats/wandb/encode.h"
#include "sinks/wandb/run_file.h"
#include "sinks/wandb/state.h"
#include "trackers/ranks.h"
#include "trackers/rising_steps.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sinks::wandb {

class History {
  public:
    /// Rows of all ranks come one rank behind the other: then every row says its true step, and
    /// that is the axis of metrics that have no other.
    enum class Ranks : std::uint8_t { Zero, All };

    /// `start_time_ns` is the zero of `_runtime`.
    explicit History(std::int64_t start_time_ns, Ranks ranks = Ranks::Zero)
        : start_time_ns_(start_time_ns), ranks_(ranks), steps_(std::nullopt, ranks == Ranks::All) {}

    void restore(const State& state);
    void save(State& state) const;

    void define(const MetricDefinition& definition, RunFile& file);
    void scalar(std::string_view key, Step step, std::int64_t time_ns, double value, RunFile& file);
    /// Any other value, as JSON. An object that comes late says its step itself, as `step`.
    void value(std::string_view key, Step step, std::int64_t time_ns, std::string_view json,
               RunFile& file);

    /// Writes the row that is not over.
    void end_row(RunFile& file);
    /// Writes what changed in the summary since the last call.
    void write_summary(RunFile& file);

    [[nodiscard]] std::int64_t last_time_ns() const noexcept { return last_time_ns_; }

  private:
    struct Key {
        std::string name, prefix;  ///< there; the bytes of its items
        std::string own_name;      ///< here
        std::uint64_t row = 0;     ///< the last row that has it
        bool is_changed = false;
        bool is_defined = false;  ///< looked at the definitions
        Summary summary = Summary::Last;
        Key* axis = nullptr;  ///< the metric its rows must have too
        std::string last;     ///< JSON
        Tracked numbers;
    };

    Key& key_of(std::string_view key);
    void look_up(Key& key);
    [[nodiscard]] trackers::RankedName name_and_rank(const Key& key) const;
    void tell_definition(const Key& key, RunFile& file);
    void add(Key& key, Step step, std::int64_t time_ns, std::string_view json, RunFile& file);

    std::int64_t start_time_ns_;
    std::int64_t last_time_ns_ = 0;
    Ranks ranks_;
    trackers::RisingSteps steps_;
    std::deque<Key> keys_;
    KeyOrder<Key> by_name_;
    std::vector<MetricDefinition> definitions_;
    formats::wandb::HistoryRow row_;
    std::vector<Key*> row_axes_;
    std::optional<Step> row_step_;
    std::int64_t row_time_ns_ = 0;
    std::uint64_t row_number_ = 0;
    std::string scratch_;
};

}  // namespace taffrail::sinks::wandb
