// Writes a complete native run from records that happened elsewhere or earlier: times and steps are
// taken as they are.
#pragma once

#include <taffrail/reader.h>

#include "record/log_writer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::transfer {

/// Which process of a run the records come from. Number 0 draws a random one.
struct RunWriterIdentity {
    std::uint64_t number = 0;
    std::uint32_t attempt = 0;
    std::int32_t rank = 0;
    std::string host = {};
    Step resume_step = INT64_MIN;
};

class RunWriter {
  public:
    /// Makes the run's folder below `root` with the id, name, project, tags and settings of `info`.
    static Result<std::unique_ptr<RunWriter>> create(const std::string& root, const RunInfo& info,
                                                     const RunWriterIdentity& identity = {});
    /// A further rank or a later attempt of the run in `folder`; of `info` its id, world size and
    /// start time count.
    static Result<std::unique_ptr<RunWriter>> join(const std::string& folder, const RunInfo& info,
                                                   const RunWriterIdentity& identity);

    Result<void> scalar(std::string_view key, const Point& point);
    /// Blobs of the value must be loaded.
    Result<void> value(std::string_view key, const Entry& entry);
    Result<void> summary(const Hparams& values);
    Result<void> environment(const Hparams& values);
    Result<void> define_metric(std::string_view pattern, const MetricOptions& options);
    Result<void> console(const std::vector<ConsoleLine>& lines);
    /// Writes what is left and the state; the writer is of no use afterwards.
    /// `end_time_ns`: where the run is known to have ended later than its newest row.
    Result<void> finish(RunState state, std::string_view message = {},
                        std::int64_t end_time_ns = 0);
    /// Writes what is left and no end, and dates the files to the last record: what a killed
    /// process leaves behind. The writer is of no use afterwards.
    Result<void> abandon();

    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

  private:
    RunWriter() = default;
    std::uint32_t key_id(std::string_view name, Kind kind);
    Result<void> meta(tlog::MetaType type, const Bytes& payload, std::int64_t time_ns);
    Result<void> flush();

    struct Rows {
        std::vector<std::uint32_t> key, route;
        std::vector<std::uint64_t> seq;
        std::vector<std::int64_t> step, time_ns, samples;
        std::vector<double> epoch, value;
        std::vector<std::uint8_t> phase;
    };

    std::string folder_;
    std::uint64_t number_ = 0;
    std::unique_ptr<record::LogWriter> log_;
    std::map<std::pair<std::string, Kind>, std::uint32_t> keys_;
    std::vector<std::map<std::pair<std::string, Kind>, std::uint32_t>::const_iterator> new_keys_;
    Rows rows_;
    std::uint64_t next_seq_ = 0;
    std::int64_t start_time_ns_ = 0, last_time_ns_ = 0;
};

}  // namespace taffrail::transfer
