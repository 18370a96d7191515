#include "codec/parquet/page_walk.h"

#include "codec/parquet/compression.h"

#include <optional>

namespace taffrail::parquet {
namespace {

/// Length of the header and body that a header claims, when the bytes hold them.
std::optional<ParsedPageHeader> page_at(ByteSpan bytes) {
    auto parsed = decode_page_header(bytes);
    if (!parsed.ok() ||
        bytes.size() - parsed->bytes < static_cast<std::size_t>(parsed->header.compressed_bytes)) {
        return std::nullopt;
    }
    return *std::move(parsed);
}

std::size_t length_of(const ParsedPageHeader& page) {
    return page.bytes + static_cast<std::size_t>(page.header.compressed_bytes);
}

std::optional<FoundPage> whole_page_at(ByteSpan bytes, std::size_t offset) {
    const auto page = page_at(bytes.subspan(offset));
    if (!page || !page->header.crc) {
        return std::nullopt;
    }
    const ByteSpan body = bytes.subspan(offset + page->bytes,
                                        static_cast<std::size_t>(page->header.compressed_bytes));
    if (crc32(body) != *page->header.crc) {
        return std::nullopt;
    }
    return FoundPage{offset, length_of(*page), true, page->header};
}

/// Where the page after the damaged one at `offset` begins.
std::size_t end_of_damage(ByteSpan bytes, std::size_t offset) {
    // Most often the body is damaged and the header still says how long it is.
    if (const auto page = page_at(bytes.subspan(offset))) {
        const std::size_t end = offset + length_of(*page);
        if (end == bytes.size() || whole_page_at(bytes, end)) {
            return end;
        }
    }
    std::size_t at = offset + 1;
    while (at < bytes.size() && !whole_page_at(bytes, at)) {
        ++at;
    }
    return at;
}

}  // namespace

std::vector<FoundPage> walk_pages(ByteSpan bytes) {
    std::vector<FoundPage> pages;
    for (std::size_t at = 0; at < bytes.size();) {
        if (const auto page = whole_page_at(bytes, at)) {
            pages.push_back(*page);
        } else {
            pages.push_back({at, end_of_damage(bytes, at) - at, false, {}});
        }
        at += pages.back().bytes;
    }
    return pages;
}

}  // namespace taffrail::parquet
