#include "model/cache_file.h"

#include "base/crc32c.h"
#include "base/try.h"
#include "codec/tlog/compressor.h"
#include "io/files.h"
#include "io/private_folder.h"

namespace taffrail::model {
namespace {

constexpr std::size_t kHeadBytes = 16;  // magic, CRC-32C, length

}  // namespace

std::optional<Bytes> read_cache_file(const std::string& path, std::string_view magic,
                                     std::uint64_t limit) {
    const auto bytes = io::read_file(path);
    if (!bytes.ok() || bytes->size() < kHeadBytes ||
        as_text(ByteSpan(*bytes).first(magic.size())) != magic) {
        return std::nullopt;
    }
    const ByteSpan stored = ByteSpan(*bytes).subspan(kHeadBytes);
    const auto length = load<std::uint64_t>(bytes->data() + 8);
    if (load<std::uint32_t>(bytes->data() + 4) != crc32c(stored) || length > limit) {
        return std::nullopt;
    }
    if (stored.size() == length) {
        return Bytes(stored.begin(), stored.end());
    }
    Bytes body;
    if (!tlog::Decompressor().decompress(body, stored, static_cast<std::size_t>(length))) {
        return std::nullopt;
    }
    return body;
}

Result<void> write_cache_file(const std::string& path, std::string_view magic, const Bytes& body) {
    Bytes stored, bytes;
    if (!tlog::Compressor().compress(stored, body)) {
        stored = body;
    }
    append(bytes, as_bytes(magic));
    append(bytes, crc32c(stored));
    append(bytes, static_cast<std::uint64_t>(body.size()));
    append(bytes, stored);
    TAFFRAIL_TRY(io::make_private_directories(path.substr(0, path.rfind('/'))));
    return io::write_file_atomically(path, bytes, false);
}

}  // namespace taffrail::model
