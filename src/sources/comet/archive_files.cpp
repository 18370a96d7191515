#include "sources/comet/archive_files.h"

#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"

#include <algorithm>

namespace taffrail::sources::comet {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr std::uint64_t kMostPacked = std::uint64_t{4} << 30;

Result<Bytes> exactly(io::File& file, std::uint64_t offset, std::uint64_t size) {
    Bytes bytes(static_cast<std::size_t>(size));
    TAFFRAIL_ASSIGN(const std::size_t got, file.read_at(offset, bytes));
    if (got != bytes.size()) {
        return Error{ErrorCode::Corrupt, "the file ends before what it should hold"};
    }
    return bytes;
}

}  // namespace

Result<std::shared_ptr<const ArchiveFiles>> ArchiveFiles::open(const std::string& path) {
    auto made = std::make_shared<ArchiveFiles>();
    TAFFRAIL_ASSIGN(const io::FileInfo info, io::stat(path));
    if (info.type == io::EntryType::Directory) {
        made->folder_ = path;
        return std::shared_ptr<const ArchiveFiles>(std::move(made));
    }
    TAFFRAIL_ASSIGN(auto opened, io::open_inside(io::parent(path), path));
    std::shared_ptr<io::File> file = std::move(opened);
    TAFFRAIL_ASSIGN(made->zip_, ZipReader::open(
                                    [file](std::uint64_t offset, std::uint64_t size) {
                                        return exactly(*file, offset, size);
                                    },
                                    info.size));
    return std::shared_ptr<const ArchiveFiles>(std::move(made));
}

Result<Bytes> ArchiveFiles::read(std::string_view name, std::uint64_t limit) const {
    if (!zip_) {
        if (!io::is_plain_name(name)) {
            return Error{ErrorCode::PermissionDenied,
                         "'" + std::string(name) + "' is no file here"};
        }
        return io::read_inside(folder_, io::join(folder_, name), limit);
    }
    const ZipEntry* entry = zip_->find(name);
    if (entry == nullptr) {
        return Error{ErrorCode::NotFound, "'" + std::string(name) + "' is not in the archive"};
    }
    return zip_->read(*entry, limit);
}

std::optional<std::uint64_t> ArchiveFiles::size_of(std::string_view name) const {
    if (zip_) {
        const ZipEntry* entry = zip_->find(name);
        return entry != nullptr ? std::optional(entry->size) : std::nullopt;
    }
    const auto info = io::is_plain_name(name)
                          ? io::stat_inside(folder_, io::join(folder_, name))
                          : Result<io::FileInfo>(Error{ErrorCode::NotFound, ""});
    return info.ok() && info->type == io::EntryType::File ? std::optional(info->size)
                                                          : std::nullopt;
}

Result<void> ArchiveFiles::for_each_line(
    std::string_view name, const std::function<void(std::string_view, std::uint64_t)>& visit,
    std::uint64_t& too_long) const {
    std::function<Result<Bytes>(std::uint64_t, std::uint64_t)> piece_at;
    std::uint64_t size = 0;
    Bytes whole;
    std::shared_ptr<io::File> file;
    const ZipEntry* entry = zip_ ? zip_->find(name) : nullptr;
    if (zip_ && (entry == nullptr || entry->method != 0)) {
        TAFFRAIL_ASSIGN(whole, read(name, kMostPacked));
        size = whole.size();
        piece_at = [&whole](std::uint64_t offset, std::uint64_t bytes) -> Result<Bytes> {
            const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(offset);
            return Bytes(begin, begin + static_cast<std::ptrdiff_t>(bytes));
        };
    } else if (zip_) {
        size = entry->size;
        piece_at = [&](std::uint64_t offset, std::uint64_t bytes) {
            return zip_->read_part(*entry, offset, bytes);
        };
    } else {
        TAFFRAIL_ASSIGN(file, io::open_inside(folder_, io::join(folder_, name)));
        TAFFRAIL_ASSIGN(const io::FileInfo info, file->info());
        size = info.size;
        piece_at = [&](std::uint64_t offset, std::uint64_t bytes) {
            return exactly(*file, offset, bytes);
        };
    }
    std::string rest;
    std::uint64_t rest_at = 0;
    bool is_skipping = false;
    for (std::uint64_t at = 0; at < size; at += kPiece) {
        TAFFRAIL_ASSIGN(const Bytes piece, piece_at(at, std::min(kPiece, size - at)));
        std::string_view text = as_text(piece);
        while (!text.empty()) {
            const auto end = text.find('\n');
            rest += is_skipping ? std::string_view() : text.substr(0, end);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            if (rest.size() > kLongestLine) {
                is_skipping = true;
                rest.clear();
                ++too_long;
            }
            if (end != std::string_view::npos) {
                if (!is_skipping) {
                    visit(rest, rest_at);
                }
                rest.clear();
                is_skipping = false;
                rest_at = at + piece.size() - text.size();
            }
        }
    }
    if (!rest.empty()) {
        visit(rest, rest_at);
    }
    return {};
}

}  // namespace taffrail::sources::comet
