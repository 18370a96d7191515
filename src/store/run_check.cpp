#include "store/run_check.h"

#include "io/files.h"
#include "seal/file_check.h"
#include "store/frame_file.h"
#include "store/layout.h"

#include <fmt/core.h>

#include <algorithm>

namespace taffrail::store {
namespace {

std::string sealed_path(const std::string& run_folder, const seal::SealedFileInfo& file) {
    return io::join(io::join(run_folder, kDataFolder), file.name);
}

}  // namespace

std::vector<Damage> check_covered_log(const std::string& run_folder, const seal::CoveredLog& log) {
    const std::string url =
        io::join(io::join(run_folder, kLiveFolder), log_name(log.writer, log.file_number));
    std::vector<Damage> found;
    if (!io::exists(url)) {
        return found;
    }
    FrameFile file(run_folder, url);
    const auto polled = file.poll(
        [](const FrameFile::Frame&) { return true; },
        [&](const tlog::DamagedRange& range) {
            if (range.offset < log.bytes) {
                found.push_back({url, range.offset, range.length, 0, 0, std::string(range.reason)});
            }
        });
    if (!polled.ok()) {
        found.push_back({url, 0, log.bytes, 0, 0, polled.error().message});
    } else if (file.offset() < log.bytes) {
        found.push_back(
            {url, file.offset(), log.bytes - file.offset(), 0, 0,
             file.size() < log.bytes ? "the file ends early" : "bytes that are no frame"});
    }
    return found;
}

std::vector<const seal::SealedFileInfo*> damaged_files(const std::string& run_folder,
                                                       const Manifest& manifest) {
    std::vector<const seal::SealedFileInfo*> damaged;
    for (const seal::SealedFileInfo& file : manifest.files) {
        if (file.crc_is_known && !seal::is_whole(sealed_path(run_folder, file), file)) {
            damaged.push_back(&file);
        }
    }
    return damaged;
}

std::vector<Damage> check_run_files(const std::string& run_folder) {
    std::vector<Damage> all;
    const auto manifest = read_manifest(run_folder);
    if (!manifest) {
        return all;
    }
    if (!manifest->unreadable.empty()) {
        all.push_back({manifest->unreadable, 0, 0, 0, 0,
                       "this manifest cannot be read; the files in data/ are taken as they are"});
    }
    for (const std::string& url : damaged_manifests(run_folder)) {
        if (url != manifest->unreadable) {
            all.push_back({url, 0, 0, 0, 0,
                           "this manifest is damaged; what it says of the files is not, or stands "
                           "in a newer one"});
        }
    }
    const std::size_t manifests = all.size();
    for (const seal::SealedFileInfo& file : manifest->files) {
        if (file.crc_is_known) {
            for (Damage& damage : seal::check_file(sealed_path(run_folder, file), file)) {
                all.push_back(std::move(damage));
            }
        }
    }
    const std::size_t sealed = all.size();
    for (Damage& damage : check_listed_profiles(run_folder, *manifest)) {
        all.push_back(std::move(damage));
    }
    const bool sealed_is_whole = sealed == manifests && manifest->unreadable.empty();
    for (const seal::CoveredLog& log : manifest->logs) {
        std::vector<Damage> found = check_covered_log(run_folder, log);
        for (Damage& damage : found) {
            damage.reason += found.size() <= log.damaged_ranges ? "; it was so when it was sealed"
                             : sealed_is_whole ? "; the sealed files hold what stood here"
                                               : "";
            all.push_back(std::move(damage));
        }
    }
    return all;
}

std::vector<std::string> find_stray_folders(const std::string& root) {
    std::vector<std::string> strays;
    const std::string runs = io::join(root, kRunsFolder);
    const auto entries = io::list(runs);
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        const std::string folder = io::join(runs, entry.name);
        if (entry.type == io::EntryType::Directory && !entry.name.starts_with('.') &&
            !is_run_folder(folder)) {
            strays.push_back(folder);
        }
    }
    return strays;
}

}  // namespace taffrail::store
