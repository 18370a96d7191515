// Protobuf's wire format, by hand: writer and reader for the messages of foreign formats.
//
// The protobuf library stays out on purpose: two versions of it in one process (ours and a
// framework's) abort the host program. The reader trusts nothing: every length is checked before
// use and an unknown field is skipped.
#pragma once

#include "base/bytes.h"

#include <bit>
#include <cstdint>
#include <string_view>

namespace taffrail {

enum class WireType : std::uint8_t {
    Varint = 0,
    Fixed64 = 1,
    Length = 2,
    GroupStart = 3,
    GroupEnd = 4,
    Fixed32 = 5
};

/// Appends fields to a growing message. Numbers rise in the order of the calls; nothing is
/// reordered.
class ProtoWriter {
  public:
    explicit ProtoWriter(Bytes& to) noexcept : to_(to) {}

    void varint(std::uint32_t field, std::uint64_t value) {
        key(field, WireType::Varint);
        append_varint(to_, value);
    }

    /// int32 and int64 fields: negative numbers take ten bytes, as the format wants.
    void signed_varint(std::uint32_t field, std::int64_t value) {
        varint(field, static_cast<std::uint64_t>(value));
    }

    void boolean(std::uint32_t field, bool value) { varint(field, value ? 1 : 0); }

    void fixed64(std::uint32_t field, double value) {
        key(field, WireType::Fixed64);
        append(to_, value);
    }

    void fixed32(std::uint32_t field, float value) {
        key(field, WireType::Fixed32);
        append(to_, value);
    }

    /// bytes, string, a nested message or a packed list.
    void bytes(std::uint32_t field, ByteSpan value) {
        key(field, WireType::Length);
        append_varint(to_, value.size());
        append(to_, value);
    }

    void text(std::uint32_t field, std::string_view value) { bytes(field, as_bytes(value)); }

    /// A nested message written by `body(ProtoWriter&)`.
    template <typename Body>
    void message(std::uint32_t field, Body&& body) {
        Bytes nested;
        ProtoWriter writer(nested);
        body(writer);
        bytes(field, nested);
    }

  private:
    void key(std::uint32_t field, WireType type) {
        append_varint(to_,
                      (static_cast<std::uint64_t>(field) << 3) | static_cast<std::uint64_t>(type));
    }

    Bytes& to_;
};

/// One field as it stands on the wire. `bytes` is set for WireType::Length and for groups (their
/// content).
struct WireField {
    std::uint32_t number = 0;
    WireType type = WireType::Varint;
    std::uint64_t raw = 0;
    ByteSpan bytes;

    [[nodiscard]] bool is(std::uint32_t field, WireType wanted) const noexcept {
        return number == field && type == wanted;
    }

    [[nodiscard]] std::int64_t as_int64() const noexcept { return static_cast<std::int64_t>(raw); }

    [[nodiscard]] std::int32_t as_int32() const noexcept { return static_cast<std::int32_t>(raw); }

    [[nodiscard]] double as_double() const noexcept { return std::bit_cast<double>(raw); }

    [[nodiscard]] float as_float() const noexcept {
        return std::bit_cast<float>(static_cast<std::uint32_t>(raw));
    }

    [[nodiscard]] std::string_view as_text() const noexcept { return taffrail::as_text(bytes); }
};

/// Walks the fields of one message. next() returns false at the end and at the first broken byte;
/// ok() tells which.
class ProtoReader {
  public:
    explicit ProtoReader(ByteSpan message) noexcept : cursor_(message), message_(message) {}

    bool next(WireField& field) noexcept {
        if (!cursor_.ok() || cursor_.remaining() == 0) {
            return false;
        }
        const std::uint64_t key = cursor_.varint();
        const std::uint64_t number = key >> 3;
        if (!cursor_.ok() || number == 0 || number > 0x1FFFFFFF) {
            cursor_.fail();
            return false;
        }
        field.number = static_cast<std::uint32_t>(number);
        field.type = static_cast<WireType>(key & 7);
        field.raw = 0;
        field.bytes = {};
        switch (field.type) {
            case WireType::Varint:
                field.raw = cursor_.varint();
                break;
            case WireType::Fixed64:
                field.raw = cursor_.read<std::uint64_t>();
                break;
            case WireType::Fixed32:
                field.raw = cursor_.read<std::uint32_t>();
                break;
            case WireType::Length:
                field.bytes = cursor_.take(cursor_.varint());
                break;
            case WireType::GroupStart:
                skip_group(field);
                break;
            default:
                cursor_.fail();
                break;
        }
        return cursor_.ok();
    }

    [[nodiscard]] bool ok() const noexcept { return cursor_.ok(); }

    /// Bytes consumed so far.
    [[nodiscard]] std::size_t offset() const noexcept { return cursor_.offset(); }

  private:
    // Groups are obsolete but legal. Depth is counted instead of recursed into, so hostile nesting
    // costs no stack.
    void skip_group(WireField& field) noexcept {
        const std::size_t begin = cursor_.offset();
        for (int depth = 1; depth > 0;) {
            const std::size_t before = cursor_.offset();
            const std::uint64_t key = cursor_.varint();
            switch (static_cast<WireType>(key & 7)) {
                case WireType::Varint:
                    cursor_.varint();
                    break;
                case WireType::Fixed64:
                    cursor_.take(8);
                    break;
                case WireType::Fixed32:
                    cursor_.take(4);
                    break;
                case WireType::Length:
                    cursor_.take(cursor_.varint());
                    break;
                case WireType::GroupStart:
                    ++depth;
                    break;
                case WireType::GroupEnd:
                    if (--depth == 0) {
                        field.bytes = message_.subspan(begin, before - begin);
                    }
                    break;
                default:
                    cursor_.fail();
                    break;
            }
            if (!cursor_.ok()) {
                return;
            }
        }
    }

    ByteCursor cursor_;
    ByteSpan message_;
};

/// A repeated number may come packed or one by one, mixed in any way; `each(raw)` sees every
/// element of `field`.
template <typename Each>
bool for_each_number(const WireField& field, WireType element, Each&& each) {
    if (field.type == element) {
        each(field.raw);
        return true;
    }
    if (field.type != WireType::Length) {
        return false;
    }
    ByteCursor cursor(field.bytes);
    while (cursor.ok() && cursor.remaining() > 0) {
        std::uint64_t raw = 0;
        switch (element) {
            case WireType::Fixed64:
                raw = cursor.read<std::uint64_t>();
                break;
            case WireType::Fixed32:
                raw = cursor.read<std::uint32_t>();
                break;
            default:
                raw = cursor.varint();
                break;
        }
        if (cursor.ok()) {
            each(raw);
        }
    }
    return cursor.ok();
}

/// Calls `each(const WireField&)` for the fields of a message; false where it ends in a broken
/// byte.
template <typename Each>
bool for_each_field(ByteSpan message, Each&& each) {
    ProtoReader reader(message);
    for (WireField field; reader.next(field);) {
        each(static_cast<const WireField&>(field));
    }
    return reader.ok();
}

/// The text of a field; empty where a message has none. Of a repeated one the last, as protobuf
/// wants.
inline std::string_view text_field(ByteSpan message, std::uint32_t number) {
    std::string_view text;
    for_each_field(message, [&](const WireField& field) {
        if (field.is(number, WireType::Length)) {
            text = field.as_text();
        }
    });
    return text;
}

}  // namespace taffrail
