// A video file in memory to its frames, by FFmpeg's libraries.
#pragma once

#include "codec/video_module.h"

#include <string>
#include <vector>

namespace taffrail::video_module {

/// Decodes the whole file into 8-bit RGB frames and fills in the sizes of the job; on failure
/// `error` says why. Refuses videos that would not fit into job.max_bytes.
bool decode(TaffrailVideoFile& job, std::vector<unsigned char>& frames, std::string& error);

}  // namespace taffrail::video_module
