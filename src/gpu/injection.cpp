// Traces the CUDA work of a program that knows nothing of Taffrail:
//
//   CUDA_INJECTION64_PATH=…/libtaffrail-cuda.so python train.py
//
// CUDA loads the library when the program first uses it and calls InitializeInjection; the trace is
// written when the program ends, also by a signal that it does not handle. Programs may also load
// it themselves and call the two functions below.
#include "base/clock.h"
#include "base/strings.h"
#include "gpu/collector.h"
#include "gpu/process_end.h"
#include "gpu/to_trace.h"
#include "io/files.h"
#include "profile/formats/chrome/chrome.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace taffrail::gpu {
namespace {

void say(const std::string& message) {
    std::fprintf(stderr, "taffrail: %s\n", message.c_str());
}

std::string default_path() {
    std::array<char, 256> host = {};
    (void)::gethostname(host.data(), host.size() - 1);
    const char* folder = std::getenv("TAFFRAIL_CUDA_TRACE");
    std::string path = folder != nullptr && *folder != '\0' ? folder : ".";
    return path + "/" + host.data() + "_" + std::to_string(::getpid()) + "." +
           std::to_string(wall_time_ns()) + ".pt.trace.json";
}

bool write_trace(const Records& records, const std::string& path) {
    const auto cupti = load_cupti();
    profile::Profile trace;
    trace.metadata.emplace_back("schemaVersion", "1");
    add_records(
        records,
        {.cupti = cupti.ok() ? *cupti : nullptr, .devices = device_facts(), .process = ::getpid()},
        trace);
    const auto file = io::open(path, io::OpenMode::Truncate);
    Result<void> done = file.ok() ? Result<void>() : Result<void>(file.error());
    if (done.ok()) {
        profile::Output out([&](ByteSpan bytes) { return (*file)->append(bytes); });
        done = profile::write_chrome_trace(trace, out, {});
    }
    if (!done.ok()) {
        say("the GPU trace is not kept: " + done.error().message);
        return false;
    }
    for (const std::string& line : trace.notes.lines()) {
        say(line);
    }
    return true;
}

/// Of $TAFFRAIL_CUDA_TRACE_BYTES; nothing where that is no number of bytes.
std::optional<std::uint64_t> most_bytes() {
    const char* text = std::getenv("TAFFRAIL_CUDA_TRACE_BYTES");
    if (text == nullptr || *text == '\0') {
        return kMostBytesOfRecords;
    }
    const auto number = parse_int(text);
    return number && *number > 0 ? std::optional(static_cast<std::uint64_t>(*number))
                                 : std::nullopt;
}

/// What a program does around its Python interpreter would be missing in a trace written when that
/// ends: the same file is written anew then.
void write_at_end(ProcessEnd end) {
    static const std::string* path = new std::string(default_path());
    static std::uint64_t written = 0;
    const bool is_first = written == 0;
    const Records records = end == ProcessEnd::Whole ? stop_collecting() : collected_so_far();
    const std::uint64_t work = 1 + records.work.size() + records.beyond_limit;
    if (work == written) {
        return;
    }
    written = work;
    if (write_trace(records, *path) && is_first) {
        say("GPU trace: " + *path);
    }
}

}  // namespace
}  // namespace taffrail::gpu

extern "C" {

/// Called by CUDA. Anything but 1 tells it that nothing is traced.
[[gnu::visibility("default")]] int InitializeInjection() {
    const auto most = taffrail::gpu::most_bytes();
    if (!most) {
        taffrail::gpu::say(
            "no GPU trace: TAFFRAIL_CUDA_TRACE_BYTES is not understood; give a number of bytes");
        return 0;
    }
    const auto started = taffrail::gpu::start_collecting({.max_bytes = *most});
    if (!started.ok()) {
        taffrail::gpu::say(started.error().message);
        return 0;
    }
    taffrail::gpu::at_process_end(taffrail::gpu::write_at_end);
    return 1;
}

/// Starts recording: 0, or -1 after one line on standard error. `calls` 0 records kernels, copies
/// and memsets only.
[[gnu::visibility("default")]] int taffrail_cuda_start(int calls) {
    const auto started =
        taffrail::gpu::start_collecting({.calls = calls != 0, .markers = calls != 0});
    if (!started.ok()) {
        taffrail::gpu::say(started.error().message);
        return -1;
    }
    return 0;
}

/// Ends recording and writes a trace to `path`; a null path drops it.
[[gnu::visibility("default")]] int taffrail_cuda_stop(const char* path) {
    if (path == nullptr) {
        (void)taffrail::gpu::stop_collecting();
        return 0;
    }
    return taffrail::gpu::write_trace(taffrail::gpu::stop_collecting(), path) ? 0 : -1;
}
}
