#include "io/beneath.h"

#include "base/try.h"
#include "io/local_file.h"
#include "io/system_error.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

namespace taffrail::io {
namespace {

std::string_view without_slashes(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') {
        path.remove_suffix(1);
    }
    return path;
}

// The part of `path` behind `folder`, empty for the folder itself; nothing when the names alone do
// not show that it is below.
std::optional<std::string_view> name_below(std::string_view folder, std::string_view path) {
    folder = without_slashes(folder);
    path = without_slashes(path);
    if (!path.starts_with(folder)) {
        return std::nullopt;
    }
    path.remove_prefix(folder.size());
    if (!path.empty() && path.front() != '/' && folder.back() != '/') {
        return std::nullopt;
    }
    while (path.starts_with('/')) {
        path.remove_prefix(1);
    }
    std::string_view rest = path;
    while (!rest.empty()) {
        const std::size_t slash = rest.find('/');
        const std::string_view part = rest.substr(0, slash);
        if (part == "." || part == "..") {
            return std::nullopt;
        }
        rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    }
    return path;
}

Result<std::string> real_path(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
    if (real == nullptr) {
        return system_error("follow", path, errno);
    }
    return std::string(real.get());
}

// A link in the way: for the caller to resolve or to refuse.
struct LinkMet {};

using Walked = std::variant<Beneath, Error, LinkMet>;

Walked walk(const std::string& folder, std::string_view below, const std::string& path,
            Links links) {
    int at = retrying([&] { return ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); });
    if (at < 0) {
        return system_error("open", folder, errno);
    }
    while (true) {
        while (below.starts_with('/')) {
            below.remove_prefix(1);
        }
        const std::size_t slash = below.find('/');
        const std::string name(below.empty() ? std::string_view(".") : below.substr(0, slash));
        struct stat known{};
        if (::fstatat(at, name.c_str(), &known, AT_SYMLINK_NOFOLLOW) != 0) {
            const int error = errno;
            if (error == ENOENT && slash == std::string_view::npos) {
                return Beneath(at, name, {});
            }
            ::close(at);
            return system_error("open", path, error);
        }
        const bool last = slash == std::string_view::npos;
        if (S_ISLNK(known.st_mode) && !(last && links == Links::Last)) {
            ::close(at);
            return LinkMet{};
        }
        if (last) {
            return Beneath(at, name, known);
        }
        const int next = retrying([&] {
            return ::openat(at, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        });
        const int error = errno;
        ::close(at);
        if (next < 0) {
            return system_error("open", path, error);
        }
        at = next;
        below.remove_prefix(slash + 1);
    }
}

Error link_in_the_way(const std::string& path) {
    return {ErrorCode::PermissionDenied,
            "cannot change " + path +
                ": it is a link, or lies behind one, and nothing is written or deleted through "
                "links; name the place it leads to"};
}

}  // namespace

Beneath::~Beneath() {
    if (folder_ >= 0) {
        ::close(folder_);
    }
}

Result<Beneath> find_beneath(const std::string& folder, const std::string& path, Links links) {
    const auto below = name_below(folder, path);
    if (links != Links::Inside) {
        if (!below) {
            return Error{ErrorCode::InvalidArgument,
                         "cannot change " + path + ": it is not inside " + folder};
        }
        if (is_link(folder)) {
            return link_in_the_way(path);
        }
    }
    if (below) {
        Walked walked = walk(folder, *below, path, links);
        if (auto* found = std::get_if<Beneath>(&walked)) {
            return std::move(*found);
        }
        if (auto* error = std::get_if<Error>(&walked)) {
            return std::move(*error);
        }
        if (links != Links::Inside) {
            return link_in_the_way(path);
        }
    }
    // A link, or a name like "../x": allowed when it ends inside after all. The real name has no
    // links, and is walked again without following any: one put there in the meantime is refused.
    TAFFRAIL_ASSIGN(const std::string real_folder, real_path(folder));
    TAFFRAIL_ASSIGN(const std::string real, real_path(path));
    const auto inside = name_below(real_folder, real);
    if (!inside) {
        return Error{ErrorCode::PermissionDenied,
                     "will not read " + path + ": it leads to " + real + ", outside " + folder +
                         "; only files inside that folder belong to it"};
    }
    Walked walked = walk(real_folder, *inside, path, links);
    if (auto* found = std::get_if<Beneath>(&walked)) {
        return std::move(*found);
    }
    if (auto* error = std::get_if<Error>(&walked)) {
        return std::move(*error);
    }
    return Error{ErrorCode::PermissionDenied, "will not read " + path + ": it is being changed"};
}

bool is_link(const std::string& path) noexcept {
    struct stat known{};
    // "x/" would be looked up as the folder behind the link "x".
    return ::lstat(std::string(without_slashes(path)).c_str(), &known) == 0 &&
           S_ISLNK(known.st_mode);
}

}  // namespace taffrail::io
