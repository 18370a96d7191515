#include "seal/table_writer.h"

#include <taffrail/version.h>

#include "base/crc32c.h"
#include "base/strings.h"
#include "base/try.h"
#include "base/utf8.h"
#include "codec/parquet/compression.h"
#include "codec/parquet/reader.h"
#include "io/files.h"
#include "io/inside.h"
#include "seal/parquet_file.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace taffrail::seal {
namespace {

using parquet::Column;
using parquet::Meaning;
using parquet::Shape;
using parquet::Type;

constexpr std::size_t kPhaseColumn = 8, kKeyColumn = kFixedColumns;

template <typename T>
ByteSpan bytes_of(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

}  // namespace

std::vector<Column> fixed_columns() {
    return {{"step", Type::Int64, Shape::Required, Meaning::None},
            {"time", Type::Int64, Shape::Required, Meaning::TimestampNs},
            {"epoch", Type::Double, Shape::Optional, Meaning::None},
            {"samples", Type::Int64, Shape::Optional, Meaning::None},
            {"writer", Type::Int64, Shape::Required, Meaning::Unsigned},
            {"seq", Type::Int64, Shape::Required, Meaning::None},
            {"attempt", Type::Int32, Shape::Required, Meaning::None},
            {"rank", Type::Int32, Shape::Required, Meaning::None},
            {"phase", Type::ByteArray, Shape::Optional, Meaning::Text}};
}

std::vector<Column> columns_before_values(TableKind kind) {
    std::vector<Column> columns = fixed_columns();
    if (kind == TableKind::Long) {
        columns.push_back({"key", Type::ByteArray, Shape::Required, Meaning::Text});
    }
    return columns;
}

std::vector<std::string> column_names(std::span<const std::string> keys) {
    std::set<std::string> taken{"key", "value"};
    for (const Column& column : fixed_columns()) {
        taken.insert(column.name);
    }
    std::vector<std::string> names;
    for (const std::string& key : keys) {
        std::string name = repair_utf8(key);
        for (char& character : name) {
            if (static_cast<unsigned char>(character) < 0x20) {
                character = ' ';
            }
        }
        std::string candidate = name;
        for (int number = 2; candidate.empty() || !taken.insert(to_lower(candidate)).second;
             ++number) {
            candidate = name + "#" + std::to_string(number);
        }
        names.push_back(std::move(candidate));
    }
    return names;
}

Result<std::unique_ptr<TableWriter>> TableWriter::create_wide(const std::string& path,
                                                              std::string run_id,
                                                              std::vector<std::string> keys,
                                                              const TableOptions& options) {
    TAFFRAIL_ASSIGN(auto file,
                    io::open_inside(io::parent(io::parent(path)), path, io::OpenMode::Truncate));
    std::unique_ptr<TableWriter> table(
        new TableWriter(path, std::move(file), TableKind::Wide, std::move(run_id), keys, options));
    table->section_.emplace(std::move(keys), kFixedColumns, 0);
    return table;
}

Result<std::unique_ptr<TableWriter>> TableWriter::create_long(const std::string& path,
                                                              std::string run_id,
                                                              const TableOptions& options) {
    TAFFRAIL_ASSIGN(auto file,
                    io::open_inside(io::parent(io::parent(path)), path, io::OpenMode::Truncate));
    return std::unique_ptr<TableWriter>(
        new TableWriter(path, std::move(file), TableKind::Long, std::move(run_id), {}, options));
}

TableWriter::TableWriter(std::string path, std::unique_ptr<io::File> file, TableKind kind,
                         std::string run_id, std::vector<std::string> keys,
                         const TableOptions& options)
    : path_(std::move(path)),
      file_(std::move(file)),
      keys_(std::move(keys)),
      profile_(options.profile) {
    index_.kind = kind;
    index_.profile = options.profile;
    index_.run_id = std::move(run_id);
    std::vector<Column> columns = columns_before_values(kind);
    if (kind == TableKind::Long) {
        columns.push_back({"value", Type::Double, Shape::Optional, Meaning::None});
    }
    for (std::string& name : column_names(keys_)) {
        columns.push_back({std::move(name), Type::Double, Shape::Optional, Meaning::None});
    }
    const std::size_t value_columns = kind == TableKind::Long ? 1 : keys_.size();
    buffer_.values.resize(value_columns);
    crcs_.resize(3 + value_columns);
    index_.pages.resize(columns.size());
    group_.pages.resize(columns.size());
    const std::uint64_t by_values =
        options.row_group_values / value_columns / model::kBaseFanOut * model::kBaseFanOut;
    group_rows_ = std::clamp<std::uint64_t>(by_values, 1024, options.row_group_rows);
    writer_ = std::make_unique<parquet::Writer>(
        std::move(columns),
        [this](ByteSpan bytes) {
            crc_ = crc32c(bytes, crc_);
            return file_->append(bytes);
        },
        parquet::WriterOptions{.profile = options.profile,
                               .created_by = "taffrail version " TAFFRAIL_VERSION});
}

void TableWriter::Buffer::clear() {
    for (auto* column : {&step, &time, &samples, &writer, &seq}) {
        column->clear();
    }
    attempt.clear();
    rank.clear();
    epoch.clear();
    for (auto& column : values) {
        column.clear();
    }
}

Result<void> TableWriter::begin_series(std::string key) {
    TAFFRAIL_TRY(end_section());
    long_keys_.push_back(key);
    section_.emplace(std::vector<std::string>{std::move(key)}, kFixedColumns + 1, index_.rows);
    return {};
}

Result<void> TableWriter::end_section() {
    if (section_) {
        TAFFRAIL_ASSIGN(Section section, section_->finish(*writer_));
        section_.reset();
        index_.sections.push_back(std::move(section));
    }
    return {};
}

Result<void> TableWriter::add(const RowWriter& writer, const RowAxes& all_axes,
                              std::span<const std::span<const double>> all_columns) {
    std::vector<std::span<const double>> columns;
    for (std::size_t done = 0; done < all_axes.rows();) {
        const std::size_t waiting = buffer_.step.size();
        const std::size_t count = std::min<std::size_t>(
            {all_axes.rows() - done, parquet::kPageRows - waiting, group_rows_ - group_.rows});
        const RowAxes axes = all_axes.subspan(done, count);
        columns.clear();
        for (const auto& column : all_columns) {
            columns.push_back(column.subspan(done, count));
        }
        section_->add(axes, columns, writer.attempt);
        append_rows(writer, axes, columns);
        note_writer(writer, count);
        note_phases(std::span(group_.phase).last(count));
        index_.rows += count;
        done += count;
        if (buffer_.step.size() == parquet::kPageRows) {
            encode_page();
        }
        if (group_.rows == group_rows_) {
            TAFFRAIL_TRY(write_row_group());
        }
    }
    return {};
}

void TableWriter::append_rows(const RowWriter& writer, const RowAxes& axes,
                              std::span<const std::span<const double>> columns) {
    const std::size_t rows = buffer_.step.size() + axes.rows();
    const auto append_to = [rows](auto& to, const auto& from) {
        // Once it is worth it, room for the whole page: growing step by step copies it all again.
        if (to.capacity() < rows && rows >= parquet::kPageRows / 8) {
            to.reserve(std::max(rows, parquet::kPageRows));
        }
        to.insert(to.end(), from.begin(), from.end());
    };
    append_to(buffer_.step, axes.step);
    append_to(buffer_.time, axes.time_ns);
    append_to(buffer_.seq, axes.seq);
    append_to(buffer_.epoch, axes.epoch);
    buffer_.epoch.resize(rows, std::nan(""));
    append_to(buffer_.samples, axes.samples);
    buffer_.samples.resize(rows, INT64_MIN);
    buffer_.writer.resize(rows, static_cast<std::int64_t>(writer.writer));
    buffer_.attempt.resize(rows, static_cast<std::int32_t>(writer.attempt));
    buffer_.rank.resize(rows, writer.rank);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        append_to(buffer_.values[i], columns[i]);
    }
    group_.rows += axes.rows();
    append_to(group_.phase, axes.phase);
    group_.phase.resize(group_.rows, 0);
    if (index_.kind == TableKind::Long) {
        group_.key.resize(group_.rows, long_keys_.back());
    }
}

