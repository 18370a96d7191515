// Any bytes as a `.wandb` file: the scanner ends, and gives the same records in pieces as at once.
#include "codec/formats/wandb/framing.h"

#include <cstdlib>

using namespace taffrail;
using namespace taffrail::formats::wandb;

namespace {

std::vector<Bytes> scan(ByteSpan file, std::size_t piece) {
    std::vector<Bytes> records;
    RecordScanner scanner(block_origin_of(file));
    for (std::size_t seen = std::min(piece, file.size());;) {
        if (scanner.position() < seen) {
            const auto from = static_cast<std::size_t>(scanner.position());
            scanner.take(file.subspan(from, seen - from), [&](ByteSpan record, std::uint64_t) {
                records.emplace_back(record.begin(), record.end());
            });
        }
        if (seen == file.size()) {
            return records;
        }
        seen = std::min(file.size(), seen + piece);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteSpan file(reinterpret_cast<const std::byte*>(data), size);
    static_cast<void>(kind_of_file(file));
    if (scan(file, SIZE_MAX) != scan(file, 4097)) {
        std::abort();
    }
    return 0;
}
