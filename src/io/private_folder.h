// Folders that belong to one user.
//
// What is made elsewhere (io/files.h) is open to those that the folder around it is open to, less
// the umask: in a folder that a lab shares, files are shared, and in a private one they are
// private.
#pragma once

#include <taffrail/result.h>

#include <string>
#include <string_view>

namespace taffrail::io {

/// Makes a folder for its owner alone (0700), and those above it as usual. One that is there
/// keeps its rights.
Result<void> make_private_directories(std::string_view url);

/// A new private folder below TMPDIR (or /tmp), under a name that nobody could know before.
Result<std::string> make_temporary_folder(std::string_view prefix);

/// Fails unless `path` is a folder, not a link, that belongs to this user and that nobody else can
/// write to: what somebody else made in a public place under a name of ours.
Result<void> check_own_folder(const std::string& path);

}  // namespace taffrail::io
