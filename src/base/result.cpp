#include <taffrail/result.h>

namespace taffrail {

std::string_view to_string(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::InvalidArgument:
            return "InvalidArgument";
        case ErrorCode::NotFound:
            return "NotFound";
        case ErrorCode::AlreadyExists:
            return "AlreadyExists";
        case ErrorCode::PermissionDenied:
            return "PermissionDenied";
        case ErrorCode::Unsupported:
            return "Unsupported";
        case ErrorCode::Corrupt:
            return "Corrupt";
        case ErrorCode::NoSpace:
            return "NoSpace";
        case ErrorCode::Io:
            return "Io";
        case ErrorCode::Unavailable:
            return "Unavailable";
        case ErrorCode::Timeout:
            return "Timeout";
        case ErrorCode::Closed:
            return "Closed";
        case ErrorCode::Internal:
            return "Internal";
    }
    return "Unknown";
}

}  // namespace taffrail
