#include "seal/index_rebuild.h"

#include "base/try.h"
#include "codec/parquet/page_walk.h"
#include "model/series_summary.h"
#include "seal/table_writer.h"

#include <algorithm>

namespace taffrail::seal {
namespace {

Error not_ours(const char* why) {
    return {ErrorCode::Corrupt, std::string("its Parquet footer does not help: ") + why};
}

/// The columns must be those of a table of ours: what follows reads each by its type.
bool has_our_columns(const parquet::FileMetadata& file, TableKind kind) {
    const std::vector<parquet::Column> fixed = columns_before_values(kind);
    if (file.columns.size() <= fixed.size()) {
        return false;
    }
    for (std::size_t i = 0; i < file.columns.size(); ++i) {
        const auto type = i < fixed.size() ? fixed[i].type : parquet::Type::Double;
        const auto shape = i < fixed.size() ? fixed[i].shape : parquet::Shape::Optional;
        if (file.columns[i].type != type || file.columns[i].shape != shape) {
            return false;
        }
    }
    return true;
}

/// Pages of every column over all row groups, damaged ones with the rows that are left for them.
Result<void> find_pages(const parquet::Reader& reader, FileIndex& index) {
    const parquet::FileMetadata& file = reader.metadata();
    index.pages.resize(file.columns.size());
    for (const parquet::RowGroup& group : file.row_groups) {
        if (group.columns.size() != file.columns.size()) {
            return not_ours("a row group has another number of columns");
        }
        for (std::size_t column = 0; column < file.columns.size(); ++column) {
            const parquet::ColumnChunk& chunk = group.columns[column];
            const std::int64_t start = chunk.dictionary_page_offset > 0
                                           ? chunk.dictionary_page_offset
                                           : chunk.data_page_offset;
            if (start < 4 || chunk.compressed_bytes < 0) {
                return not_ours("a column lies outside the file");
            }
            TAFFRAIL_ASSIGN(const Bytes bytes,
                            reader.bytes(static_cast<std::uint64_t>(start),
                                         static_cast<std::uint64_t>(chunk.compressed_bytes)));
            std::uint64_t rows = 0;
            for (const parquet::FoundPage& page : parquet::walk_pages(bytes)) {
                if (!page.whole) {
                    return not_ours("a page is damaged as well");
                }
                if (!page.header.dictionary) {
                    index.pages[column].push_back({static_cast<std::uint64_t>(start) + page.offset,
                                                   static_cast<std::uint32_t>(page.bytes),
                                                   static_cast<std::uint32_t>(page.header.values)});
                    rows += static_cast<std::uint64_t>(page.header.values);
                }
            }
            if (rows != static_cast<std::uint64_t>(group.rows)) {
                return not_ours("a column has another number of rows");
            }
        }
        index.rows += static_cast<std::uint64_t>(group.rows);
    }
    return {};
}

Result<void> find_writers(const parquet::Reader& reader, FileIndex& index) {
    TAFFRAIL_ASSIGN(const parquet::DecodedColumn writer, reader.read_column(4));
    TAFFRAIL_ASSIGN(const parquet::DecodedColumn attempt, reader.read_column(6));
    TAFFRAIL_ASSIGN(const parquet::DecodedColumn rank, reader.read_column(7));
    TAFFRAIL_ASSIGN(const parquet::DecodedColumn phase, reader.read_column(8));
    if (std::min({writer.int64s.size(), attempt.int32s.size(), rank.int32s.size(),
                  phase.texts.size()}) != index.rows) {
        return not_ours("the axes have different lengths");
    }
    const auto phase_of = [&](std::size_t row) {
        for (const Phase each :
             {Phase::Train, Phase::Validate, Phase::Test, Phase::Predict, Phase::Sanity}) {
            if (phase.valid[row] != 0 && phase.texts[row] == to_string(each)) {
                return each;
            }
        }
        return Phase::None;
    };
    for (std::size_t row = 0; row < index.rows; ++row) {
        const WriterSpan who{static_cast<std::uint64_t>(writer.int64s[row]),
                             static_cast<std::uint32_t>(attempt.int32s[row]), rank.int32s[row], row,
                             0};
        if (index.writers.empty() || index.writers.back().writer != who.writer ||
            index.writers.back().attempt != who.attempt || index.writers.back().rank != who.rank) {
            index.writers.push_back(who);
        }
        ++index.writers.back().rows;
        if (index.phases.empty() || index.phases.back().phase != phase_of(row)) {
            index.phases.push_back({phase_of(row), 0});
        }
        ++index.phases.back().rows;
    }
    return {};
}

SeriesSummary summary_of(std::span<const double> values, std::span<const std::int64_t> steps,
                         std::span<const std::int64_t> times) {
    SeriesSummary summary;
    const auto [smallest, largest] = std::ranges::minmax(steps);
    model::add_steps(summary, smallest, largest);
    model::add_values(summary, values);
    summary.first_time_ns = times.front();
    summary.last_time_ns = times.back();
    return summary;
}

}  // namespace

Result<FileIndex> rebuild_index(const parquet::Reader& reader) {
    const parquet::FileMetadata& file = reader.metadata();
    const auto table = reader.key_value("taffrail.table");
    if (!table || (*table != "wide" && *table != "long")) {
        return not_ours("it is not that of a table of scalars");
    }
    FileIndex index;
    index.kind = *table == "wide" ? TableKind::Wide : TableKind::Long;
    index.run_id = reader.key_value("taffrail.run").value_or("");
    const std::size_t first_value = first_value_column(index.kind);
    if (!has_our_columns(file, index.kind) || file.row_groups.empty()) {
        return not_ours("it has other columns");
    }
    TAFFRAIL_TRY(find_pages(reader, index));
    if (index.rows == 0) {
        return not_ours("it has no rows");
    }
    const auto& encodings = file.row_groups[0].columns[0].encodings;
    const bool packed = std::find(encodings.begin(), encodings.end(),
                                  parquet::Encoding::DeltaBinaryPacked) != encodings.end();
    index.profile = packed ? parquet::Profile::Standard : parquet::Profile::Compat;
    TAFFRAIL_TRY(find_writers(reader, index));
    TAFFRAIL_ASSIGN(const parquet::DecodedColumn steps, reader.read_column(0));
    TAFFRAIL_ASSIGN(const parquet::DecodedColumn times, reader.read_column(1));
    const auto add_series = [&](Section& section, std::string key, std::size_t column,
                                std::span<const double> values) {
        for (AxisIndex& axis : section.axes) {
            axis.present = true;  // perhaps: only its pages tell
        }
        const std::span<const std::int64_t> step(steps.int64s), time(times.int64s);
        SeriesEntry& entry = section.series.emplace_back();
        entry.key = std::move(key);
        entry.column = static_cast<std::uint32_t>(column);
        entry.summary = summary_of(values.subspan(section.first_row, section.rows),
                                   step.subspan(section.first_row, section.rows),
                                   time.subspan(section.first_row, section.rows));
    };
    if (index.kind == TableKind::Wide) {
        Section& section = index.sections.emplace_back();
        section.rows = index.rows;
        for (std::size_t column = first_value; column < file.columns.size(); ++column) {
            TAFFRAIL_ASSIGN(const parquet::DecodedColumn values, reader.read_column(column));
            add_series(section, file.columns[column].name, column, values.doubles);
        }
        return index;
    }
    TAFFRAIL_ASSIGN(const parquet::DecodedColumn keys, reader.read_column(kFixedColumns));
    TAFFRAIL_ASSIGN(const parquet::DecodedColumn values, reader.read_column(first_value));
    for (std::size_t row = 0; row < index.rows;) {
        std::size_t end = row + 1;
        while (end < index.rows && keys.texts[end] == keys.texts[row]) {
            ++end;
        }
        Section& section = index.sections.emplace_back();
        section.first_row = row;
        section.rows = end - row;
        add_series(section, keys.texts[row], first_value, values.doubles);
        row = end;
    }
    return index;
}

}  // namespace taffrail::seal
