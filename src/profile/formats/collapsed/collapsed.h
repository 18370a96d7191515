// Collapsed (folded) stacks: a line each, frames joined by ';', then a space and a weight.
#pragma once

#include "profile/format.h"

namespace taffrail::profile {

bool is_collapsed(ByteSpan bytes);
/// Where every line ends with two numbers they are two weights: before and after.
Result<void> read_collapsed(ByteSpan bytes, Profile& profile);
Result<void> write_collapsed(Profile& profile, Output& out, const WriteOptions& options);

/// "work (train.py:12)", the way samplers of Python write it; only the name without a file.
std::string frame_title(const Profile& profile, FrameId frame);
/// The other way round.
FrameId frame_of_title(Profile& profile, std::string_view title);

}  // namespace taffrail::profile
