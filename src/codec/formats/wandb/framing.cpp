#include "codec/formats/wandb/framing.h"

#include "codec/gzip.h"

#include <algorithm>
#include <cstring>

namespace taffrail::formats::wandb {
namespace {

constexpr std::uint8_t kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4;
constexpr std::size_t kMaxDamage = 1000;

std::uint32_t checksum(std::uint8_t type, ByteSpan payload) {
    const auto first = static_cast<std::byte>(type);
    const std::uint32_t of_type = crc32({&first, 1});
    return payload.empty() ? of_type : crc32(payload, of_type);
}

void append_chunk(Bytes& to, std::uint8_t type, ByteSpan payload) {
    append(to, checksum(type, payload));
    append(to, static_cast<std::uint16_t>(payload.size()));
    append(to, type);
    append(to, payload);
}

}  // namespace

void append_record(Bytes& to, std::uint64_t begin, ByteSpan payload) {
    bool is_first = true;
    do {
        std::uint64_t left = kBlockBytes - (begin + to.size()) % kBlockBytes;
        if (left < kChunkHeaderBytes) {
            to.resize(to.size() + static_cast<std::size_t>(left));
            left = kBlockBytes;
        }
        const auto room = static_cast<std::size_t>(left - kChunkHeaderBytes);
        const std::size_t length = std::min(room, payload.size());
        const bool is_last = length == payload.size();
        append_chunk(to, is_first ? (is_last ? kWhole : kFirst) : (is_last ? kLast : kMiddle),
                     payload.first(length));
        payload = payload.subspan(length);
        is_first = false;
        if (is_last) {
            break;
        }
    } while (true);
}

FileKind kind_of_file(ByteSpan first_bytes) noexcept {
    const std::size_t known = std::min(first_bytes.size(), std::size_t{6});
    if (known > 0 && std::memcmp(first_bytes.data(), kFileHeader.data(), known) != 0) {
        return FileKind::Foreign;
    }
    if (first_bytes.size() < kFileHeader.size()) {
        return FileKind::TooShort;
    }
    return first_bytes[6] == std::byte{0} ? FileKind::Wandb : FileKind::UnknownVersion;
}

void RecordScanner::lose(std::uint64_t length, std::string reason) {
    if (damage_.size() < kMaxDamage) {
        damage_.push_back({position_, length, std::move(reason)});
    }
    position_ += length;
    record_.clear();
    begun_ = false;
    skipping_ = true;
}

void RecordScanner::take_chunk(std::uint8_t type, ByteSpan payload, const OnRecord& on_record) {
    if (type == kWhole || type == kFirst) {
        if (begun_ && damage_.size() < kMaxDamage) {
            damage_.push_back(
                {record_offset_, position_ - record_offset_, "a record without its end"});
        }
        record_.clear();
        skipping_ = false;
        record_offset_ = position_;
        begun_ = type == kFirst;
        if (type == kWhole) {
            on_record(payload, record_offset_);
        } else {
            append(record_, payload);
        }
        return;
    }
    if (!begun_) {
        if (!skipping_ && damage_.size() < kMaxDamage) {
            damage_.push_back({position_, kChunkHeaderBytes + payload.size(),
                               "a piece of a record without its beginning"});
        }
        skipping_ = true;
        return;
    }
    if (record_.size() + payload.size() > kMaxRecordBytes) {
        record_.clear();
        begun_ = false;
        skipping_ = true;
        if (damage_.size() < kMaxDamage) {
            damage_.push_back({record_offset_, position_ - record_offset_,
                               "a record of more than 256 MiB, which is not read"});
        }
        return;
    }
    append(record_, payload);
    if (type == kLast) {
        begun_ = false;
        on_record(record_, record_offset_);
        record_.clear();
    }
}

void RecordScanner::take(ByteSpan bytes, const OnRecord& on_record) {
    const std::uint64_t begin = position_;
    const std::uint64_t end = begin + bytes.size();
    while (position_ < end) {
        const std::uint64_t left = left_in_block();
        if (left < kChunkHeaderBytes) {
            position_ += left;
            continue;
        }
        if (end - position_ < kChunkHeaderBytes) {
            return;
        }
        const std::byte* at = bytes.data() + (position_ - begin);
        const auto crc = load<std::uint32_t>(at);
        const auto length = load<std::uint16_t>(at + 4);
        const auto type = load<std::uint8_t>(at + 6);
        if (crc == 0 && length == 0 && type == 0) {
            zeros_from_ = zeros_ == 0 ? position_ : zeros_from_;
            zeros_ += left;
            position_ += left;
            continue;
        }
        if (type < kWhole || type > kLast || length > left - kChunkHeaderBytes) {
            lose(left, "no chunk begins here");
            continue;
        }
        if (end - position_ < kChunkHeaderBytes + length) {
            return;
        }
        const ByteSpan payload(at + kChunkHeaderBytes, length);
        if (checksum(type, payload) != crc) {
            lose(left, "the checksum does not fit");
            continue;
        }
        if (zeros_ > 0 && damage_.size() < kMaxDamage) {
            damage_.push_back({zeros_from_, zeros_, "a block of zeros"});
        }
        if (zeros_ > 0) {
            begun_ = false;
            skipping_ = true;
            zeros_ = 0;
        }
        take_chunk(type, payload, on_record);
        position_ += kChunkHeaderBytes + length;
    }
}

std::uint64_t block_origin_of(ByteSpan first_bytes) {
    if (first_bytes.size() <= kBlockBytes) {
        return 0;
    }
    const auto lost = [&](std::uint64_t origin) {
        RecordScanner scanner(origin);
        scanner.take(first_bytes.subspan(kFileHeader.size()), [](ByteSpan, std::uint64_t) {});
        return scanner.damage().size();
    };
    const std::size_t plain = lost(0);
    return plain > 0 && lost(kFileHeader.size()) < plain ? kFileHeader.size() : 0;
}

}  // namespace taffrail::formats::wandb
