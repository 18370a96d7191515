// Where a fit stands, as a checkpoint keeps it: counters, the open epoch's place in its data, what
// log() has accumulated in it, and the states of Metric objects.
#pragma once

#include <taffrail/key.h>
#include <taffrail/metric.h>
#include <taffrail/result.h>

#include "codec/json.h"
#include "metrics/log_state.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace taffrail::trainer {

struct SavedMetric {
    std::string name = {};
    std::vector<Metric::Values> states = {};
    std::int64_t updates = 0;
};

struct LoopState {
    std::int64_t epochs = 0;  ///< whole ones; the open one is not among them
    Step optimizer_steps = 0;
    std::int64_t batches_in_epoch = 0;  ///< 0: no epoch is open
    std::int64_t batches_drawn = 0;     ///< of the loader; differs where steps draw their own
    std::int64_t batches_total = 0;
    std::int64_t validation_batches_total = 0;
    std::int64_t samples = 0;
    bool validated = true;  ///< the validation that may be due after the last batch is done
    std::map<int, Step> evaluation_rows = {};          ///< by loader: x of its next step row
    std::string loader = {};                           ///< Loader::state() before the open epoch
    std::vector<std::string> validation_loaders = {};  ///< the same before their next pass
    metrics::SavedLog log = {};
    std::vector<SavedMetric> metrics = {};
};

/// All numbers come back bit for bit.
Json::Object to_json(const LoopState& state);
/// What is missing is empty: files of older versions have the counters only.
Result<LoopState> loop_state_from(const Json& json);

/// Both were written at the same place of the same training.
bool same_place(const LoopState& one, const LoopState& other) noexcept;

}  // namespace taffrail::trainer
