// What a list of runs needs to know of a run, from the last kilobytes of its logs.
#pragma once

#include <taffrail/reader.h>

#include "codec/tlog/batch.h"
#include "codec/tlog/checkpoint.h"
#include "store/log_state.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace taffrail::store {

/// One writer, without its series.
struct WriterGlance {
    tlog::FileIdentity identity;
    MetaState meta;
    std::vector<KeptValue> hparams;
    std::optional<tlog::EndMark> finished;
    std::int64_t last_sign_ns = 0;
    std::string newest_log;
    std::uint64_t newest_bytes = 0;
};

/// From the newest file of the writer; the whole log is read only when that has no checkpoint.
Result<WriterGlance> glance_at_writer(const std::string& run_folder, std::uint64_t writer,
                                      std::uint32_t newest_file);

/// The newest file of each writer that is not among `known`, glanced at. What cannot be read now is
/// left out: of a log that was only just made the first frame is yet to come.
std::vector<WriterGlance> glance_at_writers_but(const std::string& run_folder,
                                                const std::set<std::uint64_t>& known);

/// Everything put together: the whole run as a list shows it. `edits` are the meta records made by
/// other processes.
RunInfo describe_run(const std::string& run_folder, const std::vector<WriterGlance>& writers,
                     const MetaState& edits);

/// Glances at all writers of a run folder and describes it. What cannot be read is told in the
/// message.
struct RunGlance {
    RunInfo info;
    std::vector<std::string> unfinished_logs;  ///< newest files of writers without an end frame
    std::uint64_t unfinished_bytes = 0;        ///< their sizes when they were read
};

RunGlance glance_at_run(const std::string& run_folder);

/// What one rank said of a run so far, later values over earlier ones.
struct RankSettings {
    Hparams config, summary;
};

RankSettings settings_of_rank(const std::string& run_folder, std::int32_t rank);

/// What define_metric said in a run so far, oldest first.
std::vector<MetricDefinition> defined_metrics(const std::string& run_folder);

/// Hyperparameters of all writers, later ones over earlier ones.
Hparams merge_hparams(const std::vector<const std::vector<KeptValue>*>& lists);

}  // namespace taffrail::store
