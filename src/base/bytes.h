// Little-endian loads and stores, and a bounds-checked cursor over bytes from outside.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace taffrail {

static_assert(std::endian::native == std::endian::little,
              "formats are little-endian and so are all supported machines");

using Bytes = std::vector<std::byte>;
using ByteSpan = std::span<const std::byte>;

template <typename T>
    requires std::is_trivially_copyable_v<T>
T load(const void* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <typename T>
    requires std::is_trivially_copyable_v<T>
void store_at(void* to, T value) noexcept {
    std::memcpy(to, &value, sizeof value);
}

template <typename T>
    requires std::is_trivially_copyable_v<T>
void append(Bytes& to, T value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    to.insert(to.end(), from, from + sizeof value);
}

inline void append(Bytes& to, ByteSpan bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
}

inline ByteSpan as_bytes(std::string_view text) noexcept {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

inline std::string_view as_text(ByteSpan bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads from bytes nobody vouches for. After a read past the end every further read gives zero and
/// ok() is false, so a parser checks once at the end of a structure instead of at each field.
class ByteCursor {
  public:
    explicit ByteCursor(ByteSpan bytes) noexcept : bytes_(bytes) {}

    template <typename T>
        requires std::is_trivially_copyable_v<T>
    T read() noexcept {
        if (bytes_.size() - offset_ < sizeof(T) || !ok_) {
            ok_ = false;
            return T{};
        }
        T value = load<T>(bytes_.data() + offset_);
        offset_ += sizeof(T);
        return value;
    }

    ByteSpan take(std::uint64_t count) noexcept {
        if (!ok_ || bytes_.size() - offset_ < count) {
            ok_ = false;
            return {};
        }
        ByteSpan taken = bytes_.subspan(offset_, static_cast<std::size_t>(count));
        offset_ += static_cast<std::size_t>(count);
        return taken;
    }

    /// Unsigned LEB128, at most ten bytes.
    std::uint64_t varint() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<std::uint8_t>(read<std::byte>());
            value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
            if ((byte & 0x80) == 0) {
                return value;
            }
        }
        ok_ = false;
        return 0;
    }

    std::int64_t zigzag() noexcept {
        const std::uint64_t raw = varint();
        return static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
    }

    /// A varint length followed by that many bytes.
    std::string_view text() noexcept { return as_text(take(varint())); }

    [[nodiscard]] bool ok() const noexcept { return ok_; }

    [[nodiscard]] std::size_t offset() const noexcept { return offset_; }

    [[nodiscard]] std::size_t remaining() const noexcept { return bytes_.size() - offset_; }

    void fail() noexcept { ok_ = false; }

  private:
    ByteSpan bytes_;
    std::size_t offset_ = 0;
    bool ok_ = true;
};

inline void append_varint(Bytes& to, std::uint64_t value) {
    while (value >= 0x80) {
        to.push_back(static_cast<std::byte>(value | 0x80));
        value >>= 7;
    }
    to.push_back(static_cast<std::byte>(value));
}

inline void append_zigzag(Bytes& to, std::int64_t value) {
    append_varint(
        to, (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

inline void append_text(Bytes& to, std::string_view text) {
    append_varint(to, text.size());
    append(to, as_bytes(text));
}

}  // namespace taffrail
