#include "seal/index_check.h"

#include <algorithm>

namespace taffrail::seal {
namespace {

// Of one page: what parquet::read_page() lets pass.
constexpr std::uint32_t kMaxPageRows = std::uint32_t{1} << 20;
// The header of a page and an empty zstd frame take more.
constexpr std::uint32_t kLeastPageBytes = 16;

bool lies_in(std::uint64_t offset, std::uint64_t bytes, std::uint64_t file_bytes) {
    return offset <= file_bytes && bytes <= file_bytes - offset;
}

// Pages do not overlap, so together they are no longer than the file: that bounds their number, and
// so the rows that a small file can claim.
bool pages_fit(const FileIndex& index, std::uint64_t file_bytes) {
    std::uint64_t room = file_bytes;
    for (const auto& pages : index.pages) {
        std::uint64_t rows = 0;
        for (const parquet::PagePlace& page : pages) {
            if (!lies_in(page.offset, page.bytes, file_bytes) || page.bytes < kLeastPageBytes ||
                page.bytes > room || page.rows == 0 || page.rows > kMaxPageRows) {
                return false;
            }
            room -= page.bytes;
            rows += page.rows;
        }
        if (rows != index.rows) {
            return false;
        }
    }
    return true;
}

bool levels_fit(const LevelBlocks& levels, std::uint64_t rows, std::uint64_t file_bytes) {
    if (levels.size() != stored_levels(rows)) {
        return false;
    }
    for (unsigned level = 0; level < levels.size(); ++level) {
        const std::uint64_t nodes = rows / model::node_points(level);
        if (levels[level].size() != (nodes + kBlockNodes - 1) / kBlockNodes) {
            return false;
        }
        for (const BlockPlace& block : levels[level]) {
            if (!lies_in(block.offset, block.bytes, file_bytes)) {
                return false;
            }
        }
    }
    return true;
}

bool section_fits(const Section& section, const FileIndex& index, std::uint64_t file_bytes) {
    bool rising = false;
    for (const AxisIndex& axis : section.axes) {
        rising = rising || axis.rising;
        if (axis.rising && !levels_fit(axis.levels, section.rows, file_bytes)) {
            return false;
        }
    }
    return std::ranges::all_of(section.series, [&](const SeriesEntry& series) {
        // Levels are only looked at along an axis that rises; an index made from the footer has
        // neither.
        return series.column >= first_value_column(index.kind) &&
               series.column < index.pages.size() &&
               (levels_fit(series.levels, section.rows, file_bytes) ||
                (series.levels.empty() && !rising));
    });
}

// A wide table is one section; in a long one each section is one series, and the sections are all
// rows.
bool sections_fit(const FileIndex& index, std::uint64_t file_bytes) {
    std::uint64_t next = 0;
    for (const Section& section : index.sections) {
        if (section.first_row != next || section.rows > index.rows - next ||
            !section_fits(section, index, file_bytes) ||
            (index.kind == TableKind::Long && section.series.size() != 1)) {
            return false;
        }
        next += section.rows;
    }
    return next == index.rows && (index.kind == TableKind::Long || index.sections.size() == 1);
}

template <typename Span>
bool spans_fill(const std::vector<Span>& spans, std::uint64_t rows) {
    std::uint64_t left = rows;
    for (const Span& span : spans) {
        if (span.rows > left) {
            return false;
        }
        left -= span.rows;
    }
    return left == 0;
}

}  // namespace

bool is_sound(const FileIndex& index, std::uint64_t file_bytes) {
    return (index.kind == TableKind::Wide || index.kind == TableKind::Long) &&
           index.pages.size() > first_value_column(index.kind) && pages_fit(index, file_bytes) &&
           sections_fit(index, file_bytes) && spans_fill(index.writers, index.rows) &&
           spans_fill(index.phases, index.rows) &&
           std::ranges::all_of(index.phases,
                               [](const PhaseSpan& span) { return span.phase <= Phase::Sanity; });
}

}  // namespace taffrail::seal
