#include "store/log_backwards.h"

#include "base/crc32c.h"
#include "base/try.h"
#include "codec/tlog/decode.h"
#include "io/files.h"
#include "io/inside.h"

#include <algorithm>

namespace taffrail::store {
namespace {

/// A frame can be this large and no larger; most are far below.
constexpr std::uint64_t kLargestWindow = 64u << 20;
/// Windows grow to this much when one after the other is asked for.
constexpr std::uint64_t kUsualWindow = 2u << 20;

}  // namespace

bool LogBackwards::take_frames(ByteSpan window,
                               const std::function<void(const tlog::Batch&)>& on_batch,
                               std::uint64_t& first) const {
    const std::string_view text = as_text(window);
    constexpr std::string_view kMagic = "TLG1";
    tlog::Decompressor decompressor;
    tlog::DecodedBatch decoded;
    Bytes scratch;
    bool any = false;
    for (std::size_t at = text.find(kMagic); at != std::string_view::npos;) {
        const ByteSpan rest = window.subspan(at);
        const auto header = tlog::parse_header(rest);
        const bool whole = header && header->nonce == nonce_ &&
                           header->frame_bytes() <= rest.size() &&
                           crc32c(rest.subspan(tlog::kFrameHeaderBytes, header->stored_bytes)) ==
                               header->payload_crc;
        if (!whole) {
            at = text.find(kMagic, at + 1);
            continue;
        }
        first = any ? first : at;
        any = true;
        if (header->type == tlog::FrameType::Batch && header->version == 1) {
            const auto payload =
                payload_of(*header, rest.subspan(tlog::kFrameHeaderBytes, header->stored_bytes),
                           decompressor, scratch);
            if (payload && decoded.decode(*header, *payload)) {
                on_batch(decoded.batch());
            }
        }
        at = text.find(kMagic, at + static_cast<std::size_t>(header->frame_bytes()));
    }
    return any;
}

Result<bool> LogBackwards::previous(const std::function<void(const tlog::Batch&)>& on_batch) {
    if (end_ == 0) {
        return false;
    }
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(io::parent(io::parent(url_)), url_));
    while (true) {
        const std::uint64_t size = std::min(window_bytes_, end_);
        Bytes window(static_cast<std::size_t>(size));
        TAFFRAIL_ASSIGN(const std::size_t count, file->read_at(end_ - size, window));
        window.resize(count);
        bytes_read_ += count;
        std::uint64_t first = 0;
        if (take_frames(window, on_batch, first)) {
            end_ = end_ - size + first;
            window_bytes_ = std::min(std::max(window_bytes_, window_bytes_ * 2), kUsualWindow);
            return true;
        }
        if (size == end_ || window_bytes_ >= kLargestWindow) {
            end_ = 0;  // what is left is no log
            return false;
        }
        window_bytes_ *= 4;
    }
}

}  // namespace taffrail::store
