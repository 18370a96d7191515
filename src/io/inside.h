// Files inside a folder that may come from somebody else: a run folder, a logdir.
//
// The folder is taken as given: people link whole run folders into one place to compare them. What
// lies inside it must be an ordinary file whose real path is below the folder's real path: devices,
// named pipes and links that lead out are refused. Nothing is written or deleted through a link.
// Every file of a run folder or logdir is opened here.
#pragma once

#include "io/file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::io {

/// `url` names a file inside `folder`, as join(folder, name) does; for reading, names that only
/// turn out to lie inside ("folder/../folder/x", another spelling of it) are fine too. Never waits
/// for a named pipe. Fails with PermissionDenied and the reason when the file is not one to open.
Result<std::unique_ptr<File>> open_inside(std::string_view folder, std::string_view url,
                                          OpenMode mode = OpenMode::Read);
/// Of a file or folder inside `folder`, or of the folder itself.
Result<FileInfo> stat_inside(std::string_view folder, std::string_view url);
/// False also for what open_inside() would refuse.
bool exists_inside(std::string_view folder, std::string_view url);
/// Sorted by name. Links that lead out are listed as EntryType::Other.
Result<std::vector<DirectoryEntry>> list_inside(std::string_view folder, std::string_view url);
/// A whole file; one of more than `limit` bytes is refused unread.
Result<Bytes> read_inside(std::string_view folder, std::string_view url,
                          std::uint64_t limit = UINT64_MAX);
/// A file or an empty folder. A link is removed, not what it leads to; one on the way, or a folder
/// that is one itself, is refused.
Result<void> remove_inside(std::string_view folder, std::string_view url);

/// True for a link, whatever it leads to.
bool is_link(std::string_view url);

/// A name for use in join(folder, name) that came out of a file: not empty, no '/', no leading '.',
/// no control characters.
bool is_plain_name(std::string_view name) noexcept;

}  // namespace taffrail::io
