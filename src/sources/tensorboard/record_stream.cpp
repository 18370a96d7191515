#include "sources/tensorboard/record_stream.h"

#include <algorithm>

namespace taffrail::sources::tensorboard {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{256} << 10;
// Larger records are checked piece by piece while searching, so that a wild length costs no memory.
constexpr std::size_t kSearchWindowBytes = std::size_t{1} << 20;

}  // namespace

RecordStream::RecordStream(io::File& file, std::uint64_t begin, std::uint64_t end,
                           std::uint64_t size, bool synchronise, Bytes& buffer)
    : file_(file),
      buffer_(buffer),
      end_(std::min(end, size)),
      size_(size),
      proof_bytes_left_(size) {
    if (buffer_.size() < kWindowBytes) {
        buffer_.resize(kWindowBytes);
    }
    window_ = begin;
    window_end_ = buffer_.data();
    first_ = synchronise ? find_record(begin) : begin;
    go_to(first_);
}

void RecordStream::go_to(std::uint64_t position) {
    position_ = position;
    const auto filled = static_cast<std::uint64_t>(window_end_ - buffer_.data());
    if (position < window_ || position - window_ > filled) {
        window_ = position;
        window_end_ = buffer_.data();
    }
    at_ = buffer_.data() + (position - window_);
}

std::size_t RecordStream::ensure(std::uint64_t position, std::uint64_t bytes) {
    bytes = std::min(bytes, size_ - std::min(position, size_));
    auto filled = static_cast<std::uint64_t>(window_end_ - buffer_.data());
    if (position >= window_ && position - window_ <= filled &&
        filled - (position - window_) >= bytes) {
        return static_cast<std::size_t>(filled - (position - window_));
    }
    // Keep what is already there from `position` on, then fill the rest of the window in one read.
    std::uint64_t kept = 0;
    if (position >= window_ && position - window_ < filled) {
        kept = filled - (position - window_);
        std::memmove(buffer_.data(), buffer_.data() + (position - window_),
                     static_cast<std::size_t>(kept));
    }
    const auto wanted = std::max<std::uint64_t>(bytes, kWindowBytes);
    if (buffer_.size() < wanted) {
        buffer_.resize(static_cast<std::size_t>(wanted));
    }
    window_ = position;
    const std::uint64_t room =
        std::min<std::uint64_t>(buffer_.size() - kept, size_ - std::min(position + kept, size_));
    const auto read = file_.read_at(
        position + kept,
        std::span(buffer_).subspan(static_cast<std::size_t>(kept), static_cast<std::size_t>(room)));
    if (!read.ok()) {
        error_ = read.error().message;
        size_ = position + kept;
    } else if (*read < room) {
        size_ = position + kept + *read;  // the file was cut while we read it
    }
    filled = kept + (read.ok() ? *read : 0);
    window_end_ = buffer_.data() + filled;
    at_ = buffer_.data();
    return static_cast<std::size_t>(filled);
}

bool RecordStream::is_whole_record(std::uint64_t position) {
    if (ensure(position, kHeaderBytes) < kHeaderBytes) {
        return false;
    }
    const std::byte* header = buffer_.data() + (position - window_);
    if (!is_header(header)) {
        return false;
    }
    return is_whole_payload(position, load<std::uint64_t>(header));
}

bool RecordStream::is_proven_by_payload(std::uint64_t position) {
    if (ensure(position, kHeaderBytes) < kHeaderBytes) {
        return false;
    }
    const auto length = load<std::uint64_t>(buffer_.data() + (position - window_));
    if (length == 0 || length > size_ - position || length > proof_bytes_left_) {
        return false;
    }
    proof_bytes_left_ -= length;
    return is_whole_payload(position, length);
}

bool RecordStream::is_whole_payload(std::uint64_t position, std::uint64_t length) {
    const std::uint64_t left = size_ - position - kHeaderBytes;
    if (left < kFooterBytes || length > left - kFooterBytes) {
        return false;
    }
    std::uint32_t crc = 0;
    for (std::uint64_t done = 0; done < length;) {
        const std::uint64_t at = position + kHeaderBytes + done;
        const std::uint64_t piece = std::min<std::uint64_t>(length - done, kSearchWindowBytes);
        if (ensure(at, piece) < piece) {
            return false;
        }
        crc = crc32c({buffer_.data() + (at - window_), static_cast<std::size_t>(piece)}, crc);
        done += piece;
    }
    const std::uint64_t footer = position + kHeaderBytes + length;
    return ensure(footer, kFooterBytes) >= kFooterBytes &&
           mask_crc(crc) == load<std::uint32_t>(buffer_.data() + (footer - window_));
}

