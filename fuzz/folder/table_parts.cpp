#include "table_parts.h"

#include "base/crc32c.h"
#include "codec/parquet/compression.h"
#include "codec/parquet/format.h"
#include "codec/parquet/page_walk.h"
#include "seal/index.h"

#include <algorithm>
#include <map>

namespace taffrail::fuzzing {
namespace {

constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kTailBytes = 8;
// Beyond any file of a test: an index is read here before the file around it is whole.
constexpr std::uint64_t kFileBytes = 1u << 20;

// A page's header in one number: what it claims beyond its true size may be mutated too.
std::uint64_t pack_header(const parquet::PageHeader& header) {
    return (header.dictionary ? 1u : 0u) | (header.crc ? 2u : 0u) |
           (static_cast<std::uint64_t>(header.encoding) << 8) |
           (static_cast<std::uint64_t>(static_cast<std::uint32_t>(header.values)) << 16);
}

void append_page(Bytes& to, const Part& part) {
    Bytes packed;
    parquet::append_zstd(packed, part.content);
    parquet::PageHeader header;
    header.dictionary = (part.number & 1) != 0;
    header.encoding = static_cast<parquet::Encoding>((part.number >> 8) & 0xff);
    header.values = static_cast<std::int32_t>(static_cast<std::uint32_t>(part.number >> 16));
    // The top bits lie about the size of the body.
    header.uncompressed_bytes = static_cast<std::int32_t>(
        static_cast<std::uint32_t>(part.content.size() + (part.number >> 48)));
    header.compressed_bytes = static_cast<std::int32_t>(packed.size());
    if ((part.number & 2) != 0) {
        header.crc = parquet::crc32(packed);
    }
    parquet::append_page_header(to, header);
    append(to, packed);
}

struct Range {
    std::uint64_t offset = 0, bytes = 0;
    PartKind kind = PartKind::Bytes;
};

/// Where the chunks of the footer lie.
std::vector<Range> chunk_ranges(const parquet::FileMetadata& metadata) {
    std::vector<Range> ranges;
    for (const parquet::RowGroup& group : metadata.row_groups) {
        for (const parquet::ColumnChunk& chunk : group.columns) {
            const auto first = chunk.dictionary_page_offset != 0 ? chunk.dictionary_page_offset
                                                                 : chunk.data_page_offset;
            ranges.push_back({static_cast<std::uint64_t>(first),
                              static_cast<std::uint64_t>(chunk.compressed_bytes), PartKind::Page});
        }
    }
    return ranges;
}

void add_blocks(std::vector<Range>& ranges, const seal::LevelBlocks& levels) {
    for (const auto& level : levels) {
        for (const seal::BlockPlace& place : level) {
            ranges.push_back({place.offset, place.bytes, PartKind::Block});
        }
    }
}

void append_page_parts(std::vector<Part>& parts, ByteSpan file, const Range& range) {
    const ByteSpan chunk = file.subspan(range.offset, range.bytes);
    for (const parquet::FoundPage& page : parquet::walk_pages(chunk)) {
        const ByteSpan bytes = chunk.subspan(page.offset, page.bytes);
        Part part{PartKind::Bytes, 0, range.offset + page.offset, {bytes.begin(), bytes.end()}};
        if (page.whole) {
            Bytes body(static_cast<std::size_t>(page.header.uncompressed_bytes));
            const auto packed = static_cast<std::size_t>(page.header.compressed_bytes);
            if (parquet::unpack_zstd(bytes.last(packed), body)) {
                part.kind = PartKind::Page;
                part.number = pack_header(page.header);
                part.content = std::move(body);
            }
        }
        parts.push_back(std::move(part));
    }
}

struct Layout {
    std::uint64_t index_offset = 0, footer_offset = 0;
    Bytes index;
    std::vector<Range> ranges;
};

std::optional<Layout> layout_of(ByteSpan file) {
    if (file.size() < kMagicBytes + kTailBytes || as_text(file.first(kMagicBytes)) != "PAR1") {
        return std::nullopt;
    }
    const auto footer_bytes = load<std::uint32_t>(file.last(kTailBytes).data());
    if (footer_bytes > file.size() - kTailBytes - kMagicBytes) {
        return std::nullopt;
    }
    Layout layout;
    layout.footer_offset = file.size() - kTailBytes - footer_bytes;
    const auto metadata =
        parquet::decode_metadata(file.subspan(layout.footer_offset, footer_bytes));
    if (!metadata.ok()) {
        return std::nullopt;
    }
    layout.ranges = chunk_ranges(*metadata);
    layout.index_offset = layout.footer_offset;
    if (layout.footer_offset > seal::IndexTrailer::kBytes) {
        const auto trailer = seal::decode_trailer(file.subspan(
            layout.footer_offset - seal::IndexTrailer::kBytes, seal::IndexTrailer::kBytes));
        if (trailer.ok() && trailer->offset + trailer->stored_bytes <= layout.footer_offset) {
            layout.index.resize(trailer->bytes);
            if (parquet::unpack_zstd(file.subspan(trailer->offset, trailer->stored_bytes),
                                     layout.index)) {
                layout.index_offset = trailer->offset;
            }
        }
    }
    if (const auto index = seal::decode_index(layout.index, file.size()); index.ok()) {
        for (const seal::Section& section : index->sections) {
            for (const seal::AxisIndex& axis : section.axes) {
                add_blocks(layout.ranges, axis.levels);
            }
            for (const seal::SeriesEntry& series : section.series) {
                add_blocks(layout.ranges, series.levels);
            }
        }
    }
    std::ranges::sort(layout.ranges, {}, &Range::offset);
    return layout;
}

/// Old place → new place, for what pointed at the beginning or the end of a part.
class Places {
  public:
    void note(std::uint64_t before, std::uint64_t now) { places_.emplace(before, now); }

