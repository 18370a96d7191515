#include "store/sealing.h"

#include "base/clock.h"
#include "base/try.h"
#include "io/files.h"
#include "store/frame_file.h"
#include "store/glance.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/manifest.h"

#include <algorithm>
#include <map>

namespace taffrail::storage {
namespace {

// A killed writer leaves half a frame behind what was sealed; only a whole one means that the log
// has grown since.
bool covers(const Manifest& manifest, const FileName& name, const std::string& url) {
    const auto log = std::ranges::find_if(manifest.logs, [&](const seal::CoveredLog& candidate) {
        return candidate.writer == name.writer && candidate.file_number == name.number;
    });
    FrameFile file(url);
    if (log == manifest.logs.end() || !file.begin_at(log->bytes).ok()) {
        return false;
    }
    bool grown = false;
    (void)file.poll([&grown](const FrameFile::Frame&) { return grown = true, false; },
                    [](const tlog::DamagedRange&) {});
    return !grown;
}

// Sinks read the logs, not the sealed files: while one has a cursor here, its backlog may not be
// gone.
bool sinks_may_read(const std::string& run_folder) {
    const auto cursors = io::list(io::join(run_folder, "cursors"));
    return cursors.ok() && !cursors->empty();
}

// Files under a name of their own that a sealer left when it was killed. One that works right now
// has touched its own within the hour.
void sweep_remains(const std::string& run_folder) {
    const std::string folder = io::join(run_folder, kDataFolder);
    const auto entries = io::list(folder);
    for (const io::DirectoryEntry& entry :
         entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        const std::string url = io::join(folder, entry.name);
        if (!entry.name.starts_with('.') || !entry.name.ends_with(".tmp")) {
            continue;
        }
        const auto info = io::stat(url);
        if (info.ok() && wall_time_ns() - info->modified_ns > 3600 * std::int64_t{1'000'000'000}) {
            (void)io::remove(url);
        }
    }
}

}  // namespace

Result<seal::SealReport> seal_finished(const std::string& run_folder,
                                       const seal::SealOptions& options) {
    Manifest manifest = read_manifest(run_folder).value_or(Manifest{});
    const std::vector<FileName> files = list_logs(run_folder);
    std::map<std::uint64_t, bool> ended;
    std::string run_id;
    for (const FileName& name : files) {  // the last file of a writer decides
        TAFFRAIL_ASSIGN(const WriterGlance glance,
                        glance_at_writer(run_folder, name.writer, name.number));
        run_id = glance.identity.run_id;
        ended[name.writer] =
            glance.finished || !writer_is_alive(run_folder, glance.identity, glance.last_sign_ns);
    }
    std::vector<std::string> logs;
    for (const FileName& name : files) {
        const std::string url =
            io::join(io::join(run_folder, kLiveFolder), log_name(name.writer, name.number));
        const auto info = io::stat(url);
        if (info.ok() && ended[name.writer] && !covers(manifest, name, url)) {
            logs.push_back(url);
        }
    }
    sweep_remains(run_folder);
    if (logs.empty()) {
        return seal::SealReport{};
    }
    TAFFRAIL_ASSIGN(seal::SealReport report, seal::seal_run(run_folder, logs, options));
    for (const seal::SealedFileInfo& file : report.files) {
        std::erase_if(manifest.files,
                      [&file](const seal::SealedFileInfo& old) { return old.name == file.name; });
        manifest.files.push_back(file);
    }
    for (const seal::CoveredLog& log : report.logs) {
        std::erase_if(manifest.logs, [&log](const seal::CoveredLog& old) {
            return old.writer == log.writer && old.file_number == log.file_number;
        });
        manifest.logs.push_back(log);
    }
    TAFFRAIL_TRY(write_manifest(run_folder, run_id, std::move(manifest)));
    return report;
}

Result<std::uint64_t> drop_sealed_logs(const std::string& run_folder,
                                       std::chrono::nanoseconds grace) {
    const auto manifest = read_manifest(run_folder);
    if (!manifest || wall_time_ns() - manifest->time_ns < grace.count() ||
        sinks_may_read(run_folder)) {
        return std::uint64_t{0};
    }
    for (const seal::SealedFileInfo& file : manifest->files) {
        const auto info = io::stat(io::join(io::join(run_folder, kDataFolder), file.name));
        if (!info.ok() || info->size != file.bytes) {
            return Error{ErrorCode::Corrupt,
                         "sealed file " + file.name + " of " + run_folder +
                             " is missing or has another size: the logs are kept"};
        }
    }
    std::uint64_t freed = 0;
    for (const FileName& name : list_logs(run_folder)) {
        const std::string url =
            io::join(io::join(run_folder, kLiveFolder), log_name(name.writer, name.number));
        const auto info = io::stat(url);
        if (info.ok() && covers(*manifest, name, url)) {
            TAFFRAIL_TRY(io::remove(url));
            freed += info->size;
        }
    }
    return freed;
}

}  // namespace taffrail::storage
