// One table file of RocksDB: entries in the order of their keys, and the ranges it deletes.
//
// What RocksDB writes by default is known: blocks with a binary index, unpacked or packed by Snappy
// or Zstandard, CRC-32C behind each. Everything else is refused, damage too, without a word why:
// whoever asked turns to RocksDB itself, which knows the rest and tells what is wrong.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sst {

enum class EntryType : std::uint8_t { Deletion = 0, Value = 1 };

struct Entry {
    std::string_view key;
    /// Bytes at the beginning of `key` that were taken over from the key before: equal to it.
    std::size_t shared = 0;
    std::uint64_t sequence = 0;
    EntryType type = EntryType::Value;
    std::string_view value;
};

/// Hides what is older in [begin, end).
struct DeletedRange {
    std::string_view begin, end;
    std::uint64_t sequence = 0;
};

/// What tables need while they are read; those that are read in turns share one.
struct Scratch {
    Bytes window, unpacked;
    std::uint64_t window_begin = 0;
    std::uint64_t window_owner = 0, owners = 0;
};

/// Entries of one unpacked block. Views hold until the next call.
class BlockWalk {
  public:
    explicit BlockWalk(ByteSpan block) noexcept;

    /// False at the end, and where the block is not what it should be: see ok().
    bool next() noexcept;

    [[nodiscard]] bool ok() const noexcept { return ok_; }

    /// As stored: keys of data blocks end in eight bytes of sequence and type.
    [[nodiscard]] std::string_view key() const noexcept { return key_; }

    [[nodiscard]] std::size_t shared() const noexcept { return shared_; }

    [[nodiscard]] std::string_view value() const noexcept { return value_; }

  private:
    std::uint32_t varint() noexcept;

    const std::byte* at_ = nullptr;
    const std::byte* end_ = nullptr;
    std::string key_;
    std::size_t shared_ = 0;
    std::string_view value_;
    bool ok_ = true;
};

class Table {
  public:
    /// Fills `to` from `offset`; false where it cannot.
    using ReadAt = std::function<bool(std::uint64_t offset, std::span<std::byte> to)>;

    /// `largest_sequence` is the manifest's: files that were made outside and joined the folder
    /// have no other.
    static std::optional<Table> open(ReadAt read, std::uint64_t size,
                                     std::uint64_t largest_sequence,
                                     std::shared_ptr<Scratch> scratch);

    /// `visit` gives false to stop; views hold for the call. False as for scan().
    bool deleted_ranges(const std::function<bool(const DeletedRange&)>& visit);

    /// Every entry whose key begins with `prefix`: `visit(const Entry&)` gives false to stop. False
    /// where it was stopped or something is unknown or damaged.
    template <typename Visit>
    bool scan(std::string_view prefix, Visit&& visit) {
        for (const Place& place : places_) {
            if (place.last_key < prefix) {
                continue;
            }
            if (!unpack(place.block)) {
                return false;
            }
            BlockWalk walk(block_);
            bool is_behind = false;
            // What an entry shares with one that was not visited says nothing to the visitor.
            bool was_visited = false;
            while (!is_behind && walk.next()) {
                const auto entry = entry_of(walk);
                if (!entry) {
                    return false;
                }
                if (!entry->key.starts_with(prefix)) {
                    is_behind = entry->key > prefix;
                    was_visited = false;
                    continue;
                }
                Entry told = *entry;
                told.shared = was_visited ? told.shared : 0;
                if (!visit(static_cast<const Entry&>(told))) {
                    return false;
                }
                was_visited = true;
            }
            if (!walk.ok()) {
                return false;
            }
            if (is_behind) {
                break;
            }
        }
        return true;
    }

  private:
    struct Handle {
        std::uint64_t offset = 0, size = 0;
    };

    struct Place {
        std::string last_key;  ///< of the block, or what lies between it and the next one
        Handle block;
    };

    Table(ReadAt read, std::uint64_t size, std::shared_ptr<Scratch> scratch)
        : read_(std::move(read)),
          size_(size),
          scratch_(std::move(scratch)),
          owner_(++scratch_->owners) {}

    bool read_footer(std::uint64_t largest_sequence);
    bool read_properties(const Handle& at, std::uint64_t largest_sequence);
    bool read_index(const Handle& at);
    bool read_places();
    /// Puts the block at this place into `block_`.
    bool unpack(const Handle& at);
    /// Bytes of the file; they hold until the next call.
    std::optional<ByteSpan> bytes(std::uint64_t offset, std::uint64_t size);
    static Handle handle_in(ByteCursor& at);
    static std::optional<Handle> handle_of(std::string_view value);
    [[nodiscard]] std::optional<Entry> entry_of(const BlockWalk& walk) const noexcept;

    ReadAt read_;
    std::uint64_t size_;
    std::vector<Place> places_;
    std::optional<Handle> deleted_;
    std::optional<std::uint64_t> sequence_;  ///< of all entries
    bool has_plain_index_ = false;           ///< keys without sequences, sizes as differences
    bool has_short_values_ = false;
    std::shared_ptr<Scratch> scratch_;
    std::uint64_t owner_;  ///< of the window
    ByteSpan block_;
};

}  // namespace taffrail::sst
