// Frames to an MP4 or WebM file in memory, by FFmpeg's libraries.
#pragma once

#include "codec/video_module.h"

#include <string>
#include <vector>

namespace taffrail::video_module {

struct EncoderChoice {
    const char* format;   ///< container, as FFmpeg names it
    const char* encoder;  ///< codec, as FFmpeg names it
};

/// The encoders this machine's FFmpeg has, best first.
std::vector<EncoderChoice> available_encoders();

/// Encodes all frames of the job into `file`; on failure `error` says why.
bool encode(const TaffrailVideoJob& job, const EncoderChoice& choice,
            std::vector<unsigned char>& file, std::string& error);

}  // namespace taffrail::video_module
