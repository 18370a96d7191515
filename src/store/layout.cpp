#include "store/layout.h"

#include "base/names.h"
#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "io/private_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace taffrail::store {
namespace {

constexpr int kFormatMajor = 1;
constexpr std::size_t kWriterDigits = 16;

template <typename T>
bool parse_whole(std::string_view text, T& value, int base) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::optional<FileName> parse_name(std::string_view name, std::string_view extension) {
    FileName parsed;
    if (!name.ends_with(extension) || name.size() < kWriterDigits + 2 + extension.size() ||
        name[kWriterDigits] != '-') {
        return std::nullopt;
    }
    const std::string_view number =
        name.substr(kWriterDigits + 1, name.size() - kWriterDigits - 1 - extension.size());
    if (!parse_whole(name.substr(0, kWriterDigits), parsed.writer, 16) ||
        !parse_whole(number, parsed.number, 10)) {
        return std::nullopt;
    }
    return parsed;
}

template <typename Parse>
std::vector<FileName> list_names(const std::string& folder, Parse parse) {
    std::vector<FileName> names;
    if (const auto entries = io::list_inside(io::parent(folder), folder); entries.ok()) {
        for (const io::DirectoryEntry& entry : *entries) {
            if (const auto parsed = parse(entry.name)) {
                names.push_back(*parsed);
            }
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

std::string log_name(std::uint64_t writer, std::uint32_t number) {
    return fmt::format("{:016x}-{:05}.tlog", writer, number);
}

std::string pack_name(std::uint64_t writer, std::uint32_t number) {
    return fmt::format("{:016x}-{:05}.tpak", writer, number);
}

std::string meta_name(std::uint64_t writer) {
    return fmt::format("{:016x}.tlog", writer);
}

std::optional<FileName> parse_log_name(std::string_view name) {
    return parse_name(name, ".tlog");
}

std::optional<FileName> parse_pack_name(std::string_view name) {
    return parse_name(name, ".tpak");
}

std::optional<std::uint64_t> parse_meta_name(std::string_view name) {
    std::uint64_t writer = 0;
    if (name.size() != kWriterDigits + 5 || !name.ends_with(".tlog") ||
        !parse_whole(name.substr(0, kWriterDigits), writer, 16)) {
        return std::nullopt;
    }
    return writer;
}

std::optional<std::uint64_t> writer_of_rest_log(std::string_view name) {
    constexpr std::string_view kPrefix = "rest-";
    std::uint64_t writer = 0;
    if (!name.starts_with(kPrefix) || !name.ends_with(".tlog") ||
        name.size() < kPrefix.size() + kWriterDigits ||
        !parse_whole(name.substr(kPrefix.size(), kWriterDigits), writer, 16)) {
        return std::nullopt;
    }
    return writer;
}

std::vector<FileName> list_logs(const std::string& run_folder,
                                std::optional<std::uint64_t> writer) {
    std::vector<FileName> names = list_names(io::join(run_folder, kLiveFolder), parse_log_name);
    if (writer) {
        std::erase_if(names, [writer](const FileName& name) { return name.writer != *writer; });
    }
    return names;
}

std::vector<FileName> newest_of_each(const std::vector<FileName>& logs) {
    std::vector<FileName> newest;
    for (const FileName& log : logs) {
        if (newest.empty() || newest.back().writer != log.writer) {
            newest.push_back(log);
        } else {
            newest.back() = log;
        }
    }
    return newest;
}

std::vector<FileName> list_packs(const std::string& run_folder) {
    return list_names(io::join(run_folder, kPackFolder), parse_pack_name);
}

std::uint64_t folder_print(const std::string& folder) {
    const auto info = io::stat(folder);
    if (!info.ok()) {
        return 0;
    }
    const auto entries = io::list(folder);
    const std::uint64_t count = entries.ok() ? entries->size() : 0;
    return static_cast<std::uint64_t>(info->modified_ns) * 31 + count + 1;
}

std::string_view id_of_folder(std::string_view folder_name) {
    return folder_name.substr(0, folder_name.find('-'));
}

bool is_root(const std::string& path) {
    return io::exists(io::join(path, kMarkerName));
}

bool is_run_folder(const std::string& path) {
    const auto any = [&](std::string_view folder, auto is_ours) {
        const auto entries = io::list(folder.empty() ? path : io::join(path, folder));
        return entries.ok() && std::ranges::any_of(*entries, [&](const io::DirectoryEntry& entry) {
                   return static_cast<bool>(is_ours(std::string_view(entry.name)));
               });
    };
    return any(kLiveFolder, parse_log_name) ||
           any("", [](std::string_view name) { return name.starts_with(kManifestPrefix); }) ||
           any(kDataFolder, writer_of_rest_log) || any(kMetaFolder, parse_meta_name) ||
           any(kRingFolder, [](std::string_view) { return true; });
}

Result<void> make_root(const std::string& root) {
    const std::string marker = io::join(root, kMarkerName);
    const auto text = io::read_inside(root, marker, 4096);
    if (text.ok()) {
        const std::vector<std::string_view> words = split(trim(as_text(*text)), ' ');
        const auto major = words.size() > 1 ? parse_int(words[1]) : std::nullopt;
        if (major && *major > kFormatMajor) {
            return Error{
                ErrorCode::Unsupported,
                fmt::format("{} has format {}, this version of taffrail knows {}: use a newer "
                            "one, or another folder",
                            root, *major, kFormatMajor)};
        }
        return {};
    }
    if (const auto info = io::stat(root); info.ok() && info->type != io::EntryType::Directory) {
        return Error{
            ErrorCode::InvalidArgument,
            fmt::format("{} is a file: runs need a folder; remove the file or name another "
                        "place (RunOptions::root, --root DIR or TAFFRAIL_DIR)",
                        root)};
    }
    // A new store is its owner's; in one that is there, or in a folder made for it, what is written
    // follows that folder's rights.
    TAFFRAIL_TRY(io::make_private_directories(root));
    TAFFRAIL_TRY(io::make_directories(io::join(root, kRunsFolder)));
    const std::string content =
        fmt::format("taffrail {} {:016x}{:016x}\n", kFormatMajor, random_u64(), random_u64());
    return io::write_file_atomically(marker, as_bytes(content), false);
}

Result<void> check_writable(const std::string& run_folder) {
    std::vector<std::string> parts{run_folder};
    for (const std::string_view part : {kLiveFolder, kMetaFolder, kPackFolder, kDataFolder,
                                        kRingFolder, kCursorFolder, kProfilesFolder}) {
        parts.push_back(io::join(run_folder, part));
    }
    for (const std::string& part : parts) {
        if (io::is_link(part)) {
            return Error{ErrorCode::PermissionDenied,
                         fmt::format("{} is a link: runs are read through links, never changed; "
                                     "name the place it leads to",
                                     part)};
        }
    }
    return {};
}

Result<std::string> make_run_folder(const std::string& root, std::string_view id,
                                    std::string_view name, IdIs id_is) {
    TAFFRAIL_TRY(make_root(root));
    if (id_is == IdIs::Given && find_run_folder(root, id).ok()) {
        return Error{
            ErrorCode::AlreadyExists,
            fmt::format("run {} exists in {}: resume it (RunOptions::resume) or leave the id empty",
                        id, root)};
    }
    std::string folder_name(id);
    if (const std::string safe = folder_safe(name); !safe.empty()) {
        folder_name += '-';
        folder_name += safe;
    }
    const std::string folder = io::join(io::join(root, kRunsFolder), folder_name);
    TAFFRAIL_TRY(io::make_directories(io::join(folder, kLiveFolder)));
    return folder;
}

Result<std::string> find_run_folder(const std::string& root, std::string_view id) {
    const std::string runs = io::join(root, kRunsFolder);
    if (const auto entries = io::list(runs); entries.ok()) {
        for (const io::DirectoryEntry& entry : *entries) {
            if (entry.type == io::EntryType::Directory && id_of_folder(entry.name) == id) {
                return io::join(runs, entry.name);
            }
        }
    }
    return Error{ErrorCode::NotFound,
                 fmt::format("no run {} in {}: `taffrail ls {}` lists them", id, root, root)};
}

}  // namespace taffrail::store
