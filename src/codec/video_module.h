// The C interface between the library and its run-time video module. Plain types only: the two may
// come from different builds, and FFmpeg's headers stay on the other side.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taffrail {

inline constexpr std::uint32_t kVideoModuleAbi = 2;
inline constexpr const char* kVideoModuleFile = "libtaffrail-video.so";
inline constexpr const char* kVideoModuleEntry = "taffrail_video_module";

struct TaffrailVideoJob {
    const unsigned char* frames;  ///< count × height × width × channels
    std::int64_t count, width, height;
    int channels;  ///< 1, 3 or 4
    double frames_per_second;
    const char* format;  ///< "", "mp4" or "webm"
    // Filled in by encode(); release() frees `file`.
    unsigned char* file;
    std::size_t file_size;
    char made_format[8];
    char error[256];
};

struct TaffrailVideoFile {
    const unsigned char* file;
    std::size_t file_size;
    std::size_t max_bytes;  ///< frames that take more are refused
    // Filled in by decode(); release_frames() frees `frames`.
    unsigned char* frames;  ///< count × height × width × 3
    std::int64_t count, width, height;
    double frames_per_second;
    char error[256];
};

struct TaffrailVideoModule {
    std::uint32_t abi_version;
    int (*encode)(TaffrailVideoJob* job);  ///< 0 = done
    void (*release)(TaffrailVideoJob* job);
    const char* (*describe)();
    int (*decode)(TaffrailVideoFile* job);  ///< 0 = done
    void (*release_frames)(TaffrailVideoFile* job);
};

}  // namespace taffrail
