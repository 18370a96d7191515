#include "gpu/cupti.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <mutex>
#include <optional>
#include <vector>

namespace taffrail::gpu {
namespace {

/// What the program has loaded: PyTorch brings a library of its own, and two of them exclude each
/// other.
std::string loaded_library() {
    std::string found;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            if (std::string_view(info->dlpi_name).find("libcupti.so") == std::string_view::npos) {
                return 0;
            }
            *static_cast<std::string*>(to) = info->dlpi_name;
            return 1;
        },
        &found);
    return found;
}

std::vector<std::string> candidates() {
    std::vector<std::string> all;
    if (const char* wanted = std::getenv("TAFFRAIL_CUPTI_LIBRARY"); wanted != nullptr && *wanted) {
        return {wanted};
    }
    if (std::string loaded = loaded_library(); !loaded.empty()) {
        all.push_back(std::move(loaded));
    }
    std::string home = "/usr/local/cuda";
    if (const char* set = std::getenv("CUDA_HOME"); set != nullptr && *set) {
        home = set;
    }
    for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}) {
        all.emplace_back(name);
        all.push_back(home + "/extras/CUPTI/lib64/" + name);
        all.push_back(home + "/lib64/" + name);
    }
    return all;
}

template <typename Function>
bool find(void* library, const char* name, Function& to) {
    to = reinterpret_cast<Function>(::dlsym(library, name));
    return to != nullptr;
}

Result<Cupti> load() {
    void* library = nullptr;
    Cupti cupti;
    for (const std::string& path : candidates()) {
        library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (library != nullptr) {
            cupti.path = path;
            break;
        }
    }
    if (library == nullptr) {
        return Error{ErrorCode::Unsupported,
                     "no GPU trace: CUDA's profiling library (libcupti.so) is not installed"};
    }
    const bool is_whole =
        find(library, "cuptiGetVersion", cupti.get_version) &&
        find(library, "cuptiActivityRegisterCallbacks", cupti.register_callbacks) &&
        find(library, "cuptiActivityEnable", cupti.enable) &&
        find(library, "cuptiActivityDisable", cupti.disable) &&
        find(library, "cuptiActivityGetNextRecord", cupti.next_record) &&
        find(library, "cuptiActivityFlushAll", cupti.flush_all) &&
        find(library, "cuptiActivityGetNumDroppedRecords", cupti.dropped_records) &&
        find(library, "cuptiGetResultString", cupti.result_text) &&
        find(library, "cuptiGetCallbackName", cupti.callback_name);
    (void)find(library, "cuptiSetThreadIdType", cupti.set_thread_id_type);
    if (!is_whole) {
        return Error{ErrorCode::Unsupported,
                     "no GPU trace: " + cupti.path + " lacks functions of the activity interface"};
    }
    (void)cupti.get_version(&cupti.version);
    return cupti;
}

}  // namespace

std::string Cupti::text_of(int result) const {
    const char* text = nullptr;
    if (result_text(result, &text) != 0 || text == nullptr) {
        return "error " + std::to_string(result);
    }
    return text;
}

std::string Cupti::function_name(bool is_driver, std::uint32_t function) const {
    const char* name = nullptr;
    constexpr int kDriver = 1, kRuntime = 2;
    if (callback_name(is_driver ? kDriver : kRuntime, function, &name) != 0 || name == nullptr) {
        return (is_driver ? "cuda driver " : "cuda runtime ") + std::to_string(function);
    }
    // "cudaLaunchKernel_v7000" → "cudaLaunchKernel": the version says nothing to a reader.
    std::string text = name;
    const std::size_t suffix = text.rfind("_v");
    if (!is_driver && suffix != std::string::npos && suffix + 2 < text.size() &&
        text.find_first_not_of("0123456789", suffix + 2) == std::string::npos) {
        text.resize(suffix);
    }
    return text;
}

Result<const Cupti*> load_cupti() {
    static std::mutex mutex;
    static std::optional<Cupti>* kept = new std::optional<Cupti>;
    const std::lock_guard guard(mutex);
    if (!*kept) {
        auto loaded = load();
        if (!loaded.ok()) {
            return loaded.error();
        }
        *kept = std::move(*loaded);
    }
    return &**kept;
}

}  // namespace taffrail::gpu
