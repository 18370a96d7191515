// The files in a run, and traces into a file of their own.
#include "base/diagnostics.h"
#include "base/try.h"
#include "io/files.h"
#include "zones/attach.h"
#include "zones/exit_report.h"
#include "zones/thread_zones.h"
#include "zones/trace_range.h"
#include "zones/zone_file.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <utility>

namespace taffrail::zones {

namespace {

struct RunFiles {
    std::mutex mutex;
    std::string folder, writer;
    std::unique_ptr<ZoneFile> of_run;
    std::unique_ptr<ZoneFile> of_trace;  ///< a window of a program without a run
    ZoneFile* of_range = nullptr;        ///< the one of the two that a tracer reads
};

RunFiles*& run_files() {
    static auto* made = new RunFiles;
    return made;
}

// With the lock held. Numbers that are taken belong to an earlier life of this writer.
Result<void> begin_files(RunFiles& files) {
    if (files.folder.empty() || files.of_run || counting_since() == 0) {
        return {};
    }
    const std::string profiles = io::join(files.folder, "profiles");
    TAFFRAIL_ASSIGN(
        files.of_run,
        ZoneFile::create(io::join(profiles, files.writer + "-00000.tprof"), files.writer));
    if (!io::is_local(profiles)) {
        return {};  // nothing that a process can map
    }
    return attach_open_block(io::join(profiles, files.writer + ".open"));
}

// As the other files of the run are named: 16 hexadecimal digits.
std::string name_of(std::uint64_t writer) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016" PRIx64, writer);
    return text.data();
}

Result<void> check_no_window(const RunFiles& files) {
    if ((files.of_run && files.of_run->tracing()) || files.of_trace) {
        return Error{ErrorCode::AlreadyExists,
                     "zones are traced already; stop_zone_trace() ends that window"};
    }
    return {};
}

void begin_or_say(RunFiles& files) {
    if (const auto begun = begin_files(files); !begun.ok()) {
        diagnose_once(DiagnosticLevel::Warning, "zones.files",
                      "the run does not keep its zones: " + begun.error().message);
    }
}

}  // namespace

void attach_run(const std::string& folder, std::uint64_t writer) noexcept {
    leave_report_to_others();
    try {
        RunFiles& files = *run_files();
        const std::lock_guard lock(files.mutex);
        if (!files.folder.empty()) {
            return;
        }
        files.folder = folder;
        files.writer = name_of(writer);
        begin_or_say(files);
    } catch (const std::exception& problem) {
        diagnose(DiagnosticLevel::Warning,
                 std::string("the run does not keep its zones: ") + problem.what());
    }
}

void begin_files_of_run() noexcept {
    try {
        RunFiles& files = *run_files();
        const std::lock_guard lock(files.mutex);
        begin_or_say(files);
    } catch (const std::exception& problem) {
        diagnose(DiagnosticLevel::Warning,
                 std::string("the run does not keep its zones: ") + problem.what());
    }
}

void forget_files_of_run() noexcept {
    // The lock may be held, and the thread is not there: the child begins with nothing, and nobody
    // touches what it was given. A few hundred bytes.
    run_files() = new (std::nothrow) RunFiles;
    if (run_files() == nullptr) {
        std::terminate();
    }
}

Result<void> detach_run(const std::string& folder) noexcept {
    try {
        RunFiles& files = *run_files();
        const std::lock_guard lock(files.mutex);
        if (files.folder != folder || folder.empty()) {
            return {};
        }
        files.folder.clear();
        files.of_range = files.of_range == files.of_run.get() ? nullptr : files.of_range;
        detach_open_block();
        Result<void> closed = files.of_run ? files.of_run->close() : Result<void>();
        files.of_run.reset();
        return closed;
    } catch (const std::exception& problem) {
        return Error{ErrorCode::Internal,
                     std::string("closing the profile of the run failed: ") + problem.what()};
    }
}

Result<TickClock> begin_trace_range(std::uint64_t max_bytes) {
    static_cast<void>(zones_of_this_thread());
    RunFiles& files = *run_files();
    const std::lock_guard lock(files.mutex);
    TAFFRAIL_TRY(check_no_window(files));
    if (!files.folder.empty() && !files.of_run) {
        begin_or_say(files);
    }
    if (!files.of_run) {
        const std::string path = "memory://zones/window.tprof";
        static_cast<void>(io::remove(path));
        TAFFRAIL_ASSIGN(files.of_trace, ZoneFile::create(path, "trace"));
    }
    files.of_range = files.of_run ? files.of_run.get() : files.of_trace.get();
    files.of_range->start_trace(max_bytes);
    return files.of_range->clock();
}

Result<Bytes> end_trace_range() {
    RunFiles& files = *run_files();
    const std::lock_guard lock(files.mutex);
    ZoneFile* const file = std::exchange(files.of_range, nullptr);
    if (file == nullptr) {
        return Error{ErrorCode::InvalidArgument,
                     "the run was finished while a window of its zones was open; what they came to "
                     "is in its profile"};
    }
    TAFFRAIL_TRY(file->stop_trace());
    Result<Bytes> bytes = file->read_window();
    if (file == files.of_trace.get()) {
        const std::string path = file->path();
        files.of_trace.reset();
        static_cast<void>(io::remove(path));
    }
    return bytes;
}

}  // namespace taffrail::zones

namespace taffrail {

Result<void> start_zone_trace(const ZoneTraceOptions& options) {
    static_cast<void>(
        zones::zones_of_this_thread());  // the files of a run begin with the first zone
    zones::RunFiles& files = *zones::run_files();
    const std::lock_guard lock(files.mutex);
    TAFFRAIL_TRY(zones::check_no_window(files));
    if (!options.path.empty()) {
        TAFFRAIL_ASSIGN(files.of_trace, zones::ZoneFile::create(options.path, "trace"));
        files.of_trace->start_trace(options.max_bytes);
        return {};
    }
    if (files.folder.empty()) {
        return Error{ErrorCode::InvalidArgument,
                     "there is no run to keep a trace of zones in; open one first, or give a path"};
    }
    if (!files.of_run) {
        TAFFRAIL_TRY(zones::begin_files(files));
    }
    files.of_run->start_trace(options.max_bytes);
    return {};
}

Result<void> stop_zone_trace() {
    zones::RunFiles& files = *zones::run_files();
    const std::lock_guard lock(files.mutex);
    if (files.of_trace) {
        Result<void> stopped = files.of_trace->stop_trace();
        Result<void> closed = files.of_trace->close();
        files.of_range = nullptr;
        files.of_trace.reset();
        return stopped.ok() ? closed : stopped;
    }
    return files.of_run ? files.of_run->stop_trace() : Result<void>();
}

}  // namespace taffrail
