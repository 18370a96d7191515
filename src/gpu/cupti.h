// The functions of NVIDIA's profiling library that are used, found at run time: a program without a
// GPU carries nothing of it, and no header of NVIDIA is needed.
#pragma once

#include <taffrail/result.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace taffrail::gpu {

struct Cupti {
    using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                     std::size_t* most_records);
    using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                     std::size_t size, std::size_t valid_size);

    int (*get_version)(std::uint32_t*) = nullptr;
    int (*register_callbacks)(BufferRequested, BufferCompleted) = nullptr;
    int (*enable)(std::uint32_t kind) = nullptr;
    int (*disable)(std::uint32_t kind) = nullptr;
    int (*next_record)(std::uint8_t* buffer, std::size_t valid_size,
                       std::uint8_t** record) = nullptr;
    int (*flush_all)(std::uint32_t flag) = nullptr;
    int (*dropped_records)(void* context, std::uint32_t stream, std::size_t* count) = nullptr;
    int (*result_text)(int result, const char** text) = nullptr;
    int (*callback_name)(int domain, std::uint32_t function, const char** name) = nullptr;
    int (*set_thread_id_type)(int type) = nullptr;  ///< null in old versions
    std::uint32_t version = 0;
    std::string path;

    /// "no kernel image…" of a result.
    [[nodiscard]] std::string text_of(int result) const;
    /// "cudaLaunchKernel".
    [[nodiscard]] std::string function_name(bool is_driver, std::uint32_t function) const;
};

/// The library the process uses already, else the one of the installed toolkit; loaded once and
/// kept. Unsupported with one clear line where there is none, or no driver below it.
Result<const Cupti*> load_cupti();

}  // namespace taffrail::gpu
