#include "store/sealing.h"

#include "base/clock.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "seal/file_check.h"
#include "seal/portions.h"
#include "store/frame_file.h"
#include "store/glance.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/manifest.h"
#include "store/run_check.h"
#include "store/seal_portions.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <thread>
#include <utility>

namespace taffrail::store {
namespace {

// A killed writer leaves half a frame behind what was sealed; only a whole one means that the log
// has grown since.
bool covers(const std::string& run_folder, const Manifest& manifest, const FileName& name,
            const std::string& url) {
    const auto log = std::ranges::find_if(manifest.logs, [&](const seal::CoveredLog& candidate) {
        return candidate.writer == name.writer && candidate.file_number == name.number;
    });
    FrameFile file(run_folder, url);
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
    const auto entries = io::list_inside(run_folder, folder);
    for (const io::DirectoryEntry& entry :
         entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        const std::string url = io::join(folder, entry.name);
        if (!entry.name.starts_with('.') || !entry.name.ends_with(".tmp")) {
            continue;
        }
        const auto info = io::stat(url);
        if (info.ok() && wall_time_ns() - info->modified_ns > 3600 * std::int64_t{1'000'000'000}) {
            (void)io::remove_inside(run_folder, url);
        }
    }
}

}  // namespace

namespace {

std::string url_of(const std::string& run_folder, std::uint64_t writer, std::uint32_t number) {
    return io::join(io::join(run_folder, kLiveFolder), log_name(writer, number));
}

/// Puts what was sealed into the manifest, in the place of what it stands for.
void take_up(Manifest& manifest, const seal::SealReport& report) {
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
}

}  // namespace

namespace {

void add_to(seal::SealReport& all, seal::SealReport portion) {
    std::ranges::move(portion.files, std::back_inserter(all.files));
    std::ranges::move(portion.logs, std::back_inserter(all.logs));
    all.points += portion.points;
    all.values += portion.values;
    all.duplicates += portion.duplicates;
    all.hidden += portion.hidden;
}

// A server may show names late that it has already given away.
constexpr int kManifestTries = 1000;

/// Whether all of them are what the manifest lists: others sealed the same logs and have the same
/// files.
bool lists_all(const Manifest& manifest, const std::vector<seal::SealedFileInfo>& files) {
    return std::ranges::all_of(files, [&](const seal::SealedFileInfo& file) {
        return std::ranges::find(manifest.files, file.name, &seal::SealedFileInfo::name) !=
               manifest.files.end();
    });
}

/// Those of the logs that were just sealed which no other sealer was quicker with.
std::vector<std::string> not_covered(const std::string& run_folder, const Manifest& manifest,
                                     const std::vector<seal::CoveredLog>& sealed) {
    std::vector<std::string> left;
    for (const seal::CoveredLog& log : sealed) {
        if (!covers(run_folder, manifest, {log.writer, log.file_number}, log.path)) {
            left.push_back(log.path);
        }
    }
    return left;
}

void remove_unlisted(const std::string& run_folder, const Manifest& manifest,
                     const std::vector<seal::SealedFileInfo>& files) {
    for (const seal::SealedFileInfo& file : files) {
        if (!lists_all(manifest, {file})) {
            (void)io::remove_inside(run_folder,
                                    io::join(io::join(run_folder, kDataFolder), file.name));
        }
    }
}

/// Ranks that end at the same moment seal each other's logs at the same time. A manifest follows
/// the one that was read, or is not written, so whoever comes second sees what the first one
/// sealed: a log must stand in one sealed file, or its rows would count twice.
Result<seal::SealReport> seal_portion(const std::string& run_folder, const std::string& run_id,
                                      std::vector<std::string> logs,
                                      const seal::SealOptions& options) {
    // A long portion before this one gave others time.
    std::erase_if(logs, [&, manifest = read_manifest(run_folder).value_or(Manifest{})](
                            const std::string& url) {
        const auto name = parse_log_name(url.substr(url.rfind('/') + 1));
        return name && covers(run_folder, manifest, *name, url);
    });
    while (!logs.empty()) {
        TAFFRAIL_ASSIGN(seal::SealReport report, seal::seal_run(run_folder, logs, options));
        for (int tries = 0;; ++tries) {
            Manifest manifest = read_manifest(run_folder).value_or(Manifest{});
            const std::vector<std::string> left = not_covered(run_folder, manifest, report.logs);
            if (left.size() < logs.size() && !lists_all(manifest, report.files)) {
                remove_unlisted(run_folder, manifest, report.files);
                logs = left;
                break;
            }
            take_up(manifest, report);
            for (seal::SealedFileInfo& file : manifest.files) {
                if (!file.crc_is_known) {
                    TAFFRAIL_TRY(seal::measure(
                        io::join(io::join(run_folder, kDataFolder), file.name), file));
                }
            }
            const auto written = write_manifest(run_folder, run_id, std::move(manifest));
            if (written.ok()) {
                return report;
            }
            if (written.error().code != ErrorCode::AlreadyExists || tries == kManifestTries) {
                return written.error();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    return seal::SealReport{};
}

/// Seals these logs portion by portion; each is in the manifest before the next one begins, so that
/// whatever ends this loop leaves the portions before it done.
Result<SealProgress> seal_logs(const std::string& run_folder, const std::string& run_id,
                               std::span<const std::string> logs, const seal::SealOptions& options,
                               const GoOn& go_on, std::uint64_t portion_bytes) {
    SealProgress progress;
    TAFFRAIL_ASSIGN(const auto portions, seal::portion_logs(logs, portion_bytes));
    for (const std::vector<std::string>& portion : portions) {
        if (!go_on()) {
            progress.logs_left += portion.size();
            continue;
        }
        TAFFRAIL_ASSIGN(seal::SealReport report,
                        seal_portion(run_folder, run_id, portion, options));
        add_to(progress.report, std::move(report));
    }
    return progress;
}

}  // namespace

Result<SealProgress> seal_while(const std::string& run_folder, const GoOn& go_on,
                                const seal::SealOptions& options, std::uint64_t portion_bytes) {
    TAFFRAIL_TRY(check_writable(run_folder));
    const Manifest manifest = read_manifest(run_folder).value_or(Manifest{});
    const std::vector<FileName> files = list_logs(run_folder);
    std::map<std::uint64_t, bool> ended;
    std::string run_id;
    for (const FileName& name : files) {  // the last file of a writer decides
        const auto glance = glance_at_writer(run_folder, name.writer, name.number);
        if (!glance.ok() && glance.error().code == ErrorCode::Corrupt) {
            continue;  // no log: it stays, and verify names it
        }
        if (!glance.ok()) {
            return glance.error();
        }
        run_id = glance->identity.run_id;
        ended[name.writer] = glance->finished ||
                             !writer_is_alive(run_folder, glance->identity, glance->last_sign_ns);
    }
    std::vector<std::string> logs;
    for (const FileName& name : files) {
        const std::string url = url_of(run_folder, name.writer, name.number);
        const auto info = io::stat(url);
        if (info.ok() && ended[name.writer] && !covers(run_folder, manifest, name, url)) {
            logs.push_back(url);
        }
    }
    sweep_remains(run_folder);
    return seal_logs(run_folder, run_id, logs, options, go_on, portion_bytes);
}

Result<seal::SealReport> seal_finished(const std::string& run_folder,
                                       const seal::SealOptions& options) {
    TAFFRAIL_ASSIGN(SealProgress progress, seal_while(run_folder, [] { return true; }, options));
    return std::move(progress.report);
}

Result<SealProgress> seal_rolled(const std::string& run_folder, const std::string& run_id,
                                 std::uint64_t writer, const GoOn& go_on) {
    const Manifest manifest = read_manifest(run_folder).value_or(Manifest{});
    std::vector<FileName> files = list_logs(run_folder, writer);
    std::vector<std::string> logs;
    for (std::size_t i = 0; i + 1 < files.size(); ++i) {  // the last one is being written
        const bool is_done = std::ranges::any_of(manifest.logs, [&](const seal::CoveredLog& log) {
            return log.writer == writer && log.file_number == files[i].number;
        });
        if (!is_done) {
            logs.push_back(url_of(run_folder, writer, files[i].number));
        }
    }
    if (logs.empty()) {
        return SealProgress{};
    }
    // The one behind them says whether frames of theirs stand in it again.
    std::vector<std::string> with_next = logs;
    with_next.push_back(url_of(run_folder, writer, files.back().number));
    TAFFRAIL_ASSIGN(const auto portions, seal::portion_logs(with_next, 0));
    if (portions.back().size() > 1) {
        // Frames were written twice: those logs are sealed with the rest, at the end.
        std::erase_if(logs, [&](const std::string& log) {
            return std::ranges::find(portions.back(), log) != portions.back().end();
        });
    }
    return seal_logs(run_folder, run_id, logs, {}, go_on, kPortionBytes);
}

Result<std::optional<seal::SealReport>> reseal_damaged(const std::string& run_folder,
                                                       const seal::SealOptions& options) {
    TAFFRAIL_TRY(check_writable(run_folder));
    auto manifest = read_manifest(run_folder);
    if (!manifest) {
        return std::optional<seal::SealReport>();
    }
    const std::vector<const seal::SealedFileInfo*> damaged = damaged_files(run_folder, *manifest);
    if (damaged.empty()) {
        return std::optional<seal::SealReport>();
    }
    const auto cannot = [&](std::string_view why) {
        return Error{ErrorCode::Corrupt, fmt::format("{} is damaged and cannot be sealed anew: {}",
                                                     damaged.front()->name, why)};
    };
    std::vector<std::string> logs;
    std::string run_id;
    for (const seal::CoveredLog& log : manifest->logs) {
        const std::string url = url_of(run_folder, log.writer, log.file_number);
        if (!io::exists(url)) {
            continue;
        }
        if (check_covered_log(run_folder, log).size() > log.damaged_ranges) {
            return cannot(url +
                          " is damaged as well; both are kept, and readers take from each "
                          "what the other lacks");
        }
        TAFFRAIL_ASSIGN(const WriterGlance glance,
                        glance_at_writer(run_folder, log.writer, log.file_number));
        run_id = glance.identity.run_id;
        logs.push_back(url);
    }
    if (logs.size() < manifest->logs.size()) {
        return cannot("its logs are gone; what is left of it stays readable");
    }
    TAFFRAIL_ASSIGN(seal::SealReport report, seal::seal_run(run_folder, logs, options));
    const std::vector<seal::SealedFileInfo> before = std::exchange(manifest->files, {});
    take_up(*manifest, report);
    TAFFRAIL_TRY(write_manifest(run_folder, run_id, *manifest));
    for (const seal::SealedFileInfo& old : before) {
        if (std::ranges::find(manifest->files, old.name, &seal::SealedFileInfo::name) ==
            manifest->files.end()) {
            (void)io::remove_inside(run_folder,
                                    io::join(io::join(run_folder, kDataFolder), old.name));
        }
    }
    return std::optional(std::move(report));
}

Result<SpareLogs> find_spare_logs(const std::string& run_folder, std::chrono::nanoseconds grace,
                                  std::int64_t now_ns) {
    SpareLogs spare;
    const auto manifest = read_manifest(run_folder);
    const std::int64_t now = now_ns != 0 ? now_ns : wall_time_ns();
    if (!manifest || now - manifest->time_ns < grace.count() || sinks_may_read(run_folder)) {
        return spare;
    }
    for (const FileName& name : list_logs(run_folder)) {
        const std::string url = url_of(run_folder, name.writer, name.number);
        const auto info = io::stat(url);
        if (info.ok() && covers(run_folder, *manifest, name, url)) {
            spare.urls.push_back(url);
            spare.bytes += info->size;
        }
    }
    if (spare.urls.empty()) {
        return spare;
    }
    if (!manifest->unreadable.empty()) {
        return Error{ErrorCode::Corrupt,
                     manifest->unreadable + " cannot be read: the logs are kept"};
    }
    if (const auto damaged = damaged_files(run_folder, *manifest); !damaged.empty()) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("sealed file {} of {} is missing or damaged: the logs are kept; "
                                 "`taffrail seal` writes it anew from them",
                                 damaged.front()->name, run_folder)};
    }
    return spare;
}

Result<std::uint64_t> drop_sealed_logs(const std::string& run_folder,
                                       std::chrono::nanoseconds grace, std::int64_t now_ns) {
    TAFFRAIL_TRY(check_writable(run_folder));
    TAFFRAIL_ASSIGN(const SpareLogs spare, find_spare_logs(run_folder, grace, now_ns));
    for (const std::string& url : spare.urls) {
        TAFFRAIL_TRY(io::remove_inside(run_folder, url));
    }
    return spare.bytes;
}

}  // namespace taffrail::store
