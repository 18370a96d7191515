// Numbered fields in protobuf's wire format, for messages of our own: readers skip numbers they do
// not know, and any protobuf tool can print them.
#pragma once

#include "base/bytes.h"

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace taffrail {

/// Appends fields. Zero, false and empty are left out where a reader's default says the same.
class FieldWriter {
  public:
    void number(unsigned field, std::uint64_t value) {
        if (value != 0) {
            always_number(field, value);
        }
    }

    void always_number(unsigned field, std::uint64_t value) {
        append_varint(bytes_, field << 3);
        append_varint(bytes_, value);
    }

    void signed_number(unsigned field, std::int64_t value) {
        append_varint(bytes_, field << 3);
        append_zigzag(bytes_, value);
    }

    void real(unsigned field, double value) {
        if (std::bit_cast<std::uint64_t>(value) != 0) {
            always_real(field, value);
        }
    }

    void always_real(unsigned field, double value) {
        append_varint(bytes_, field << 3 | 1);
        append(bytes_, value);
    }

    void text(unsigned field, std::string_view value) {
        if (!value.empty()) {
            always_text(field, value);
        }
    }

    void always_text(unsigned field, std::string_view value) {
        append_varint(bytes_, field << 3 | 2);
        append_text(bytes_, value);
    }

    void reals(unsigned field, std::span<const double> values) {
        if (!values.empty()) {
            append_varint(bytes_, field << 3 | 2);
            append_varint(bytes_, values.size_bytes());
            append(bytes_, std::as_bytes(values));
        }
    }

    /// A nested message, written even when empty: its presence counts.
    void message(unsigned field, const FieldWriter& inner) {
        append_varint(bytes_, field << 3 | 2);
        append_varint(bytes_, inner.bytes_.size());
        append(bytes_, ByteSpan(inner.bytes_));
    }

    [[nodiscard]] Bytes take() && { return std::move(bytes_); }

  private:
    Bytes bytes_;
};

/// Walks over fields: `while (reader.next()) switch (reader.field()) …`. Unknown fields need no
/// code. A field of another wire type than asked for reads as zero or empty.
class FieldReader {
  public:
    explicit FieldReader(ByteSpan bytes) noexcept : cursor_(bytes) {}

    bool next() noexcept {
        if (!cursor_.ok() || cursor_.remaining() == 0) {
            return false;
        }
        const std::uint64_t tag = cursor_.varint();
        field_ = static_cast<unsigned>(tag >> 3);
        number_ = 0;
        content_ = {};
        switch (tag & 7) {
            case 0:
                number_ = cursor_.varint();
                break;
            case 1:
                number_ = cursor_.read<std::uint64_t>();
                break;
            case 2:
                content_ = cursor_.take(cursor_.varint());
                break;
            case 5:
                number_ = cursor_.read<std::uint32_t>();
                break;
            default:
                cursor_.fail();
        }
        return cursor_.ok();
    }

    [[nodiscard]] unsigned field() const noexcept { return field_; }

    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

    [[nodiscard]] std::int64_t signed_number() const noexcept {
        return static_cast<std::int64_t>(number_ >> 1) ^ -static_cast<std::int64_t>(number_ & 1);
    }

    [[nodiscard]] double real() const noexcept { return std::bit_cast<double>(number_); }

    [[nodiscard]] std::string_view text() const noexcept { return as_text(content_); }

    [[nodiscard]] ByteSpan bytes() const noexcept { return content_; }

    [[nodiscard]] std::vector<double> reals() const {
        std::vector<double> values(content_.size() / sizeof(double));
        if (!values.empty()) {
            std::memcpy(values.data(), content_.data(), values.size() * sizeof(double));
        }
        return values;
    }

    /// False when the bytes ended inside a field.
    [[nodiscard]] bool ok() const noexcept { return cursor_.ok(); }

  private:
    ByteCursor cursor_;
    unsigned field_ = 0;
    std::uint64_t number_ = 0;
    ByteSpan content_;
};

}  // namespace taffrail
