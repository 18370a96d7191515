// Where things lie: docs/formats/layout.md. Names only, plus making the folders.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::store {

inline constexpr std::string_view kMarkerName = "TAFFRAIL";
inline constexpr std::string_view kRunsFolder = "runs";
inline constexpr std::string_view kLiveFolder = "live";
inline constexpr std::string_view kMetaFolder = "meta";
inline constexpr std::string_view kPackFolder = "blobs";
inline constexpr std::string_view kDataFolder = "data";
inline constexpr std::string_view kRingFolder = "ring";
inline constexpr std::string_view kCursorFolder = "cursors";
inline constexpr std::string_view kProfilesFolder = "profiles";
inline constexpr std::string_view kManifestPrefix = "manifest-";

/// "<writer>-<number>.tlog", the number with at least five digits.
std::string log_name(std::uint64_t writer, std::uint32_t number);
std::string pack_name(std::uint64_t writer, std::uint32_t number);
std::string meta_name(std::uint64_t writer);

/// A file name taken apart.
struct FileName {
    std::uint64_t writer = 0;
    std::uint32_t number = 0;
    auto operator<=>(const FileName&) const = default;
};

std::optional<FileName> parse_log_name(std::string_view name);
std::optional<FileName> parse_pack_name(std::string_view name);
std::optional<std::uint64_t> parse_meta_name(std::string_view name);
/// The writer of "rest-<writer>-<suffix>.tlog", which the sealer leaves in the data folder.
std::optional<std::uint64_t> writer_of_rest_log(std::string_view name);

/// The log files of a run (of one writer, when given), by writer and number; empty when there is no
/// folder.
std::vector<FileName> list_logs(const std::string& run_folder,
                                std::optional<std::uint64_t> writer = std::nullopt);
/// Of `logs` as list_logs() gives them: the last one of each writer.
std::vector<FileName> newest_of_each(const std::vector<FileName>& logs);
std::vector<FileName> list_packs(const std::string& run_folder);

/// A number that changes when names are added to or removed from a folder; 0 when there is none.
/// Folder times alone are too coarse: two changes within one tick would look like one.
std::uint64_t folder_print(const std::string& folder);

/// "<id>" of "<id>-<name>".
std::string_view id_of_folder(std::string_view folder_name);
bool is_root(const std::string& path);
/// True when there is anything of a run: a log, a manifest, sealed files, edits, or rings.
bool is_run_folder(const std::string& path);

/// Makes the store when it is new (marker and runs folder); fine when it exists. A marker of a
/// newer major format fails.
Result<void> make_root(const std::string& root);
/// Fails with the reason when the run folder or one of its parts is a link: such a run is read, and
/// nothing in it is written, resumed, sealed or deleted from here.
Result<void> check_writable(const std::string& run_folder);
/// New: made a moment ago from time and chance, so that nobody has to look for it among all runs.
enum class IdIs : std::uint8_t { Given, New };
/// Makes the folder of a new run and its subfolders. AlreadyExists when the id is taken.
Result<std::string> make_run_folder(const std::string& root, std::string_view id,
                                    std::string_view name, IdIs id_is = IdIs::Given);
/// The folder of a run by its full id; NotFound when there is none.
Result<std::string> find_run_folder(const std::string& root, std::string_view id);

}  // namespace taffrail::store