std::uint64_t RecordStream::find_record(std::uint64_t from) {
    while (from + kFrameBytes <= size_) {
        const std::size_t there = ensure(from, kSearchWindowBytes);
        if (there < kHeaderBytes) {
            break;
        }
        const auto* begin = buffer_.data() + (from - window_);
        const auto found = find_header({begin, there}, 0);
        if (!found) {
            from += there - (kHeaderBytes - 1);
            continue;
        }
        from += *found;
        if (is_whole_record(from)) {
            return from;
        }
        ++from;
    }
    return size_;
}

bool RecordStream::only_zeros(std::uint64_t from) {
    while (from < size_) {
        const std::size_t there = ensure(from, std::min(kSearchWindowBytes, size_ - from));
        const auto* begin = buffer_.data() + (from - window_);
        if (there == 0 ||
            std::any_of(begin, begin + there, [](std::byte one) { return one != std::byte{0}; })) {
            return false;
        }
        from += there;
    }
    return true;
}

bool RecordStream::next_slowly(ByteSpan& payload) {
    while (position_ < end_) {
        std::uint64_t there = ensure(position_, kHeaderBytes);
        if (there < kHeaderBytes) {
            tail_ = position_ < size_ ? Tail::Short : Tail::Clean;
            return false;
        }
        at_ = buffer_.data() + (position_ - window_);
        const bool header = is_header(at_);
        if (!header && is_proven_by_payload(position_)) {
            ensure(position_, kHeaderBytes);
            const auto proven =
                load<std::uint64_t>(buffer_.data() + (position_ - window_)) + kFrameBytes;
            if (ensure(position_, proven) < proven) {
                continue;  // cut while we read
            }
            at_ = buffer_.data() + (position_ - window_);
            payload = {at_ + kHeaderBytes, static_cast<std::size_t>(proven - kFrameBytes)};
            record_ = position_;
            position_ += proven;
            at_ += proven;
            mark_unreadable(
                "the length of a record fails its checksum; its payload does not, so "
                "the record is kept");
            return true;
        }
        // Looking for the proof may have moved the window.
        ensure(position_, kHeaderBytes);
        at_ = buffer_.data() + (position_ - window_);
        const std::uint64_t length = header ? load<std::uint64_t>(at_) : 0;
        const std::uint64_t left = size_ - position_ - kHeaderBytes;
        const bool whole = header && left >= kFooterBytes && length <= left - kFooterBytes;
        if (whole) {
            there = ensure(position_, length + kFrameBytes);
            if (there < length + kFrameBytes) {
                continue;  // cut while we read: the shorter size decides anew
            }
            at_ = buffer_.data() + (position_ - window_);
            const Scan scan = scan_record({at_, static_cast<std::size_t>(there)});
            if (scan.status == ScanStatus::Record) {
                payload = scan.payload;
                record_ = position_;
                position_ += length + kFrameBytes;
                at_ += length + kFrameBytes;
                return true;
            }
        }
        // A payload that fails its CRC inside a sound frame costs that one record, nothing behind
        // it.
        const std::uint64_t behind = position_ + kFrameBytes + length;
        std::uint64_t found = size_;
        if (whole && behind + kHeaderBytes <= size_ &&
            ensure(behind, kHeaderBytes) >= kHeaderBytes &&
            is_header(buffer_.data() + (behind - window_))) {
            found = behind;
        } else {
            found = find_record(position_ + 1);
        }
        if (found >= size_) {
            tail_ = header && !whole        ? Tail::Short
                    : only_zeros(position_) ? Tail::Zeros
                                            : Tail::Broken;
            go_to(position_);
            return false;
        }
        damage_.push_back({position_, found - position_,
                           whole    ? "a record fails its checksum"
                           : header ? "a record claims more bytes than the file has"
                                    : "bytes that are no record"});
        go_to(found);
    }
    return false;
}

}  // namespace taffrail::sources::tensorboard
