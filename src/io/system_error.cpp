#include "io/system_error.h"

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

std::string_view remedy(int error_number) noexcept {
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
        case ENFILE:
            return "; raise the limit of open files (ulimit -n)";
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
