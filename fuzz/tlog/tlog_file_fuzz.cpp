// Any bytes as a log file: the scanner ends, stays inside, and window sizes do not change what it
// finds.
#include "codec/tlog/decode.h"
#include "codec/tlog/meta.h"
#include "codec/tlog/payload.h"
#include "codec/tlog/scanner.h"

#include <cstdlib>
#include <vector>

namespace {

using namespace taffrail;
using tlog::FrameScanner;

std::vector<std::uint64_t> frames_of(ByteSpan file, std::size_t window_bytes) {
    std::vector<std::uint64_t> offsets;
    FrameScanner scanner;
    tlog::Decompressor decompressor;
    Bytes scratch;
    tlog::DecodedBatch decoded;
    std::size_t want = window_bytes;
    while (true) {
        const ByteSpan rest = file.subspan(static_cast<std::size_t>(scanner.offset()));
        const ByteSpan window = rest.first(std::min(rest.size(), want));
        want = window_bytes;
        switch (scanner.next(window, window.size() == rest.size())) {
            case FrameScanner::Outcome::Frame: {
                offsets.push_back(scanner.frame_offset());
                if (scanner.frame().payload_bytes > (1u << 20)) {
                    break;
                }
                const auto payload =
                    payload_of(scanner.frame(), scanner.stored(), decompressor, scratch);
                if (payload) {
                    (void)decoded.decode(*payload, 1u << 16);
                    (void)tlog::decode_checkpoint(*payload);
                    (void)tlog::decode_identity(*payload);
                    (void)tlog::decode_end(*payload);
                    (void)tlog::decode_cells(*payload);
                }
                break;
            }
            case FrameScanner::Outcome::NeedMore:
                want =
                    std::max<std::size_t>(window_bytes, static_cast<std::size_t>(scanner.needed()));
                break;
            case FrameScanner::Outcome::Pending:
                return offsets;
            default:
                break;
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteSpan file(reinterpret_cast<const std::byte*>(data), size);
    if (frames_of(file, SIZE_MAX) != frames_of(file, 64)) {
        std::abort();
    }
    return 0;
}
