// The door to the run-time video module: a shared library on FFmpeg that is loaded on first use and
// may be absent.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <string>

namespace taffrail {

struct EncodedVideo {
    std::string format;  ///< "mp4" or "webm"
    Bytes file;
};

/// Encodes u8 frames (T×H×W×C with the sizes in `video`). Fails with Unsupported where the module
/// or FFmpeg is absent. `format` "" takes MP4/H.264, or WebM/VP9 where H.264 is missing.
Result<EncodedVideo> encode_video(ByteSpan frames, const Video& video,
                                  std::string_view format = {});

struct DecodedVideo {
    std::int64_t count = 0, width = 0, height = 0;
    double frames_per_second = 0;
    Bytes frames;  ///< count × height × width × 3
};

/// The frames of an MP4 or WebM file, for back ends that know neither. Fails with Unsupported where
/// the module or FFmpeg is absent, and for more than half a gigabyte of frames.
Result<DecodedVideo> decode_video(ByteSpan file);

/// "FFmpeg 5.1.9 (libx264, libvpx-vp9)", or why there is none. Loads the module.
std::string describe_video_module();

}  // namespace taffrail
