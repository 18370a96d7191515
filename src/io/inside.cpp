#include "io/inside.h"

#include "base/try.h"
#include "io/files.h"
#include "io/local.h"

#include <algorithm>

namespace taffrail::io {
namespace {

// Both places, on one file system; `linked` is null where there are no links.
struct Pair {
    std::shared_ptr<FileSystem> file_system;
    LinkedFileSystem* linked = nullptr;
    std::string folder, path;
};

Error not_inside(std::string_view folder, std::string_view url) {
    return {ErrorCode::PermissionDenied,
            "will not open " + std::string(url) + ": it is not inside " + std::string(folder)};
}

Result<Pair> locate_inside(std::string_view folder, std::string_view url) {
    TAFFRAIL_ASSIGN(Location above, locate(folder));
    TAFFRAIL_ASSIGN(Location below, locate(url));
    if (above.file_system != below.file_system) {
        return not_inside(folder, url);
    }
    Pair pair{below.file_system, dynamic_cast<LinkedFileSystem*>(below.file_system.get()),
              std::move(above.path), std::move(below.path)};
    if (pair.folder.empty()) {
        pair.folder = ".";
    }
    // Without links the names are all there is to it.
    if (pair.linked == nullptr && pair.path != pair.folder &&
        (!pair.path.starts_with(join(pair.folder, "")) ||
         (pair.path + '/').find("/../") != std::string::npos)) {
        return not_inside(folder, url);
    }
    return pair;
}

}  // namespace

Result<std::unique_ptr<File>> open_inside(std::string_view folder, std::string_view url,
                                          OpenMode mode) {
    TAFFRAIL_ASSIGN(const Pair at, locate_inside(folder, url));
    return at.linked != nullptr ? at.linked->open_inside(at.folder, at.path, mode)
                                : at.file_system->open(at.path, mode);
}

Result<FileInfo> stat_inside(std::string_view folder, std::string_view url) {
    TAFFRAIL_ASSIGN(const Pair at, locate_inside(folder, url));
    return at.linked != nullptr ? at.linked->stat_inside(at.folder, at.path)
                                : at.file_system->stat(at.path);
}

bool exists_inside(std::string_view folder, std::string_view url) {
    const auto known = stat_inside(folder, url);
    return known.ok() && known->type != EntryType::Other;
}

Result<std::vector<DirectoryEntry>> list_inside(std::string_view folder, std::string_view url) {
    TAFFRAIL_ASSIGN(const Pair at, locate_inside(folder, url));
    return at.linked != nullptr ? at.linked->list_inside(at.folder, at.path)
                                : at.file_system->list(at.path);
}

Result<Bytes> read_inside(std::string_view folder, std::string_view url, std::uint64_t limit) {
    TAFFRAIL_ASSIGN(const auto file, open_inside(folder, url));
    TAFFRAIL_ASSIGN(const FileInfo known, file->info());
    if (known.size > limit) {
        return Error{ErrorCode::Unsupported, "will not read " + std::string(url) + ": it has " +
                                                 std::to_string(known.size) +
                                                 " bytes, more than the " + std::to_string(limit) +
                                                 " allowed for such a file"};
    }
    // What grows while it is read is cut at the size it had.
    Bytes bytes(static_cast<std::size_t>(known.size));
    TAFFRAIL_ASSIGN(const std::size_t got, file->read_at(0, bytes));
    bytes.resize(got);
    return bytes;
}

Result<void> remove_inside(std::string_view folder, std::string_view url) {
    TAFFRAIL_ASSIGN(const Pair at, locate_inside(folder, url));
    return at.linked != nullptr ? at.linked->remove_inside(at.folder, at.path)
                                : at.file_system->remove(at.path);
}

bool is_link(std::string_view url) {
    const auto where = locate(url);
    auto* const linked =
        where.ok() ? dynamic_cast<LinkedFileSystem*>(where->file_system.get()) : nullptr;
    return linked != nullptr && linked->is_link(where->path);
}

bool is_plain_name(std::string_view name) noexcept {
    return !name.empty() && name.front() != '.' &&
           std::none_of(name.begin(), name.end(), [](char c) {
               return c == '/' || c == '\x7f' || static_cast<unsigned char>(c) < 0x20;
           });
}

}  // namespace taffrail::io
