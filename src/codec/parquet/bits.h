// Numbers of a fixed number of bits, packed from the lowest bit up, as Parquet packs them.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <span>

namespace taffrail::parquet {

/// Appends values × bits bits; their number must fill whole bytes (8, 32, … values).
inline void append_bits(Bytes& to, std::span<const std::uint64_t> values, unsigned bits) {
    const std::size_t start = to.size(), size = values.size() * bits / 8;
    to.resize(start + size + sizeof(std::uint64_t));  // eight bytes are written at a time
    std::byte* at = to.data() + start;
    unsigned __int128 pending = 0;
    unsigned have = 0;
    for (const std::uint64_t value : values) {
        pending |= static_cast<unsigned __int128>(value) << have;
        have += bits;
        if (have >= 64) {
            store_at(at, static_cast<std::uint64_t>(pending));
            at += sizeof(std::uint64_t);
            pending >>= 64;
            have -= 64;
        }
    }
    store_at(at, static_cast<std::uint64_t>(pending));
    to.resize(start + size);
}

/// Reads them back. The caller has checked that the bytes hold all values it will ask for.
class BitReader {
  public:
    BitReader(ByteSpan bytes, unsigned bits) noexcept
        : bytes_(bytes),
          bits_(bits),
          mask_(bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) {}

    std::uint64_t next() noexcept {
        while (have_ < bits_) {
            if (bytes_.size() - at_ >= 8 && have_ <= 56) {
                pending_ |= static_cast<unsigned __int128>(load<std::uint64_t>(bytes_.data() + at_))
                            << have_;
                at_ += 8;
                have_ += 64;
            } else {
                const auto byte = at_ < bytes_.size() ? static_cast<std::uint8_t>(bytes_[at_]) : 0u;
                pending_ |= static_cast<unsigned __int128>(byte) << have_;
                ++at_;
                have_ += 8;
            }
        }
        const std::uint64_t value = static_cast<std::uint64_t>(pending_) & mask_;
        pending_ >>= bits_;
        have_ -= bits_;
        return value;
    }

  private:
    ByteSpan bytes_;
    unsigned bits_;
    std::uint64_t mask_;
    unsigned __int128 pending_ = 0;
    std::size_t at_ = 0;
    unsigned have_ = 0;
};

}  // namespace taffrail::parquet
