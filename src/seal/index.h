// The compact index of a sealed file: what lies where, so that a zoom reads a few blocks and never
// the Parquet footer. Bytes: docs/formats/sealed.md.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "base/bytes.h"
#include "codec/parquet/writer.h"
#include "model/pyramid.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::seal {

/// Series shorter than this have no pyramid: reading their points is as fast.
inline constexpr std::uint64_t kShortestPyramid = 4096;
/// Nodes in one block of a pyramid level.
inline constexpr std::uint64_t kBlockNodes = 8192;

/// What a file holds.
enum class TableKind : std::uint8_t { Wide = 1, Long = 2, Values = 3 };

/// Columns that every table of scalars begins with, in this order.
enum class AxisColumnId : std::uint8_t { Step = 0, Time = 1, Epoch = 2, Samples = 3 };
inline constexpr std::size_t kAxes = 4;

/// Parquet columns before the values. `key` follows them in long tables.
inline constexpr std::uint32_t kFixedColumns = 9;

/// The first column that holds values.
[[nodiscard]] constexpr std::uint32_t first_value_column(TableKind kind) noexcept {
    return kFixedColumns + (kind == TableKind::Long ? 1 : 0);
}

struct BlockPlace {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t crc = 0;  ///< CRC-32C of the stored bytes
};

/// Level → blocks of kBlockNodes nodes each.
using LevelBlocks = std::vector<std::vector<BlockPlace>>;

struct AxisIndex {
    bool present = false;  ///< at least one point has a value
    bool rising = false;   ///< every point has one and it never falls
    /// First and last position when rising, as the bits of the column's type.
    std::uint64_t first_bits = 0, last_bits = 0;
    LevelBlocks levels;  ///< only when rising
};

struct SeriesEntry {
    std::string key;
    std::uint32_t column = 0;  ///< of the Parquet file
    SeriesSummary summary;
    std::vector<model::SpecialTotals> specials;
    LevelBlocks levels;
};

/// Steps that one attempt logged in a section.
struct AttemptRange {
    std::uint32_t attempt = 0;
    Step first_step = 0, last_step = 0;
};

/// A stretch of rows with the series that fill it: all rows of a wide table, one key of a long one.
struct Section {
    std::uint64_t first_row = 0, rows = 0;
    std::array<AxisIndex, kAxes> axes;
    std::vector<AttemptRange> attempts;
    std::vector<SeriesEntry> series;
};

/// Rows that one writer logged.
struct WriterSpan {
    std::uint64_t writer = 0;
    std::uint32_t attempt = 0;
    std::int32_t rank = 0;
    std::uint64_t first_row = 0, rows = 0;
};

/// Rows of one phase, one after the other.
struct PhaseSpan {
    Phase phase = Phase::None;
    std::uint64_t rows = 0;
};

struct FileIndex {
    TableKind kind = TableKind::Wide;
    parquet::Profile profile = parquet::Profile::Standard;
    std::string run_id;
    std::uint64_t rows = 0;
    std::vector<std::vector<parquet::PagePlace>> pages;  ///< by column
    std::vector<WriterSpan> writers;
    std::vector<PhaseSpan> phases;
    std::vector<Section> sections;
};

Bytes encode_index(const FileIndex& index);
/// Of a file of `file_bytes`. What it gives back is_sound() (seal/index_check.h).
Result<FileIndex> decode_index(ByteSpan bytes, std::uint64_t file_bytes);

/// Levels of a series of `rows` points in a file.
[[nodiscard]] constexpr unsigned stored_levels(std::uint64_t rows) noexcept {
    return rows < kShortestPyramid ? 0 : model::level_count(rows);
}

/// The last bytes before the Parquet footer: where the index is.
struct IndexTrailer {
    static constexpr std::size_t kBytes = 24;
    static constexpr std::string_view kMagic = "TPI1";  ///< its last bytes
    std::uint64_t offset = 0;
    std::uint32_t stored_bytes = 0, bytes = 0, crc = 0;
};

void append_trailer(Bytes& to, const IndexTrailer& trailer);
Result<IndexTrailer> decode_trailer(ByteSpan bytes);

}  // namespace taffrail::seal
