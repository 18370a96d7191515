#include "seal/index.h"

#include "seal/index_check.h"

#include <algorithm>

namespace taffrail::seal {
namespace {

/// Version 2 counts the infinities of a series, and its numbers are those of the finite points.
/// Where every point is finite both versions say the same, and programs that know only the first
/// one read the file as fast as ever.
constexpr std::uint64_t kVersionOfFinite = 1, kVersion = 2;

bool all_finite(const FileIndex& index) {
    return std::ranges::all_of(index.sections, [](const Section& section) {
        return std::ranges::all_of(section.series, [](const SeriesEntry& series) {
            return series.summary.finite_count() == series.summary.count;
        });
    });
}

void append_double(Bytes& to, double value) {
    append(to, value);
}

void append_levels(Bytes& to, const LevelBlocks& levels) {
    append_varint(to, levels.size());
    for (const auto& blocks : levels) {
        append_varint(to, blocks.size());
        for (const BlockPlace& block : blocks) {
            append_varint(to, block.offset);
            append_varint(to, block.bytes);
            append(to, block.crc);
        }
    }
}

/// A count that the bytes left can hold at `least` bytes an item; 0 and a failed cursor otherwise.
std::size_t read_count(ByteCursor& from, std::size_t least) {
    const std::uint64_t count = from.varint();
    if (count > from.remaining() / least) {
        from.fail();
        return 0;
    }
    return static_cast<std::size_t>(count);
}

LevelBlocks read_levels(ByteCursor& from) {
    LevelBlocks levels(read_count(from, 1));
    for (auto& blocks : levels) {
        blocks.resize(read_count(from, 6));
        for (BlockPlace& block : blocks) {
            block.offset = from.varint();
            block.bytes = static_cast<std::uint32_t>(from.varint());
            block.crc = from.read<std::uint32_t>();
        }
    }
    return levels;
}

void append_summary(Bytes& to, const SeriesSummary& summary, std::uint64_t version) {
    append_varint(to, summary.count);
    append_varint(to, summary.nan_count);
    if (version >= 2) {
        append_varint(to, summary.positive_infinity_count);
        append_varint(to, summary.negative_infinity_count);
    }
    for (const double value : {summary.min, summary.max, summary.sum, summary.last}) {
        append_double(to, value);
    }
    for (const std::int64_t value :
         {summary.first_step, summary.last_step, summary.first_time_ns, summary.last_time_ns}) {
        append_zigzag(to, value);
    }
}

SeriesSummary read_summary(ByteCursor& from, std::uint64_t version) {
    SeriesSummary summary;
    summary.count = from.varint();
    summary.nan_count = from.varint();
    if (version >= 2) {
        summary.positive_infinity_count = from.varint();
        summary.negative_infinity_count = from.varint();
    }
    for (double* value : {&summary.min, &summary.max, &summary.sum, &summary.last}) {
        *value = from.read<double>();
    }
    for (std::int64_t* value :
         {&summary.first_step, &summary.last_step, &summary.first_time_ns, &summary.last_time_ns}) {
        *value = from.zigzag();
    }
    return summary;
}

void append_series(Bytes& to, const SeriesEntry& series, std::uint64_t version) {
    append_text(to, series.key);
    append_varint(to, series.column);
    append_summary(to, series.summary, version);
    append_varint(to, series.specials.size());
    model::SpecialTotals before;
    for (const model::SpecialTotals& totals : series.specials) {
        append_varint(to, totals.node - before.node);
        append_varint(to, totals.nan_count - before.nan_count);
        append_varint(to, totals.positive_infinity_count - before.positive_infinity_count);
        append_varint(to, totals.negative_infinity_count - before.negative_infinity_count);
        before = totals;
    }
    append_levels(to, series.levels);
}

SeriesEntry read_series(ByteCursor& from, std::uint64_t version) {
    SeriesEntry series;
    series.key = from.text();
    series.column = static_cast<std::uint32_t>(from.varint());
    series.summary = read_summary(from, version);
    series.specials.resize(read_count(from, 4));
    model::SpecialTotals before;
    for (model::SpecialTotals& totals : series.specials) {
        totals.node = before.node + from.varint();
        totals.nan_count = before.nan_count + from.varint();
        totals.positive_infinity_count = before.positive_infinity_count + from.varint();
        totals.negative_infinity_count = before.negative_infinity_count + from.varint();
        before = totals;
    }
    series.levels = read_levels(from);
    return series;
}

void append_section(Bytes& to, const Section& section, std::uint64_t version) {
    append_varint(to, section.first_row);
    append_varint(to, section.rows);
    for (const AxisIndex& axis : section.axes) {
        append_varint(to, (axis.present ? 1u : 0u) | (axis.rising ? 2u : 0u));
        if (axis.rising) {
            append(to, axis.first_bits);
            append(to, axis.last_bits);
            append_levels(to, axis.levels);
        }
    }
    append_varint(to, section.attempts.size());
    for (const AttemptRange& range : section.attempts) {
        append_varint(to, range.attempt);
        append_zigzag(to, range.first_step);
        append_zigzag(to, range.last_step);
    }
    append_varint(to, section.series.size());
    for (const SeriesEntry& series : section.series) {
        append_series(to, series, version);
    }
}

Section read_section(ByteCursor& from, std::uint64_t version) {
    Section section;
    section.first_row = from.varint();
    section.rows = from.varint();
    for (AxisIndex& axis : section.axes) {
        const std::uint64_t flags = from.varint();
        axis.present = (flags & 1) != 0;
        axis.rising = (flags & 2) != 0;
        if (axis.rising) {
            axis.first_bits = from.read<std::uint64_t>();
            axis.last_bits = from.read<std::uint64_t>();
            axis.levels = read_levels(from);
        }
    }
    section.attempts.resize(read_count(from, 3));
    for (AttemptRange& range : section.attempts) {
        range.attempt = static_cast<std::uint32_t>(from.varint());
        range.first_step = from.zigzag();
        range.last_step = from.zigzag();
    }
    const std::size_t count = read_count(from, 40);
    for (std::size_t i = 0; i < count && from.ok(); ++i) {
        section.series.push_back(read_series(from, version));
    }
    return section;
}

}  // namespace

Bytes encode_index(const FileIndex& index) {
    Bytes bytes;
    const std::uint64_t version = all_finite(index) ? kVersionOfFinite : kVersion;
    append_varint(bytes, version);
    append_varint(bytes, static_cast<std::uint64_t>(index.kind));
    append_varint(bytes, static_cast<std::uint64_t>(index.profile));
    append_text(bytes, index.run_id);
    append_varint(bytes, index.rows);
    append_varint(bytes, index.pages.size());
    for (const auto& pages : index.pages) {
        append_varint(bytes, pages.size());
        for (const parquet::PagePlace& page : pages) {
            append_varint(bytes, page.offset);
            append_varint(bytes, page.bytes);
            append_varint(bytes, page.rows);
        }
    }
    append_varint(bytes, index.writers.size());
    for (const WriterSpan& span : index.writers) {
        append(bytes, span.writer);
        append_varint(bytes, span.attempt);
        append_zigzag(bytes, span.rank);
        append_varint(bytes, span.rows);
    }
    append_varint(bytes, index.phases.size());
    for (const PhaseSpan& span : index.phases) {
        append_varint(bytes, static_cast<std::uint64_t>(span.phase));
        append_varint(bytes, span.rows);
    }
    append_varint(bytes, index.sections.size());
    for (const Section& section : index.sections) {
        append_section(bytes, section, version);
    }
    return bytes;
}

Result<FileIndex> decode_index(ByteSpan bytes, std::uint64_t file_bytes) {
    ByteCursor from(bytes);
    const std::uint64_t version = from.varint();
    if (version != kVersionOfFinite && version != kVersion) {
        return Error{ErrorCode::Unsupported,
                     "the index of a sealed file has version " + std::to_string(version) +
                         "; this program reads versions 1 and 2: use a newer one"};
    }
    FileIndex index;
    index.kind = static_cast<TableKind>(from.varint());
    index.profile = from.varint() == 0 ? parquet::Profile::Standard : parquet::Profile::Compat;
    index.run_id = from.text();
    index.rows = from.varint();
    index.pages.resize(read_count(from, 1));
    for (auto& pages : index.pages) {
        pages.resize(read_count(from, 3));
        for (parquet::PagePlace& page : pages) {
            page.offset = from.varint();
            page.bytes = static_cast<std::uint32_t>(from.varint());
            page.rows = static_cast<std::uint32_t>(from.varint());
        }
    }
    index.writers.resize(read_count(from, 11));
    std::uint64_t next_row = 0;
    for (WriterSpan& span : index.writers) {
        span.writer = from.read<std::uint64_t>();
        span.attempt = static_cast<std::uint32_t>(from.varint());
        span.rank = static_cast<std::int32_t>(from.zigzag());
        span.rows = from.varint();
        span.first_row = next_row;
        next_row += span.rows;
    }
    index.phases.resize(read_count(from, 2));
    for (PhaseSpan& span : index.phases) {
        span.phase = static_cast<Phase>(from.varint());
        span.rows = from.varint();
    }
    const std::size_t sections = read_count(from, 8);
    for (std::size_t i = 0; i < sections && from.ok(); ++i) {
        index.sections.push_back(read_section(from, version));
    }
    if (!from.ok() || !is_sound(index, file_bytes)) {
        return Error{ErrorCode::Corrupt, "the index of a sealed file contradicts itself"};
    }
    return index;
}

void append_trailer(Bytes& to, const IndexTrailer& trailer) {
    append(to, trailer.offset);
    append(to, trailer.stored_bytes);
    append(to, trailer.bytes);
    append(to, trailer.crc);
    append(to, as_bytes(IndexTrailer::kMagic));
}

Result<IndexTrailer> decode_trailer(ByteSpan bytes) {
    ByteCursor from(bytes);
    IndexTrailer trailer;
    trailer.offset = from.read<std::uint64_t>();
    trailer.stored_bytes = from.read<std::uint32_t>();
    trailer.bytes = from.read<std::uint32_t>();
    trailer.crc = from.read<std::uint32_t>();
    if (as_text(from.take(IndexTrailer::kMagic.size())) != IndexTrailer::kMagic || !from.ok()) {
        return Error{ErrorCode::Corrupt,
                     "a Parquet file without the index of a sealed Taffrail file"};
    }
    return trailer;
}

}  // namespace taffrail::seal
