#include "store/profile_files.h"

#include "base/crc32c.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "store/layout.h"
#include "store/manifest.h"

#include <algorithm>
#include <span>

namespace taffrail::store {

namespace {

constexpr std::size_t kPiece = 1u << 20;

std::string path_of(const std::string& run_folder, std::string_view name) {
    return io::join(io::join(run_folder, kProfilesFolder), name);
}

// Plain files only: a run may come from a stranger.
std::vector<std::string> profile_names(const std::string& run_folder) {
    std::vector<std::string> names;
    const auto entries = io::list_inside(run_folder, io::join(run_folder, kProfilesFolder));
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        if (entry.type == io::EntryType::File && io::is_plain_name(entry.name)) {
            names.push_back(entry.name);
        }
    }
    return names;
}

/// Calls each(piece) for the first `bytes` bytes; how many there were.
template <typename Each>
Result<std::uint64_t> read_pieces(io::File& file, std::uint64_t bytes, Each&& each) {
    Bytes window(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, bytes)));
    std::uint64_t at = 0;
    while (at < bytes) {
        const auto wanted =
            static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), bytes - at));
        TAFFRAIL_ASSIGN(const std::size_t got, file.read_at(at, std::span(window).first(wanted)));
        if (got == 0) {
            break;
        }
        TAFFRAIL_TRY(each(ByteSpan(window).first(got)));
        at += got;
    }
    return at;
}

Result<ProfileFileInfo> sum_of(const std::string& run_folder, const std::string& name,
                               std::uint64_t most) {
    TAFFRAIL_ASSIGN(const auto file,
                    io::open_inside(run_folder, path_of(run_folder, name), io::OpenMode::Read));
    ProfileFileInfo info{name, 0, 0};
    TAFFRAIL_ASSIGN(info.bytes, read_pieces(*file, most, [&](ByteSpan piece) -> Result<void> {
                        info.crc = crc32c(piece, info.crc);
                        return {};
                    }));
    return info;
}

}  // namespace

std::vector<ProfileFileInfo> list_profile_files(const std::string& run_folder) {
    std::vector<ProfileFileInfo> files;
    for (const std::string& name : profile_names(run_folder)) {
        if (name.ends_with(".tprof")) {
            if (auto info = sum_of(run_folder, name, UINT64_MAX); info.ok()) {
                files.push_back(*std::move(info));
            }
        }
    }
    return files;
}

std::vector<Damage> check_listed_profiles(const std::string& run_folder, const Manifest& manifest) {
    std::vector<Damage> damage;
    for (const ProfileFileInfo& listed : manifest.profiles) {
        const std::string path = path_of(run_folder, listed.name);
        const auto found = sum_of(run_folder, listed.name, listed.bytes);
        if (!found.ok()) {
            damage.push_back({path, 0, listed.bytes, 0, 0, found.error().message});
        } else if (found->bytes < listed.bytes) {
            damage.push_back(
                {path, found->bytes, listed.bytes - found->bytes, 0, 0, "the file ends early"});
        } else if (found->crc != listed.crc) {
            damage.push_back(
                {path, 0, listed.bytes, 0, 0, "its bytes are not those that the manifest lists"});
        }
    }
    return damage;
}

Result<void> copy_profile_files(const std::string& from_run, const std::string& to_run) {
    for (const std::string& name : profile_names(from_run)) {
        if (name.ends_with(".open")) {
            continue;
        }
        TAFFRAIL_ASSIGN(const auto from,
                        io::open_inside(from_run, path_of(from_run, name), io::OpenMode::Read));
        TAFFRAIL_TRY(io::make_directories(io::join(to_run, kProfilesFolder)));
        TAFFRAIL_ASSIGN(const auto to,
                        io::open_inside(to_run, path_of(to_run, name), io::OpenMode::Truncate));
        TAFFRAIL_ASSIGN(
            [[maybe_unused]] const std::uint64_t copied,
            read_pieces(*from, UINT64_MAX, [&](ByteSpan piece) { return to->append(piece); }));
    }
    return {};
}

}  // namespace taffrail::store
