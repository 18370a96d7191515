#include "codec/sst/table.h"

#include "base/crc32c.h"
#include "codec/parquet/compression.h"
#include "codec/parquet/snappy.h"

#include <algorithm>
#include <utility>

namespace taffrail::sst {
namespace {

constexpr std::size_t kFooter = 53;
constexpr std::size_t kTrailer = 5;  // behind each block: how it is packed, and its checksum
constexpr std::uint64_t kMagic = 0x88e241b785f4cff7;
constexpr std::size_t kSequence = 8;  // behind each key
// A block holds some kilobytes, or one large value. Whatever is larger is not for this reader.
constexpr std::uint64_t kMostUnpacked = 16 << 20;
// Of an index's keys as they are without what they share: a few bytes could say any length again
// and again.
constexpr std::size_t kMostKeys = 64 << 20;
constexpr std::size_t kWindow = 256 << 10;

std::uint32_t masked(std::uint32_t checksum) {
    return ((checksum >> 15) | (checksum << 17)) + 0xA282EAD8u;
}

std::uint64_t number_in(std::string_view value) {
    ByteCursor at(as_bytes(value));
    return at.varint();
}

}  // namespace

BlockWalk::BlockWalk(ByteSpan block) noexcept {
    // Behind the entries: where some of them begin with a whole key, and how many those are.
    constexpr std::uint32_t kOtherKind = 0xC0000000;  // a hash beside, and what is not known yet
    ok_ = block.size() >= 4;
    if (ok_) {
        const auto restarts = load<std::uint32_t>(block.data() + block.size() - 4);
        ok_ = (restarts & kOtherKind) == 0 && restarts <= (block.size() - 4) / 4;
        if (ok_) {
            at_ = block.data();
            end_ = at_ + block.size() - 4 - std::size_t{4} * restarts;
        }
    }
}

std::uint32_t BlockWalk::varint() noexcept {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 35 && at_ < end_; shift += 7) {
        const auto byte = static_cast<std::uint32_t>(*at_++);
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    ok_ = false;
    return 0;
}

bool BlockWalk::next() noexcept {
    if (!ok_ || at_ == end_) {
        return false;
    }
    const std::size_t shared = varint(), own = varint(), length = varint();
    const auto left = static_cast<std::size_t>(end_ - at_);
    if (!ok_ || shared > key_.size() || own > left || length > left - own) {
        ok_ = false;
        return false;
    }
    key_.resize(shared);
    key_.append(reinterpret_cast<const char*>(at_), own);
    shared_ = shared;
    value_ = {reinterpret_cast<const char*>(at_ + own), length};
    at_ += own + length;
    return true;
}

std::optional<Table> Table::open(ReadAt read, std::uint64_t size, std::uint64_t largest_sequence,
                                 std::shared_ptr<Scratch> scratch) {
    Table table(std::move(read), size, std::move(scratch));
    if (!table.read_footer(largest_sequence)) {
        return std::nullopt;
    }
    return table;
}

Table::Handle Table::handle_in(ByteCursor& at) {
    Handle handle;
    handle.offset = at.varint();
    handle.size = at.varint();
    return handle;
}

std::optional<Table::Handle> Table::handle_of(std::string_view value) {
    ByteCursor at(as_bytes(value));
    const Handle handle = handle_in(at);
    return at.ok() ? std::optional(handle) : std::nullopt;
}

bool Table::read_footer(std::uint64_t largest_sequence) {
    if (size_ < kFooter) {
        return false;
    }
    const auto footer = bytes(size_ - kFooter, kFooter);
    constexpr std::uint8_t kCrc32c = 1;
    if (!footer || load<std::uint64_t>(footer->data() + kFooter - 8) != kMagic ||
        static_cast<std::uint8_t>(footer->front()) != kCrc32c) {
        return false;
    }
    const auto version = load<std::uint32_t>(footer->data() + kFooter - 12);
    ByteCursor at(footer->subspan(1, kFooter - 13));
    const Handle meta = handle_in(at), index = handle_in(at);
    if (!at.ok() || version < 2 || version > 5 || !unpack(meta)) {
        return false;
    }
    std::optional<Handle> properties;
    BlockWalk walk(block_);
    while (walk.next()) {
        const bool is_of_entries = walk.key() == "rocksdb.properties";
        if (is_of_entries || walk.key() == "rocksdb.range_del") {
            const auto place = handle_of(walk.value());
            if (!place) {
                return false;
            }
            (is_of_entries ? properties : deleted_) = place;
        } else if (walk.key() == "rocksdb.compression_dict") {
            return false;
        }
    }
    return walk.ok() && properties && read_properties(*properties, largest_sequence) &&
           read_index(index);
}

bool Table::read_properties(const Handle& at, std::uint64_t largest_sequence) {
    if (!unpack(at)) {
        return false;
    }
    BlockWalk walk(block_);
    while (walk.next()) {
        const std::string_view name = walk.key(), value = walk.value();
        if (name == "rocksdb.index.key.is.user.key") {
            has_plain_index_ = number_in(value) != 0;
        } else if (name == "rocksdb.index.value.is.delta.encoded") {
            has_short_values_ = number_in(value) != 0;
        } else if (name == "rocksdb.block.based.table.index.type") {
            if (value.size() != 4 || load<std::uint32_t>(value.data()) != 0) {
                return false;
            }
        } else if (name == "rocksdb.external_sst_file.version") {
            if (value.size() != 4 || load<std::uint32_t>(value.data()) < 2) {
                return false;
            }
            sequence_ = largest_sequence;
        }
    }
    return walk.ok();
}

bool Table::read_index(const Handle& at) {
    return unpack(at) && read_places() &&
           std::ranges::adjacent_find(places_, [](const Place& a, const Place& b) {
               return b.block.offset < a.block.offset + a.block.size || b.last_key < a.last_key;
           }) == places_.end();
}

bool Table::read_places() {
    std::size_t key_bytes = 0;
    if (!has_short_values_) {
        BlockWalk walk(block_);
        while (walk.next()) {
            const auto handle = handle_of(walk.value());
            const std::size_t extra = has_plain_index_ ? 0 : kSequence;
            key_bytes += walk.key().size();
            if (!handle || walk.key().size() < extra || key_bytes > kMostKeys) {
                return false;
            }
            places_.push_back(
                {std::string(walk.key().substr(0, walk.key().size() - extra)), *handle});
        }
        return walk.ok();
    }
    // Values without a length: a place, or behind a shared key how much larger the block is than
    // the one before it, which it follows at once.
    const auto restarts = block_.size() >= 4 ? load<std::uint32_t>(&block_[block_.size() - 4]) : 0;
    if (block_.size() < 4 || restarts > (block_.size() - 4) / 4) {
        return false;
    }
    ByteCursor at(block_.first(block_.size() - 4 - std::size_t{4} * restarts));
    std::string key;
    Handle handle;
    while (at.ok() && at.remaining() > 0) {
        const std::uint64_t shared = at.varint(), own = at.varint();
        const std::string_view rest = as_text(at.take(own));
        if (!at.ok() || shared > key.size()) {
            return false;
        }
        key.resize(static_cast<std::size_t>(shared));
        key += rest;
        if (shared == 0) {
            handle = handle_in(at);
        } else {
            const std::int64_t more = at.zigzag();
            handle.offset += handle.size + kTrailer;
            handle.size += static_cast<std::uint64_t>(more);
        }
        const std::size_t extra = has_plain_index_ ? 0 : kSequence;
        key_bytes += key.size();
        if (!at.ok() || key.size() < extra || key_bytes > kMostKeys) {
            return false;
        }
        places_.push_back({key.substr(0, key.size() - extra), handle});
    }
    return at.ok();
}

bool Table::deleted_ranges(const std::function<bool(const DeletedRange&)>& visit) {
    constexpr std::uint8_t kRange = 15;
    if (!deleted_) {
        return true;
    }
    if (!unpack(*deleted_)) {
        return false;
    }
    BlockWalk walk(block_);
    while (walk.next()) {
        if (walk.key().size() < kSequence) {
            return false;
        }
        const std::size_t length = walk.key().size() - kSequence;
        const auto tail = load<std::uint64_t>(walk.key().data() + length);
        if ((tail & 0xFF) != kRange ||
            !visit({walk.key().substr(0, length), walk.value(), sequence_.value_or(tail >> 8)})) {
            return false;
        }
    }
    return walk.ok();
}

std::optional<ByteSpan> Table::bytes(std::uint64_t offset, std::uint64_t size) {
    if (offset > size_ || size > size_ - offset) {
        return std::nullopt;
    }
    Scratch& at = *scratch_;
    if (at.window_owner != owner_ || offset < at.window_begin ||
        offset + size > at.window_begin + at.window.size()) {
        // Blocks follow each other: what comes next is read along.
        const std::uint64_t length =
            std::min<std::uint64_t>(size_ - offset, std::max<std::uint64_t>(size, kWindow));
        at.window.resize(static_cast<std::size_t>(length));
        at.window_begin = offset;
        at.window_owner = owner_;
        if (!read_(offset, at.window)) {
            at.window.clear();
            return std::nullopt;
        }
    }
    return ByteSpan(at.window).subspan(static_cast<std::size_t>(offset - at.window_begin),
                                       static_cast<std::size_t>(size));
}

bool Table::unpack(const Handle& at) {
    enum Packing : std::uint8_t { None = 0, Snappy = 1, Zstd = 7 };

    const auto stored =
        at.size <= kMostUnpacked ? bytes(at.offset, at.size + kTrailer) : std::nullopt;
    const auto length = static_cast<std::size_t>(at.size);
    if (!stored || load<std::uint32_t>(stored->data() + length + 1) !=
                       masked(crc32c(stored->first(length + 1)))) {
        return false;
    }
    const ByteSpan packed = stored->first(length);
    const auto packing = static_cast<std::uint8_t>((*stored)[length]);
    if (packing == None) {
        block_ = packed;
        return true;
    }
    ByteCursor size(packed);
    const std::uint64_t whole = size.varint();
    if (!size.ok() || whole > kMostUnpacked) {
        return false;
    }
    Bytes& to = scratch_->unpacked;
    to.resize(std::max(to.size(), static_cast<std::size_t>(whole)));
    const std::span<std::byte> unpacked = std::span(to).first(static_cast<std::size_t>(whole));
    block_ = unpacked;
    return packing == Snappy
               ? parquet::unpack_snappy(packed, unpacked)
               : packing == Zstd && parquet::unpack_zstd(packed.subspan(size.offset()), unpacked);
}

std::optional<Entry> Table::entry_of(const BlockWalk& walk) const noexcept {
    if (walk.key().size() < kSequence) {
        return std::nullopt;
    }
    const std::size_t length = walk.key().size() - kSequence;
    const auto tail = load<std::uint64_t>(walk.key().data() + length);
    const auto type = static_cast<std::uint8_t>(tail);
    if (type > static_cast<std::uint8_t>(EntryType::Value)) {
        return std::nullopt;
    }
    return Entry{walk.key().substr(0, length), std::min(walk.shared(), length),
                 sequence_.value_or(tail >> 8), static_cast<EntryType>(type), walk.value()};
}

}  // namespace taffrail::sst
