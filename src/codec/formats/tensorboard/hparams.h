// The hparams plugin: hyperparameters of a session and how it ended, carried inside the metadata of
// three tags.
#pragma once

#include <taffrail/record.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::formats::tensorboard {

enum class HparamsPart : std::uint8_t { None, Experiment, SessionStart, SessionEnd };

/// HParamsPluginData, read. Only the fields of its part are set.
struct HparamsMessage {
    HparamsPart part = HparamsPart::None;
    Hparams hparams;         ///< SessionStart
    std::string group_name;  ///< SessionStart
    double time_seconds = 0;
    RunState state = RunState::Running;  ///< SessionEnd; Running for "unknown"
};

std::optional<HparamsMessage> decode_hparams(ByteSpan plugin_content);

/// Content of the session_start_info tag. TensorBoard knows truth, number and text; whole numbers
/// become numbers, an empty cell a null.
std::string encode_session_start(const Hparams& hparams, std::string_view group_name,
                                 double start_time_seconds);
/// Content of the session_end_info tag: success, failure, or running.
std::string encode_session_end(RunState state, double end_time_seconds);

}  // namespace taffrail::formats::tensorboard
