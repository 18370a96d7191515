#include "gpu/collector.h"

#include <cstdlib>
#include <mutex>
#include <vector>

namespace taffrail::gpu {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
constexpr std::size_t kAlignment = 8;
constexpr std::uint32_t kAlsoUnfinishedBuffers = 1;  // for a flush

/// The interface calls back without saying for whom: there is one of these.
struct State {
    std::mutex mutex;
    Records records;
    std::uint64_t max_bytes = 0;
    std::vector<std::uint32_t> enabled;
    std::vector<std::uint8_t*> spare_buffers;
    const Cupti* cupti = nullptr;
    bool is_registered = false;
};

State& state() {
    static State* instance = new State;  // callbacks may come while the process ends
    return *instance;
}

void request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
    State& now = state();
    {
        const std::lock_guard guard(now.mutex);
        *buffer = nullptr;
        if (!now.spare_buffers.empty()) {
            *buffer = now.spare_buffers.back();
            now.spare_buffers.pop_back();
        }
    }
    if (*buffer == nullptr) {
        *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, kBufferBytes));
    }
    *size = *buffer == nullptr ? 0 : kBufferBytes;
    *most_records = 0;
}

void take_buffer(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t /*size*/,
                 std::size_t valid_size) {
    State& now = state();
    // Never a call into the library with the lock held: it may be calling back with one of its own.
    std::vector<const std::uint8_t*> found;
    std::uint8_t* record = nullptr;
    while (buffer != nullptr && valid_size > 0 &&
           now.cupti->next_record(buffer, valid_size, &record) == 0) {
        found.push_back(record);
    }
    std::size_t dropped = 0;
    (void)now.cupti->dropped_records(context, stream, &dropped);
    const std::lock_guard guard(now.mutex);
    for (std::size_t place = 0; place < found.size(); ++place) {
        if (now.records.bytes() >= now.max_bytes) {
            now.records.beyond_limit += found.size() - place;
            break;
        }
        decode(found[place], now.records);
    }
    now.records.dropped += dropped;
    if (buffer != nullptr) {
        now.spare_buffers.push_back(buffer);
    }
}

}  // namespace

Result<void> start_collecting(const CollectOptions& options) {
    auto loaded = load_cupti();
    if (!loaded.ok()) {
        return loaded.error();
    }
    State& now = state();
    now.cupti = *loaded;
    const auto fail = [&](int result) {
        for (const std::uint32_t kind : now.enabled) {
            (void)now.cupti->disable(kind);
        }
        now.enabled.clear();
        constexpr int kAnotherClient = 39;
        return Error{result == kAnotherClient ? ErrorCode::Unavailable : ErrorCode::Unsupported,
                     result == kAnotherClient
                         ? std::string("no GPU trace: another profiler (torch.profiler, nsys, ncu) "
                                       "holds the GPU's; end it, or import its trace")
                         : "no GPU trace: CUDA says \"" + now.cupti->text_of(result) +
                               "\"; there may be no GPU or no driver"};
    };
    {
        const std::lock_guard guard(now.mutex);
        now.records = Records();
        now.max_bytes = options.max_bytes;
    }
    if (!now.is_registered) {
        if (now.cupti->set_thread_id_type != nullptr) {
            constexpr int kOfTheSystem = 1;
            (void)now.cupti->set_thread_id_type(kOfTheSystem);
        }
        if (const int result = now.cupti->register_callbacks(request_buffer, take_buffer);
            result != 0) {
            return fail(result);
        }
        now.is_registered = true;
    }
    std::vector<RecordKind> kinds = {RecordKind::ConcurrentKernel, RecordKind::Memcpy,
                                     RecordKind::Memset};
    if (options.calls) {
        kinds.push_back(RecordKind::Runtime);
        kinds.push_back(RecordKind::Driver);
    }
    if (options.markers && std::getenv("NVTX_INJECTION64_PATH") != nullptr) {
        kinds.push_back(RecordKind::Marker);
    }
    for (const RecordKind kind : kinds) {
        if (const int result = now.cupti->enable(static_cast<std::uint32_t>(kind)); result != 0) {
            return fail(result);
        }
        now.enabled.push_back(static_cast<std::uint32_t>(kind));
    }
    return {};
}

Records collected_so_far() {
    State& now = state();
    if (now.cupti == nullptr || now.enabled.empty()) {
        return {};
    }
    (void)now.cupti->flush_all(kAlsoUnfinishedBuffers);
    const std::lock_guard guard(now.mutex);
    return now.records;
}

Records stop_collecting() {
    State& now = state();
    if (now.cupti == nullptr || now.enabled.empty()) {
        return {};
    }
    for (const std::uint32_t kind : now.enabled) {
        (void)now.cupti->disable(kind);
    }
    now.enabled.clear();
    (void)now.cupti->flush_all(kAlsoUnfinishedBuffers);
    const std::lock_guard guard(now.mutex);
    Records records = std::move(now.records);
    now.records = Records();
    return records;
}

}  // namespace taffrail::gpu
