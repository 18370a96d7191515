#include "store/frame_file.h"

#include "base/crc32c.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"

#include <fmt/core.h>

#include <algorithm>

namespace taffrail::store {
namespace {

constexpr std::size_t kReadBytes = 256u << 10;

// A window over the file that slides forward with the scanner.
class Window {
  public:
    Window(io::File& file, std::uint64_t start) : file_(file), start_(start) {}

    // At least `want` bytes from `offset` on, or all there are.
    Result<void> cover(std::uint64_t offset, std::uint64_t want) {
        if (offset > start_ + bytes_.size()) {
            bytes_.clear();
            start_ = offset;
        }
        const std::uint64_t have = start_ + bytes_.size() - offset;
        if (have >= want || at_end_) {
            return {};
        }
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset - start_));
        start_ = offset;
        const std::size_t before = bytes_.size();
        const std::size_t more =
            std::max<std::size_t>(kReadBytes, static_cast<std::size_t>(want) - before);
        bytes_.resize(before + more);
        TAFFRAIL_ASSIGN(const std::size_t count,
                        file_.read_at(start_ + before, std::span(bytes_).subspan(before)));
        bytes_.resize(before + count);
        at_end_ = count < more;
        return {};
    }

    [[nodiscard]] ByteSpan from(std::uint64_t offset) const {
        return ByteSpan(bytes_).subspan(static_cast<std::size_t>(offset - start_));
    }

    [[nodiscard]] bool at_end() const noexcept { return at_end_; }

  private:
    io::File& file_;
    Bytes bytes_;
    std::uint64_t start_;
    bool at_end_ = false;
};

}  // namespace

Result<void> FrameFile::begin_at(std::uint64_t offset) {
    if (offset == 0) {
        scanner_ = tlog::FrameScanner();
        stopped_ = true;
        return {};
    }
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(folder_, url_));
    Bytes bytes(tlog::kFrameHeaderBytes);
    TAFFRAIL_ASSIGN(std::size_t count, file->read_at(offset, bytes));
    auto header = tlog::parse_header(ByteSpan(bytes).first(count));
    if (!header) {
        // Nothing there yet: the file's first frame knows the nonce just as well.
        TAFFRAIL_ASSIGN(count, file->read_at(0, bytes));
        header = tlog::parse_header(ByteSpan(bytes).first(count));
    }
    if (!header) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("no frame at byte {} of {}: `taffrail verify` says what is left",
                                 offset, url_)};
    }
    scanner_.begin_at(offset, header->nonce);
    stopped_ = true;
    return {};
}

Result<bool> FrameFile::poll(const OnFrame& on_frame, const OnDamage& on_damage) {
    TAFFRAIL_ASSIGN(const io::FileInfo info, io::stat_inside(folder_, url_));
    modified_ns_ = info.modified_ns;
    if (info.size == size_ && info.inode == inode_ && !stopped_) {
        return false;
    }
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(folder_, url_));
    size_ = info.size;
    inode_ = info.inode;
    stopped_ = false;
    const std::uint64_t before = scanner_.offset();
    Window window(*file, before);
    thread_local tlog::Decompressor decompressor;
    Bytes scratch;
    std::uint64_t want = tlog::kFrameHeaderBytes;
    while (true) {
        TAFFRAIL_TRY(window.cover(scanner_.offset(), want));
        want = tlog::kFrameHeaderBytes;
        switch (scanner_.next(window.from(scanner_.offset()), window.at_end())) {
            case tlog::FrameScanner::Outcome::Frame: {
                const auto payload =
                    payload_of(scanner_.frame(), scanner_.stored(), decompressor, scratch);
                if (!payload) {
                    on_damage({scanner_.frame_offset(), scanner_.frame().frame_bytes(),
                               scanner_.frame().first_seq,
                               scanner_.frame().first_seq + scanner_.frame().rows,
                               "a payload that does not decompress"});
                } else if (!on_frame({scanner_.frame(), scanner_.frame_offset(), *payload})) {
                    stopped_ = true;
                    return true;
                }
                break;
            }
            case tlog::FrameScanner::Outcome::Duplicate:
                break;
            case tlog::FrameScanner::Outcome::Damage:
                on_damage(scanner_.damage());
                break;
            case tlog::FrameScanner::Outcome::NeedMore:
                want = scanner_.needed();
                break;
            case tlog::FrameScanner::Outcome::Pending:
                return scanner_.offset() != before;
        }
    }
}

namespace {

// Checks one candidate and decompresses it.
bool take_checkpoint(ByteSpan bytes, std::uint64_t offset, FoundCheckpoint& found) {
    const auto header = tlog::parse_header(bytes);
    if (!header || header->type != tlog::FrameType::Checkpoint || header->version != 1 ||
        bytes.size() < header->frame_bytes()) {
        return false;
    }
    const ByteSpan stored = bytes.subspan(tlog::kFrameHeaderBytes, header->stored_bytes);
    if (crc32c(stored) != header->payload_crc) {
        return false;
    }
    thread_local tlog::Decompressor decompressor;
    const auto payload = payload_of(*header, stored, decompressor, found.payload);
    if (!payload) {
        return false;
    }
    if (!header->compressed()) {
        found.payload.assign(payload->begin(), payload->end());
    }
    found.next_frame = offset + header->frame_bytes();
    found.next_seq = header->first_seq;
    found.nonce = header->nonce;
    return true;
}

}  // namespace

Result<FoundCheckpoint> find_last_checkpoint(const std::string& url, std::uint64_t limit) {
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(io::parent(io::parent(url)), url));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file->info());
    FoundCheckpoint found;
    found.file_bytes = info.size;
    found.modified_ns = info.modified_ns;
    Bytes bytes;
    // A finished run has its checkpoint in the last few kilobytes; a live one within the last
    // megabyte or so.
    for (std::uint64_t length = 32u << 10;; length *= 8) {
        const std::uint64_t size = std::min({length, info.size, limit});
        const std::uint64_t start = info.size - size;
        bytes.resize(static_cast<std::size_t>(size));
        TAFFRAIL_ASSIGN(const std::size_t count, file->read_at(start, bytes));
        const std::string_view text = as_text(ByteSpan(bytes).first(count));
        constexpr std::string_view kMagic = "TLG1";
        for (std::size_t at = text.rfind(kMagic); at != std::string_view::npos;
             at = at == 0 ? std::string_view::npos : text.rfind(kMagic, at - 1)) {
            if (take_checkpoint(ByteSpan(bytes).first(count).subspan(at), start + at, found)) {
                found.rest.assign(
                    bytes.begin() + static_cast<std::ptrdiff_t>(found.next_frame - start),
                    bytes.begin() + static_cast<std::ptrdiff_t>(count));
                return found;
            }
        }
        if (size < length) {
            return Error{ErrorCode::NotFound, fmt::format("no checkpoint in {}", url)};
        }
    }
}

}  // namespace taffrail::store
