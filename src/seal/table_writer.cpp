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

template <typename T>
ByteSpan bytes_of(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

}  // namespace

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
    : path_(std::move(path)), file_(std::move(file)), keys_(std::move(keys)) {
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
    value_crcs_.resize(value_columns);
    index_.pages.resize(columns.size());
    const std::uint64_t by_values =
        options.row_group_values / value_columns / model::kBaseFanOut * model::kBaseFanOut;
    group_rows_ = std::clamp<std::uint64_t>(by_values, 1024, options.row_group_rows);
    writer_ = std::make_unique<parquet::Writer>(
        std::move(columns), [this](ByteSpan bytes) { return file_->append(bytes); },
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
    phase.clear();
    key.clear();
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
    for (std::size_t done = 0; done < all_axes.rows();) {
        const std::size_t count =
            std::min<std::size_t>(all_axes.rows() - done, group_rows_ - buffer_.step.size());
        const RowAxes axes = all_axes.subspan(done, count);
        std::vector<std::span<const double>> columns;
        for (const auto& column : all_columns) {
            columns.push_back(column.subspan(done, count));
        }
        section_->add(axes, columns, writer.attempt);
        const auto append_to = [](auto& to, const auto& from) {
            to.insert(to.end(), from.begin(), from.end());
        };
        append_to(buffer_.step, axes.step);
        append_to(buffer_.time, axes.time_ns);
        append_to(buffer_.seq, axes.seq);
        append_to(buffer_.phase, axes.phase);
        buffer_.phase.resize(buffer_.step.size(), 0);
        append_to(buffer_.epoch, axes.epoch);
        buffer_.epoch.resize(buffer_.step.size(), std::nan(""));
        append_to(buffer_.samples, axes.samples);
        buffer_.samples.resize(buffer_.step.size(), INT64_MIN);
        buffer_.writer.resize(buffer_.step.size(), static_cast<std::int64_t>(writer.writer));
        buffer_.attempt.resize(buffer_.step.size(), static_cast<std::int32_t>(writer.attempt));
        buffer_.rank.resize(buffer_.step.size(), writer.rank);
        if (index_.kind == TableKind::Long) {
            buffer_.key.resize(buffer_.step.size(), long_keys_.back());
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            append_to(buffer_.values[i], columns[i]);
        }
        const bool same_writer = !index_.writers.empty() &&
                                 index_.writers.back().writer == writer.writer &&
                                 index_.writers.back().attempt == writer.attempt &&
                                 index_.writers.back().rank == writer.rank;
        if (same_writer) {
            index_.writers.back().rows += count;
        } else {
            index_.writers.push_back(
                {writer.writer, writer.attempt, writer.rank, index_.rows, count});
        }
        for (std::size_t row = buffer_.step.size() - count; row < buffer_.step.size(); ++row) {
            const auto phase = static_cast<Phase>(buffer_.phase[row]);
            if (index_.phases.empty() || index_.phases.back().phase != phase) {
                index_.phases.push_back({phase, 0});
            }
            ++index_.phases.back().rows;
        }
        index_.rows += count;
        done += count;
        if (buffer_.step.size() == group_rows_) {
            TAFFRAIL_TRY(write_row_group());
        }
    }
    return {};
}

Result<void> TableWriter::write_row_group() {
    const std::size_t rows = buffer_.step.size();
    std::vector<std::uint8_t> has_epoch(rows), has_samples(rows), has_phase(rows);
    std::vector<std::string_view> phases(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        has_epoch[i] = !std::isnan(buffer_.epoch[i]);
        has_samples[i] = buffer_.samples[i] != INT64_MIN;
        has_phase[i] = buffer_.phase[i] != 0;
        phases[i] = to_string(static_cast<Phase>(buffer_.phase[i]));
    }
    TAFFRAIL_TRY(writer_->begin_row_group(rows));
    std::size_t column = 0;
    const auto write = [&](const parquet::ColumnValues& values) -> Result<void> {
        TAFFRAIL_ASSIGN(const std::vector<parquet::PagePlace> pages, writer_->write_column(values));
        auto& known = index_.pages[column++];
        known.insert(known.end(), pages.begin(), pages.end());
        return {};
    };
    TAFFRAIL_TRY(write({.int64s = buffer_.step}));
    TAFFRAIL_TRY(write({.int64s = buffer_.time}));
    TAFFRAIL_TRY(write({.doubles = buffer_.epoch, .valid = has_epoch}));
    TAFFRAIL_TRY(write({.int64s = buffer_.samples, .valid = has_samples}));
    TAFFRAIL_TRY(write({.int64s = buffer_.writer}));
    TAFFRAIL_TRY(write({.int64s = buffer_.seq}));
    TAFFRAIL_TRY(write({.int32s = buffer_.attempt}));
    TAFFRAIL_TRY(write({.int32s = buffer_.rank}));
    TAFFRAIL_TRY(write({.texts = phases, .valid = has_phase}));
    if (index_.kind == TableKind::Long) {
        TAFFRAIL_TRY(write({.texts = buffer_.key}));
    }
    for (std::size_t i = 0; i < buffer_.values.size(); ++i) {
        TAFFRAIL_TRY(write({.doubles = buffer_.values[i]}));
        value_crcs_[i] = crc32c(bytes_of(buffer_.values[i]), value_crcs_[i]);
    }
    for (const auto* axis : {&buffer_.step, &buffer_.time, &buffer_.seq}) {
        axis_crc_ = crc32c(bytes_of(*axis), axis_crc_);
    }
    TAFFRAIL_TRY(writer_->end_row_group());
    buffer_.clear();
    return {};
}

std::size_t TableWriter::waiting_bytes() const noexcept {
    constexpr std::size_t kAxesBytes =
        5 * sizeof(std::int64_t) + 2 * sizeof(std::int32_t) + sizeof(double) + 1;
    return buffer_.step.size() * (kAxesBytes + buffer_.values.size() * sizeof(double));
}

Result<void> TableWriter::write_waiting() {
    return buffer_.step.empty() ? Result<void>() : write_row_group();
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
    const std::size_t first_value = first_value_column(index_.kind);
    std::vector<std::uint32_t> crcs(value_crcs_.size());
    std::uint32_t axis_crc = 0;
    for (std::size_t group = 0; group < reader.metadata().row_groups.size(); ++group) {
        for (const std::size_t column : {std::size_t{0}, std::size_t{1}, std::size_t{5}}) {
            TAFFRAIL_ASSIGN(const parquet::DecodedColumn decoded,
                            reader.read_column(group, column));
            axis_crc = crc32c(bytes_of(decoded.int64s), axis_crc);
        }
        for (std::size_t i = 0; i < crcs.size(); ++i) {
            TAFFRAIL_ASSIGN(const parquet::DecodedColumn decoded,
                            reader.read_column(group, first_value + i));
            crcs[i] = crc32c(bytes_of(decoded.doubles), crcs[i]);
        }
    }
    if (axis_crc != axis_crc_) {
        return different("step, time or seq");
    }
    for (std::size_t i = 0; i < crcs.size(); ++i) {
        if (crcs[i] != value_crcs_[i]) {
            return different(reader.metadata().columns[first_value + i].name);
        }
    }
    return {};
}

}  // namespace taffrail::seal
