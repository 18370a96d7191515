#include "io/remove_tree.h"

#include "base/try.h"
#include "io/local_file.h"
#include "io/system_error.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string_view>
#include <vector>

namespace taffrail::io {
namespace {

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

Result<std::vector<std::string>> names_in(DIR* folder, const std::string& path) {
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = readdir(folder)) {
        if (const std::string_view name = entry->d_name; name != "." && name != "..") {
            names.emplace_back(name);
        }
        errno = 0;
    }
    if (errno != 0) {
        return system_error("list", path, errno);
    }
    return names;
}

// Each folder is opened from the one above it without following links, and emptied through that
// descriptor: a folder swapped for a link meanwhile is not entered.
Result<void> remove_in(PosixCalls& calls, int above, const std::string& name,
                       const std::string& path) {
    if (calls.unlink_at(above, name.c_str(), 0, path.c_str()) == 0 || errno == ENOENT) {
        return {};
    }
    if (errno != EISDIR && errno != EPERM) {
        return system_error("remove", path, errno);
    }
    const int refused = errno;
    const int descriptor = retrying([&] {
        return ::openat(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    });
    if (descriptor < 0) {
        return system_error("remove", path, errno == ENOTDIR ? refused : errno);
    }
    const Folder folder(fdopendir(descriptor), closedir);
    if (folder == nullptr) {
        const int error = errno;
        ::close(descriptor);
        return system_error("list", path, error);
    }
    TAFFRAIL_ASSIGN(const auto names, names_in(folder.get(), path));
    for (const std::string& inner : names) {
        TAFFRAIL_TRY(remove_in(calls, descriptor, inner, path + '/' + inner));
    }
    if (::unlinkat(above, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
        return system_error("remove", path, errno);
    }
    return {};
}

}  // namespace

Result<void> remove_local_tree(PosixCalls& calls, const std::string& path) {
    // "x/" names the folder behind a link "x".
    const std::size_t end = path.find_last_not_of('/');
    if (end == std::string::npos) {
        return Error{ErrorCode::InvalidArgument, "will not remove '" + path + "' whole"};
    }
    return remove_in(calls, AT_FDCWD, path.substr(0, end + 1), path);
}

}  // namespace taffrail::io
