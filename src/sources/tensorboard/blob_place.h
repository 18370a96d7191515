// Refs to bytes inside foreign files. Reading a logdir must not hash gigabytes of pictures nobody
// looks at, so the ref of such a blob names its place instead of its content.
#pragma once

#include <taffrail/value.h>

#include "base/crc32c.h"

#include <cstring>
#include <optional>
#include <string_view>

namespace taffrail::sources::tensorboard {

struct BlobPlace {
    enum class Type : std::uint32_t {
        Bytes = 1,
        TensorElements = 2,
        Mesh = 3,
        SideFile = 4,
        Embedding = 5
    };
    Type type = Type::Bytes;
    std::uint32_t file = 0;  ///< number of the file, or key_number() of a mesh or embedding
    /// Byte offset, or number of the entry (doubled for embeddings: + 1 is the sprite).
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  ///< of the bytes at that place
};

inline std::uint32_t key_number(std::string_view key) noexcept {
    return crc32c(as_bytes(key));
}

inline BlobRef to_ref(const BlobPlace& place) noexcept {
    BlobRef ref;
    ref.size = place.size;
    std::memcpy(ref.sha256.data(), "tbplace", 8);
    store_at(ref.sha256.data() + 8, static_cast<std::uint32_t>(place.type));
    store_at(ref.sha256.data() + 12, place.file);
    store_at(ref.sha256.data() + 16, place.offset);
    store_at(ref.sha256.data() + 24, place.size);
    return ref;
}

/// Nothing for refs that are true hashes.
inline std::optional<BlobPlace> from_ref(const BlobRef& ref) noexcept {
    const auto type = taffrail::load<std::uint32_t>(ref.sha256.data() + 8);
    if (std::memcmp(ref.sha256.data(), "tbplace", 8) != 0 || type < 1 || type > 5) {
        return std::nullopt;
    }
    return BlobPlace{.type = static_cast<BlobPlace::Type>(type),
                     .file = taffrail::load<std::uint32_t>(ref.sha256.data() + 12),
                     .offset = taffrail::load<std::uint64_t>(ref.sha256.data() + 16),
                     .size = taffrail::load<std::uint64_t>(ref.sha256.data() + 24)};
}

}  // namespace taffrail::sources::tensorboard
