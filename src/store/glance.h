// What a list of runs needs to know of a run, from the last kilobytes of its logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <taffrail/reader.h>

#include "codec/tlog/batch.h"
#include "codec/tlog/checkpoint.h"
#include "store/log_state.h"

namespace taffrail::storage {

/// One writer, without its series.
struct WriterGlance {
    tlog::FileIdentity identity;
    MetaState meta;
    std::vector<KeptValue> hparams;
    std::optional<tlog::EndMark> finished;
    std::int64_t last_sign_ns = 0;
};

/// Of the file `number`, the newest of the writer; reads backwards over older ones when it has no checkpoint.
Result<WriterGlance> glance_at_writer(const std::string& run_folder, std::uint64_t writer);

/// Everything put together: the whole run as a list shows it. `edits` are the meta records made by other processes.
RunInfo describe_run(const std::string& run_folder, const std::vector<WriterGlance>& writers, const MetaState& edits);

/// Glances at all writers of a run folder and describes it.
Result<RunInfo> read_run_info(const std::string& run_folder);

/// Hyperparameters of all writers, later ones over earlier ones.
Hparams merge_hparams(const std::vector<const std::vector<KeptValue>*>& lists);

}  // namespace taffrail::storage
