// What FFmpeg says about one of its error codes.
#pragma once

extern "C" {
#include <libavutil/error.h>
}

#include <array>
#include <string>

namespace taffrail::video_module {

inline std::string reason(int code) {
    std::array<char, 128> text{};
    av_strerror(code, text.data(), text.size());
    return text.data();
}

}  // namespace taffrail::video_module
