#include "codec/tlog/scanner.h"

#include "base/crc32c.h"

#include <algorithm>
#include <cstring>

namespace taffrail::tlog {
namespace {

std::uint64_t fingerprint(const FrameHeader& header) noexcept {
    return (header.first_seq << 32) ^ (header.first_seq >> 32) ^ header.header_crc;
}

// Position of the next magic in `bytes` from `from` on; a magic cut off by the end counts. npos
// when there is none.
std::size_t find_magic(ByteSpan bytes, std::size_t from) noexcept {
    static constexpr char kMagic[] = {'T', 'L', 'G', '1'};
    while (from < bytes.size()) {
        const void* hit = std::memchr(bytes.data() + from, kMagic[0], bytes.size() - from);
        if (hit == nullptr) {
            return std::string_view::npos;
        }
        from = static_cast<std::size_t>(static_cast<const std::byte*>(hit) - bytes.data());
        if (std::memcmp(hit, kMagic, std::min(sizeof kMagic, bytes.size() - from)) == 0) {
            return from;
        }
        ++from;
    }
    return std::string_view::npos;
}

}  // namespace

void FrameScanner::begin_at(std::uint64_t offset, std::uint64_t nonce) noexcept {
    *this = FrameScanner();
    offset_ = offset;
    nonce_ = nonce;
    if (offset != 0) {
        chain_.reset();
        numbers_known_ = false;
    }
}

FrameScanner::Check FrameScanner::check(ByteSpan window, FrameHeader& header) const noexcept {
    if (window.size() < kFrameHeaderBytes) {
        return Check::Short;
    }
    const auto parsed = parse_header(window);
    if (!parsed || (nonce_ && parsed->nonce != *nonce_)) {
        return Check::Invalid;
    }
    header = *parsed;
    if (window.size() < header.frame_bytes()) {
        return Check::Short;
    }
    const ByteSpan payload = window.subspan(kFrameHeaderBytes, header.stored_bytes);
    return crc32c(payload) == header.payload_crc ? Check::Valid : Check::Invalid;
}

bool FrameScanner::seen(const FrameHeader& header) const noexcept {
    return std::ranges::find(seen_, fingerprint(header)) != seen_.end();
}

FrameScanner::Outcome FrameScanner::next(ByteSpan window, bool reaches_end) {
    if (damaged_since_) {
        return search(window, reaches_end);
    }
    if (window.empty()) {
        needed_ = kFrameHeaderBytes;
        return reaches_end ? Outcome::Pending : Outcome::NeedMore;
    }
    FrameHeader header;
    switch (check(window, header)) {
        case Check::Valid:
            return accept(header, window);
        case Check::Short:
            if (!reaches_end) {
                needed_ = std::max<std::uint64_t>(kFrameHeaderBytes, header.frame_bytes());
                return Outcome::NeedMore;
            }
            [[fallthrough]];
        case Check::Invalid:
            break;
    }
    damaged_since_ = offset_;
    return search(window, reaches_end);
}

FrameScanner::Outcome FrameScanner::search(ByteSpan window, bool reaches_end) {
    std::size_t at = offset_ == *damaged_since_ ? 1 : 0;
    while ((at = find_magic(window, at)) != std::string_view::npos) {
        FrameHeader header;
        const Check result = check(window.subspan(at), header);
        if (result == Check::Valid) {
            damage_ = {*damaged_since_, offset_ + at - *damaged_since_, 0, 0,
                       "bytes that are no frame"};
            if (numbers_known_ && header.first_seq > next_seq_) {
                damage_.first_seq = next_seq_;
                damage_.end_seq = header.first_seq;
            }
            next_seq_ = std::max(next_seq_, header.first_seq);
            offset_ += at;
            damaged_since_.reset();
            chain_.reset();
            return Outcome::Damage;
        }
        if (result == Check::Short && !reaches_end) {
            offset_ += at;
            needed_ = std::max<std::uint64_t>(kFrameHeaderBytes, header.frame_bytes());
            return Outcome::NeedMore;
        }
        ++at;
    }
    if (!reaches_end) {
        offset_ += window.size();
        needed_ = kFrameHeaderBytes;
        return Outcome::NeedMore;
    }
    // What looks like garbage now may be a frame whose bytes have not all arrived: begin there
    // again next time.
    offset_ = *damaged_since_;
    damaged_since_.reset();
    return Outcome::Pending;
}

FrameScanner::Outcome FrameScanner::accept(const FrameHeader& header, ByteSpan window) {
    const bool chained = chain_ && header.previous_crc == *chain_;
    // What hangs on a doubled frame may be doubled as well.
    if ((!chained || after_duplicate_) && seen(header)) {
        offset_ += header.frame_bytes();
        chain_ = header.header_crc;
        after_duplicate_ = true;
        return Outcome::Duplicate;
    }
    after_duplicate_ = false;
    const bool first = seen_.empty();
    if (!chained && chain_) {
        // Reported once, in front of the frame; the frame itself comes with the next call.
        damage_ = {offset_, 0, 0, 0, "frames missing or out of order"};
        if (header.first_seq > next_seq_) {
            damage_.first_seq = next_seq_;
            damage_.end_seq = header.first_seq;
        }
        chain_.reset();
        return Outcome::Damage;
    }
    nonce_ = header.nonce;
    if (first || !numbers_known_) {
        next_seq_ = header.first_seq;
        numbers_known_ = true;
    }
    chain_ = header.header_crc;
    seen_.push_back(fingerprint(header));
    frame_ = header;
    frame_offset_ = offset_;
    stored_ = window.subspan(kFrameHeaderBytes, header.stored_bytes);
    next_seq_ = std::max(next_seq_, header.first_seq + header.rows);
    offset_ += header.frame_bytes();
    return Outcome::Frame;
}

}  // namespace taffrail::tlog