    [[nodiscard]] bool move(std::uint64_t& place) const {
        const auto found = places_.find(place);
        if (found == places_.end()) {
            return false;
        }
        place = found->second;
        return true;
    }

    /// A range keeps its meaning where both ends are known, else its length.
    template <typename Offset, typename Length>
    void move(Offset& offset, Length& length) const {
        auto first = static_cast<std::uint64_t>(offset);
        std::uint64_t end = first + static_cast<std::uint64_t>(length);
        if (move(first)) {
            if (move(end) && end >= first) {
                length = static_cast<Length>(end - first);
            }
            offset = static_cast<Offset>(first);
        }
    }

  private:
    std::map<std::uint64_t, std::uint64_t> places_;
};

void move_blocks(seal::LevelBlocks& levels, const Places& places, ByteSpan file) {
    for (auto& level : levels) {
        for (seal::BlockPlace& place : level) {
            places.move(place.offset, place.bytes);
            if (place.offset <= file.size() && place.bytes <= file.size() - place.offset) {
                place.crc = crc32c(file.subspan(place.offset, place.bytes));
            }
        }
    }
}

Bytes moved_index(const Bytes& content, const Places& places, ByteSpan file) {
    auto index = seal::decode_index(content, kFileBytes);
    if (!index.ok()) {
        return content;
    }
    for (auto& pages : index->pages) {
        for (parquet::PagePlace& page : pages) {
            places.move(page.offset, page.bytes);
        }
    }
    for (seal::Section& section : index->sections) {
        for (seal::AxisIndex& axis : section.axes) {
            move_blocks(axis.levels, places, file);
        }
        for (seal::SeriesEntry& series : section.series) {
            move_blocks(series.levels, places, file);
        }
    }
    return seal::encode_index(*index);
}

Bytes moved_footer(const Bytes& content, const Places& places) {
    auto metadata = parquet::decode_metadata(content);
    if (!metadata.ok()) {
        return content;
    }
    for (parquet::RowGroup& group : metadata->row_groups) {
        for (parquet::ColumnChunk& chunk : group.columns) {
            auto data = static_cast<std::uint64_t>(chunk.data_page_offset);
            (void)places.move(data);
            if (chunk.dictionary_page_offset != 0) {
                places.move(chunk.dictionary_page_offset, chunk.compressed_bytes);
                chunk.data_page_offset = static_cast<std::int64_t>(data);
            } else {
                places.move(chunk.data_page_offset, chunk.compressed_bytes);
            }
        }
    }
    return parquet::encode(*metadata);
}

void append_index(Bytes& file, const Bytes& index) {
    Bytes stored;
    parquet::append_zstd(stored, index);
    seal::IndexTrailer trailer;
    trailer.offset = file.size();
    trailer.stored_bytes = static_cast<std::uint32_t>(stored.size());
    trailer.bytes = static_cast<std::uint32_t>(index.size());
    trailer.crc = crc32c(stored);
    append(file, stored);
    seal::append_trailer(file, trailer);
}

}  // namespace

std::vector<Part> take_table_apart(ByteSpan file) {
    const auto layout = layout_of(file);
    if (!layout) {
        return {{PartKind::Bytes, 0, 0, {file.begin(), file.end()}}};
    }
    std::vector<Part> parts;
    std::uint64_t at = 0;
    const auto copy_until = [&](std::uint64_t end) {
        if (end > at) {
            const ByteSpan bytes = file.subspan(at, end - at);
            parts.push_back({PartKind::Bytes, 0, at, {bytes.begin(), bytes.end()}});
        }
        at = std::max(at, end);
    };
    for (const Range& range : layout->ranges) {
        if (range.offset < at || range.offset + range.bytes > layout->index_offset) {
            continue;
        }
        copy_until(range.offset);
        if (range.kind == PartKind::Page) {
            append_page_parts(parts, file, range);
        } else {
            const ByteSpan bytes = file.subspan(range.offset, range.bytes);
            parts.push_back({PartKind::Block, 0, range.offset, {bytes.begin(), bytes.end()}});
        }
        at = range.offset + range.bytes;
    }
    copy_until(layout->index_offset);
    if (layout->index_offset < layout->footer_offset) {
        parts.push_back({PartKind::Index, 0, at, layout->index});
    }
    const ByteSpan footer =
        file.subspan(layout->footer_offset, file.size() - kTailBytes - layout->footer_offset);
    parts.push_back({PartKind::Footer, 0, layout->footer_offset, {footer.begin(), footer.end()}});
    return parts;
}

Bytes put_table_together(const std::vector<Part>& parts) {
    Bytes file;
    Places places;
    for (const Part& part : parts) {
        places.note(part.second, file.size());
        switch (part.kind) {
            case PartKind::Page:
                append_page(file, part);
                break;
            case PartKind::Index:
                append_index(file, moved_index(part.content, places, file));
                break;
            case PartKind::Footer: {
                const Bytes footer = moved_footer(part.content, places);
                append(file, footer);
                append(file, static_cast<std::uint32_t>(footer.size()));
                append(file, as_bytes("PAR1"));
                break;
            }
            default:
                append(file, part.content);
        }
    }
    return file;
}

}  // namespace taffrail::fuzzing