void TableWriter::note_writer(const RowWriter& writer, std::size_t rows) {
    const bool same_writer = !index_.writers.empty() &&
                             index_.writers.back().writer == writer.writer &&
                             index_.writers.back().attempt == writer.attempt &&
                             index_.writers.back().rank == writer.rank;
    if (same_writer) {
        index_.writers.back().rows += rows;
    } else {
        index_.writers.push_back({writer.writer, writer.attempt, writer.rank, index_.rows, rows});
    }
}

void TableWriter::note_phases(std::span<const std::uint8_t> phases) {
    for (std::size_t at = 0; at < phases.size();) {
        const auto end =
            std::find_if(phases.begin() + static_cast<std::ptrdiff_t>(at), phases.end(),
                         [first = phases[at]](std::uint8_t one) { return one != first; });
        const auto phase = static_cast<Phase>(phases[at]);
        const std::size_t rows = static_cast<std::size_t>(end - phases.begin()) - at;
        if (index_.phases.empty() || index_.phases.back().phase != phase) {
            index_.phases.push_back({phase, 0});
        }
        index_.phases.back().rows += rows;
        at += rows;
    }
}

// Column by column, while they are in the cache.
void TableWriter::encode_page() {
    const std::size_t rows = buffer_.step.size();
    if (rows == 0) {
        return;
    }
    const std::vector<Column>& columns = writer_->columns();
    const auto encode = [&](std::size_t column, const parquet::ColumnValues& values) {
        group_.pages[column].add(columns[column], values, rows, profile_);
    };
    std::vector<std::uint8_t> has_epoch(rows), has_samples(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        has_epoch[i] = !std::isnan(buffer_.epoch[i]);
        has_samples[i] = buffer_.samples[i] != INT64_MIN;
    }
    encode(0, {.int64s = buffer_.step});
    encode(1, {.int64s = buffer_.time});
    encode(2, {.doubles = buffer_.epoch, .valid = has_epoch});
    encode(3, {.int64s = buffer_.samples, .valid = has_samples});
    encode(4, {.int64s = buffer_.writer});
    encode(5, {.int64s = buffer_.seq});
    encode(6, {.int32s = buffer_.attempt});
    encode(7, {.int32s = buffer_.rank});
    std::size_t crc = 0;
    for (const auto* axis : {&buffer_.step, &buffer_.time, &buffer_.seq}) {
        crcs_[crc] = crc32c(bytes_of(*axis), crcs_[crc]);
        ++crc;
    }
    const std::size_t first_value = first_value_column(index_.kind);
    for (std::size_t i = 0; i < buffer_.values.size(); ++i, ++crc) {
        crcs_[crc] = crc32c(bytes_of(buffer_.values[i]), crcs_[crc]);
        encode(first_value + i, {.doubles = buffer_.values[i]});
    }
    buffer_.clear();
}

