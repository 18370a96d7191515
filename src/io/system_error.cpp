#include "io/system_error.h"

#include <sys/resource.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace taffrail::io {
namespace {

ErrorCode code_of(int error_number) noexcept {
    switch (error_number) {
        case ENOENT:
        case ENOTDIR:
            return ErrorCode::NotFound;
        case EEXIST:
        case ENOTEMPTY:
            return ErrorCode::AlreadyExists;
        case EACCES:
        case EPERM:
        case EROFS:
            return ErrorCode::PermissionDenied;
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
            return ErrorCode::NoSpace;
        case ENAMETOOLONG:
        case EINVAL:
        case EISDIR:
            return ErrorCode::InvalidArgument;
        case ENOSYS:
        case EOPNOTSUPP:
            return ErrorCode::Unsupported;
        default:
            return ErrorCode::Io;
    }
}

// The number tells whether it is this process or a shell with a low limit.
std::string too_many_files() {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    return "; this process may have " + std::to_string(files.rlim_cur) +
           " files open at once: raise that limit (ulimit -n)";
}

std::string remedy(int error_number) {
    switch (error_number) {
        case ENOSPC:
            return "; free some space on that file system";
        case EDQUOT:
            return "; the disk quota is used up: free some space or raise it";
        case EACCES:
        case EPERM:
            return "; check the permissions of the folder or choose another one with TAFFRAIL_DIR";
        case EROFS:
            return "; the file system is read-only: choose another folder with TAFFRAIL_DIR";
        case EMFILE:
            return too_many_files();
        case ENFILE:
            return "; the machine has no more open files to give: close programs or raise "
                   "fs.file-max";
        default:
            return "";
    }
}

}  // namespace

Error system_error(std::string_view what, std::string_view path, int error_number) {
    std::string message = "cannot ";
    message += what;
    message += ' ';
    message += path;
    message += ": ";
    message += std::generic_category().message(error_number);
    message += remedy(error_number);
    return {code_of(error_number), std::move(message)};
}

}  // namespace taffrail::io
