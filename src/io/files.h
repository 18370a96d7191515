// File access by URL: the functions other layers call. Each finds the file system of the path's
// scheme.
#pragma once

#include "io/file.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::io {

/// A file system and the path inside it.
struct Location {
    std::shared_ptr<FileSystem> file_system;
    std::string path;
};

/// Splits "scheme://rest"; a path without a scheme is local. Unknown schemes fail with the known
/// ones listed.
Result<Location> locate(std::string_view url);
/// Adds or replaces a scheme. Thread-safe.
void register_file_system(std::string scheme, std::shared_ptr<FileSystem> file_system);

Result<std::unique_ptr<File>> open(std::string_view url, OpenMode mode);
Result<FileInfo> stat(std::string_view url);
bool exists(std::string_view url);
Result<std::vector<DirectoryEntry>> list(std::string_view url);
Result<void> make_directories(std::string_view url);
Result<void> rename(std::string_view from, std::string_view to);
/// AlreadyExists where somebody has the name.
Result<void> rename_new(std::string_view from, std::string_view to);
Result<void> remove(std::string_view url);
/// Everything below it too; fine when it does not exist.
Result<void> remove_tree(std::string_view url);
Result<void> sync_directory(std::string_view url);
Result<bool> is_locked(std::string_view url);
bool is_local(std::string_view url);
Result<void> set_modified(std::string_view url, std::int64_t time_ns);

/// The whole file.
Result<Bytes> read_file(std::string_view url);
Result<std::string> read_text(std::string_view url);
/// Readers see the old content or the new one, never a part: temporary file, sync, rename.
/// `durable` = false leaves the sync out (safe against the death of the process, not against power
/// loss).
Result<void> write_file_atomically(std::string_view url, ByteSpan bytes, bool durable = true);
/// The same for a name that nobody has: AlreadyExists for all but one of those who try.
Result<void> write_new_file_atomically(std::string_view url, ByteSpan bytes);

/// "a" + "b" → "a/b"; keeps a scheme.
std::string join(std::string_view folder, std::string_view name);
/// The part before the last '/', "." when there is none.
std::string parent(std::string_view url);

}  // namespace taffrail::io