Result<void> TableWriter::write_row_group() {
    encode_page();
    // The numbers themselves say which rows have a phase; mostly none has.
    std::vector<std::string_view> phases;
    if (std::ranges::any_of(group_.phase, [](std::uint8_t phase) { return phase != 0; })) {
        phases.resize(group_.rows);
        std::ranges::transform(group_.phase, phases.begin(), [](std::uint8_t phase) {
            return to_string(static_cast<Phase>(phase));
        });
    }
    TAFFRAIL_TRY(writer_->begin_row_group(group_.rows));
    for (std::size_t column = 0; column < group_.pages.size(); ++column) {
        TAFFRAIL_ASSIGN(const auto places,
                        column == kPhaseColumn
                            ? writer_->write_column({.texts = phases, .valid = group_.phase})
                        : column == kKeyColumn && index_.kind == TableKind::Long
                            ? writer_->write_column({.texts = group_.key})
                            : writer_->write_pages(group_.pages[column]));
        index_.pages[column].insert(index_.pages[column].end(), places.begin(), places.end());
        group_.pages[column].clear();
    }
    TAFFRAIL_TRY(writer_->end_row_group());
    group_.rows = 0;
    group_.phase.clear();
    group_.key.clear();
    return {};
}

std::size_t TableWriter::waiting_bytes() const noexcept {
    constexpr std::size_t kAxesBytes =
        5 * sizeof(std::int64_t) + 2 * sizeof(std::int32_t) + sizeof(double) + sizeof(std::uint8_t);
    std::size_t bytes =
        buffer_.step.size() * (kAxesBytes + buffer_.values.size() * sizeof(double)) +
        group_.key.size() * sizeof(std::string_view);
    for (const parquet::ColumnPages& pages : group_.pages) {
        bytes += pages.bytes();
    }
    return bytes;
}

Result<void> TableWriter::write_waiting() {
    return group_.rows == 0 ? Result<void>() : write_row_group();
}

Result<void> TableWriter::finish() {
    TAFFRAIL_TRY(write_waiting());
    TAFFRAIL_TRY(end_section());
    const Bytes index = encode_index(index_);
    Bytes stored;
    parquet::append_zstd(stored, index);
    TAFFRAIL_ASSIGN(const std::uint64_t offset, writer_->write_foreign(stored));
    Bytes trailer;
    append_trailer(trailer, {offset, static_cast<std::uint32_t>(stored.size()),
                             static_cast<std::uint32_t>(index.size()), crc32c(stored)});
    TAFFRAIL_TRY(writer_->write_foreign(trailer));
    writer_->add_key_value("taffrail.format", "1");
    writer_->add_key_value("taffrail.table", index_.kind == TableKind::Wide ? "wide" : "long");
    writer_->add_key_value("taffrail.run", index_.run_id);
    writer_->add_key_value("taffrail.index",
                           std::to_string(offset) + "," + std::to_string(stored.size()));
    TAFFRAIL_TRY(writer_->finish());
    TAFFRAIL_TRY(file_->sync());
    return verify();
}

Result<void> TableWriter::verify() {
    TAFFRAIL_ASSIGN(const parquet::Reader reader, open_parquet(*file_, writer_->bytes_written()));
    const auto different = [&](const std::string& column) {
        return read_back_error(path_, "column '" + column + "' does not read back");
    };
    std::vector<std::size_t> columns{0, 1, 5};
    for (std::size_t i = 0; i < buffer_.values.size(); ++i) {
        columns.push_back(first_value_column(index_.kind) + i);
    }
    std::vector<std::uint32_t> crcs(columns.size());
    for (std::size_t group = 0; group < reader.metadata().row_groups.size(); ++group) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            TAFFRAIL_TRY(reader.for_each_page(
                group, columns[i], [&crc = crcs[i]](const parquet::DecodedColumn& page) {
                    crc = crc32c(bytes_of(page.int64s), crc32c(bytes_of(page.doubles), crc));
                }));
        }
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (crcs[i] != crcs_[i]) {
            return different(reader.metadata().columns[columns[i]].name);
        }
    }
    return {};
}

}  // namespace taffrail::seal
