#include "sources/wandb/log_file.h"

#include "io/files.h"
#include "io/inside.h"

#include <algorithm>

namespace taffrail::sources::wandb {
namespace {

using namespace formats::wandb;

// Larger than a block, and small enough that a piece is in the cache when it is looked through.
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kHeadBytes = 4 * kBlockBytes;

std::string describe(FileKind kind) {
    switch (kind) {
        case FileKind::Foreign:
            return "it does not begin like a .wandb file";
        case FileKind::UnknownVersion:
            return "it is of a version that is not known here; a newer taffrail may read it";
        case FileKind::TooShort:
        case FileKind::Wandb:
            break;
    }
    return {};
}

}  // namespace

LogFile::Change LogFile::look() {
    const auto info = io::stat_inside(folder_, path_);
    if (!info.ok()) {
        const bool is_new = error_ != info.error().message;
        error_ = info.error().message;
        return is_new ? Change::Grown : Change::None;
    }
    const bool is_other = is_begun_ && (info->inode != inode_ || info->size < size_);
    const bool is_larger = info->size > size_ || !is_begun_;
    inode_ = info->inode;
    size_ = info->size;
    modified_ns_ = info->modified_ns;
    if (is_other) {
        is_begun_ = false;
        error_.clear();
        return Change::Replaced;
    }
    return is_larger ? Change::Grown : Change::None;
}

void LogFile::read(const RecordScanner::OnRecord& on_record) {
    const auto file = io::open_inside(folder_, path_);
    if (!file.ok()) {
        error_ = file.error().message;
        return;
    }
    Bytes piece;
    if (!is_begun_) {
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size_, kHeadBytes)));
        const auto got = (*file)->read_at(0, piece);
        piece.resize(got.ok() ? *got : 0);
        const FileKind kind = kind_of_file(piece);
        error_ = describe(kind);
        if (kind != FileKind::Wandb) {
            return;  // an empty file may still become one
        }
        is_begun_ = true;
        scanner_ = RecordScanner(block_origin_of(piece));
    }
    std::size_t wanted = kPieceBytes;
    while (scanner_.position() < size_) {
        const std::uint64_t from = scanner_.position();
        piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(size_ - from, wanted)));
        const auto got = (*file)->read_at(from, piece);
        if (!got.ok() || *got == 0) {
            error_ = got.ok() ? error_ : got.error().message;
            return;
        }
        scanner_.take(ByteSpan(piece).first(*got), on_record);
        if (scanner_.position() == from) {
            return;  // the rest of a chunk is not written yet
        }
    }
}

std::vector<Damage> LogFile::damage() const {
    std::vector<Damage> all;
    for (const DamagedRange& range : scanner_.damage()) {
        all.push_back({.file = path_,
                       .offset = range.offset,
                       .length = range.length,
                       .first_seq = 0,
                       .last_seq = 0,
                       .reason = range.reason});
    }
    if (!error_.empty()) {
        all.push_back({.file = path_,
                       .offset = 0,
                       .length = size_,
                       .first_seq = 0,
                       .last_seq = 0,
                       .reason = error_});
    } else if (is_begun_ && (scanner_.inside_record() || scanner_.position() < size_)) {
        all.push_back({.file = path_,
                       .offset = std::min(scanner_.position(), size_),
                       .length = size_ - std::min(scanner_.position(), size_),
                       .first_seq = 0,
                       .last_seq = 0,
                       .reason = "the file ends inside a record; its writer may still be at it"});
    }
    return all;
}

}  // namespace taffrail::sources::wandb
