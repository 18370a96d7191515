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

// The newest window comes first, so what its oldest frame hangs on is looked at with the next one.
bool LogBackwards::take_frames(ByteSpan window,
                               const std::function<void(const tlog::Batch&)>& on_batch,
                               std::uint64_t& first) {
    const std::string_view text = as_text(window);
    constexpr std::string_view kMagic = "TLG1";
    tlog::Decompressor decompressor;
    tlog::DecodedBatch decoded;
    Bytes scratch;
    bool any = false;
    const std::uint32_t later = chain_;
    std::uint32_t oldest = 0;
    std::size_t expected = 0;
    tlog::FrameType last = tlog::FrameType::Batch;
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
        whole_ = whole_ && (!any || (at == expected && header->previous_crc == chain_));
        chain_ = header->header_crc;
        if (!any) {
            first = at;
            oldest = header->previous_crc;
            any = true;
        }
        last = header->type;
        if (header->type == tlog::FrameType::Batch && header->version == 1) {
            const auto payload =
                payload_of(*header, rest.subspan(tlog::kFrameHeaderBytes, header->stored_bytes),
                           decompressor, scratch);
            if (payload && decoded.decode(*header, *payload)) {
                on_batch(decoded.batch());
            } else {
                whole_ = false;
            }
        }
        expected = at + static_cast<std::size_t>(header->frame_bytes());
        at = text.find(kMagic, expected);
    }
    if (any) {
        whole_ = whole_ && expected == window.size() && (!any_ || chain_ == later);
        has_end_frame_ = any_ ? has_end_frame_ : last == tlog::FrameType::End;
        any_ = true;
        chain_ = oldest;
    }
    return any;
}

Result<bool> LogBackwards::previous(const std::function<void(const tlog::Batch&)>& on_batch) {
    if (end_ <= begin_) {
        return false;
    }
    std::unique_ptr<io::File> opened;
    if (file_ == nullptr) {
        TAFFRAIL_ASSIGN(opened, io::open_inside(io::parent(io::parent(url_)), url_));
    }
    io::File& file = file_ != nullptr ? *file_ : *opened;
    while (true) {
        const std::uint64_t size = std::min(window_bytes_, end_ - begin_);
        Bytes window(static_cast<std::size_t>(size));
        TAFFRAIL_ASSIGN(const std::size_t count, file.read_at(end_ - size, window));
        window.resize(count);
        std::uint64_t first = 0;
        if (take_frames(window, on_batch, first)) {
            end_ = end_ - size + first;
            whole_ = whole_ && (end_ > 0 || chain_ == 0);
            window_bytes_ = std::min(std::max(window_bytes_, window_bytes_ * 2), kUsualWindow);
            return true;
        }
        if (size == end_ - begin_ || window_bytes_ >= kLargestWindow) {
            end_ = begin_;  // what is left is no log
            whole_ = false;
            return false;
        }
        window_bytes_ *= 4;
    }
}

}  // namespace taffrail::store
