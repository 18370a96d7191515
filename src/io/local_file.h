// An open file of this machine, made from a descriptor, and what every caller of system calls
// needs.
#pragma once

#include "io/file.h"
#include "io/posix_calls.h"

#include <cerrno>
#include <memory>
#include <string>

namespace taffrail::io {

// Calls that are interrupted are made again. close() is not among them: on Linux the descriptor is
// gone either way.
template <typename Call>
auto retrying(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) {
        result = call();
    }
    return result;
}

FileInfo to_info(const struct stat& from) noexcept;

/// Takes the descriptor, also when it fails. A folder is refused; other things that are not regular
/// files as well where `regular` asks for it.
Result<std::unique_ptr<File>> make_local_file(std::string path, int descriptor, bool regular,
                                              std::shared_ptr<PosixCalls> calls);

/// "cannot open x: it is a named pipe, not a file; …".
Error not_a_file(const std::string& path, mode_t mode);

}  // namespace taffrail::io
