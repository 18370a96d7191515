// What is this file? Told by its bytes, with the sizes its header states. Nothing is decoded.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace taffrail {

struct MediaInfo {
    std::string format;  ///< "png", "jpeg", "gif", "webp", "mp4", "webm", "wav", "flac", "ogg",
                         ///< "mp3", "obj", "ply", "stl", "glb"
    std::string_view family;  ///< "image", "video", "audio", "mesh"
    std::int64_t width = 0, height = 0;
    int channels = 0;
    int bit_depth = 0;
    std::int64_t frames = 0;  ///< of a GIF, MP4 or WAV, where the header tells
    double frames_per_second = 0;
    int sample_rate = 0;
    std::int64_t vertices = 0, faces = 0;
    bool has_colors = false, has_normals = false;
};

/// Recognises `file`; `name` (its path) is used only for formats without a signature (OBJ, text
/// STL). A file that is none of these is an error which lists them.
Result<MediaInfo> probe_media(ByteSpan file, std::string_view name = {});

/// "image/png", "model/gltf-binary", …; "application/octet-stream" for anything else.
std::string_view mime_type(std::string_view format) noexcept;
/// "png", "jpg", …: what a file of this format ends with.
std::string_view file_extension(std::string_view format) noexcept;

}  // namespace taffrail
