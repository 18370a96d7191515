// The log of one writer of a run (one attempt on one rank), with steps and times as they are given.
#pragma once

#include <taffrail/record.h>
#include <taffrail/result.h>

#include "base/bytes.h"
#include "codec/json.h"
#include "record/log_writer.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::e2e {

/// Steps, times and epochs of regularly logged values.
struct Grid {
    std::int64_t first = 0, stride = 1;
    double start_ms = 0, step_ms = 1;
    double epoch_steps = 0;    ///< steps of an epoch; 0 = no epochs
    std::int64_t samples = 0;  ///< samples of a step; 0 = not counted
    Phase phase = Phase::None;
};

class RunLog {
  public:
    /// `what` has id, name, project, start_ms, attempt, rank, …; the first writer of a run makes
    /// its folder and settings.
    static Result<std::unique_ptr<RunLog>> open(const std::string& root, const Json& what);

    /// Columns of one key: step (i64), time in ns (i64), value (f64), epoch (f64), samples (i64),
    /// each `rows` long.
    /// Appends values to a scalar key, at the steps and times the grid gives them.
    /// `steps` (i64) takes the place of the grid's where it is not empty.
    Result<void> scalars(const std::string& key, const Grid& grid, ByteSpan values, ByteSpan steps);
    Result<void> value(const std::string& key, Step step, std::int64_t time_ns, Value value);
    Result<void> console(const Json& lines);
    /// "line 0", "line 1", …: more than anybody wants to send as JSON.
    Result<void> console_lines(std::int64_t count);
    /// What Run::define_metric records: pattern, step, summary, goal, hidden.
    Result<void> define(const Json& what);
    Result<void> summary(const Hparams& values);
    Result<void> finish(std::string_view state, std::string_view message);

  private:
    std::uint32_t key_id(const std::string& name, Kind kind, tlog::Batch& batch);
    Result<void> meta(tlog::MetaType type, ByteSpan payload);
    Result<void> settings(const Json& what);

    std::unique_ptr<record::LogWriter> log_;
    std::map<std::pair<std::string, Kind>, std::uint32_t> keys_;
    std::uint64_t next_seq_ = 0;
    std::int64_t last_time_ns_ = 0;
};

}  // namespace taffrail::e2e
