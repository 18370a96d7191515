#include "io/private_folder.h"

#include "base/try.h"
#include "io/files.h"
#include "io/local.h"
#include "io/system_error.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace taffrail::io {

Result<void> make_private_directories(std::string_view url) {
    TAFFRAIL_ASSIGN(const Location where, locate(url));
    if (auto* const linked = dynamic_cast<LinkedFileSystem*>(where.file_system.get())) {
        return linked->make_private_directories(where.path);
    }
    return where.file_system->make_directories(where.path);
}

Result<std::string> make_temporary_folder(std::string_view prefix) {
    const char* base = std::getenv("TMPDIR");
    std::string path = join(base != nullptr && *base != '\0' ? base : "/tmp", prefix) + "XXXXXX";
    if (mkdtemp(path.data()) == nullptr) {  // 0700, and never a name that is taken
        return system_error("make a temporary folder", path, errno);
    }
    return path;
}

Result<void> check_own_folder(const std::string& path) {
    struct stat known{};
    if (::lstat(path.c_str(), &known) != 0) {
        return system_error("look at", path, errno);
    }
    if (!S_ISDIR(known.st_mode) || known.st_uid != geteuid() || (known.st_mode & 0022) != 0) {
        return Error{ErrorCode::PermissionDenied,
                     "will not use " + path + ": it is " +
                         (!S_ISDIR(known.st_mode)     ? "not a folder"
                          : known.st_uid != geteuid() ? "another user's"
                                                      : "open to other users") +
                         "; remove it"};
    }
    return {};
}

}  // namespace taffrail::io
