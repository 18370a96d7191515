#include "seal/values_table.h"

#include <taffrail/version.h>

#include "base/crc32c.h"
#include "base/sha256.h"
#include "base/try.h"
#include "codec/parquet/reader.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "io/inside.h"
#include "seal/parquet_file.h"
#include "seal/values_salvage.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace taffrail::seal {
namespace {

using parquet::Column;
using parquet::Meaning;
using parquet::Shape;
using parquet::Type;

constexpr std::size_t kRowGroupBytes = 8 << 20;

}  // namespace

const std::vector<Column>& value_columns() {
    static const std::vector<Column> kColumns = [] {
        std::vector<Column> columns = fixed_columns();
        const Column more[] = {{"key", Type::ByteArray, Shape::Required, Meaning::Text},
                               {"kind", Type::ByteArray, Shape::Required, Meaning::Text},
                               {"kind_number", Type::Int32, Shape::Required, Meaning::None},
                               {"route", Type::Int64, Shape::Required, Meaning::None},
                               {"text", Type::ByteArray, Shape::Optional, Meaning::Text},
                               {"edges", Type::Double, Shape::List, Meaning::None},
                               {"counts", Type::Double, Shape::List, Meaning::None},
                               {"format", Type::ByteArray, Shape::Optional, Meaning::Text},
                               {"sha256", Type::ByteArray, Shape::Optional, Meaning::Text},
                               {"size", Type::Int64, Shape::Optional, Meaning::None},
                               {"metadata", Type::ByteArray, Shape::Required, Meaning::None},
                               {"blobs", Type::ByteArray, Shape::Required, Meaning::None}};
        columns.insert(columns.end(), std::begin(more), std::end(more));
        return columns;
    }();
    return kColumns;
}

namespace {

/// What SQL users look for, taken out of the metadata.
struct Extract {
    std::string text, format;
    std::vector<double> edges, counts;
};

Extract extract(ByteSpan metadata) {
    Extract found;
    const auto value = decode_value(metadata);
    if (!value.ok()) {
        return found;
    }
    std::visit(
        [&]<typename T>(const T& each) {
            if constexpr (std::is_same_v<T, Histogram>) {
                found.edges = each.edges;
                found.counts = each.counts;
            } else if constexpr (std::is_same_v<T, Text> || std::is_same_v<T, Note> ||
                                 std::is_same_v<T, Alert>) {
                found.text = each.text;
            } else if constexpr (std::is_same_v<T, Image> || std::is_same_v<T, Audio> ||
                                 std::is_same_v<T, Video> || std::is_same_v<T, Mesh>) {
                found.format = each.format;
            }
        },
        *value);
    return found;
}

}  // namespace

struct ValuesTableWriter::Buffer {
    std::vector<std::int64_t> step, time, samples, writer, seq, route, size;
    std::vector<std::int32_t> attempt, rank, kind_number;
    std::vector<double> epoch, edges, counts;
    std::vector<std::string> phase, key, kind, text, format, sha256, metadata, blobs;
    std::vector<std::uint64_t> edge_offsets{0}, count_offsets{0};
    std::size_t bytes = 0;
};

ValuesTableWriter::~ValuesTableWriter() = default;

Result<std::unique_ptr<ValuesTableWriter>> ValuesTableWriter::create(const std::string& path,
                                                                     std::string run_id,
                                                                     parquet::Profile profile) {
    TAFFRAIL_ASSIGN(auto file,
                    io::open_inside(io::parent(io::parent(path)), path, io::OpenMode::Truncate));
    return std::unique_ptr<ValuesTableWriter>(
        new ValuesTableWriter(path, std::move(file), std::move(run_id), profile));
}

ValuesTableWriter::ValuesTableWriter(std::string path, std::unique_ptr<io::File> file,
                                     std::string run_id, parquet::Profile profile)
    : path_(std::move(path)),
      run_id_(std::move(run_id)),
      file_(std::move(file)),
      buffer_(std::make_unique<Buffer>()) {
    writer_ = std::make_unique<parquet::Writer>(
        value_columns(), [this](ByteSpan bytes) { return file_->append(bytes); },
        parquet::WriterOptions{.profile = profile,
                               .page_rows = kValuesPageRows,
                               .created_by = "taffrail version " TAFFRAIL_VERSION});
}

Result<void> ValuesTableWriter::add(const RowWriter& writer, std::string_view key,
                                    const tlog::ValueRecord& record) {
    Buffer& to = *buffer_;
    const Extract found = extract(record.metadata);
    to.step.push_back(record.step);
    to.time.push_back(record.time_ns);
    to.epoch.push_back(record.epoch);
    to.samples.push_back(record.samples);
    to.writer.push_back(static_cast<std::int64_t>(writer.writer));
    to.seq.push_back(static_cast<std::int64_t>(record.seq));
    to.attempt.push_back(static_cast<std::int32_t>(writer.attempt));
    to.rank.push_back(writer.rank);
    to.phase.emplace_back(to_string(record.phase));
    to.key.emplace_back(key);
    to.kind.emplace_back(to_string(record.kind));
    to.kind_number.push_back(static_cast<std::int32_t>(record.kind));
    to.route.push_back(record.route);
    to.text.push_back(found.text);
    to.edges.insert(to.edges.end(), found.edges.begin(), found.edges.end());
    to.edge_offsets.push_back(to.edges.size());
    to.counts.insert(to.counts.end(), found.counts.begin(), found.counts.end());
    to.count_offsets.push_back(to.counts.size());
    to.format.push_back(found.format);
    to.sha256.push_back(record.blobs.empty() ? "" : to_hex(record.blobs.front().ref.sha256));
    to.size.push_back(record.blobs.empty()
                          ? INT64_MIN
                          : static_cast<std::int64_t>(record.blobs.front().ref.size));
    to.metadata.emplace_back(as_text(record.metadata));
    to.blobs.emplace_back(as_text(encode_blob_places(record.blobs)));
    to.bytes += to.metadata.back().size() + to.blobs.back().size() +
                8 * (found.edges.size() + found.counts.size());
    crc_ = crc32c(as_bytes(to.blobs.back()), crc32c(as_bytes(to.metadata.back()), crc_));
    ++rows_;
    return to.step.size() >= kValuesRowGroupRows || to.bytes >= kRowGroupBytes ? write_row_group()
                                                                               : Result<void>{};
}

Result<void> ValuesTableWriter::write_row_group() {
    const Buffer& from = *buffer_;
    const std::size_t rows = from.step.size();
    const auto views = [](const std::vector<std::string>& texts) {
        return std::vector<std::string_view>(texts.begin(), texts.end());
    };
    const auto present = [&](const auto& values, auto is_present) {
        std::vector<std::uint8_t> valid(rows);
        std::transform(values.begin(), values.end(), valid.begin(), is_present);
        return valid;
    };
    const auto not_empty = [](const std::string& text) { return !text.empty(); };
    const auto has_number = [](std::int64_t value) { return value != INT64_MIN; };
    TAFFRAIL_TRY(writer_->begin_row_group(rows));
    TAFFRAIL_TRY(writer_->write_column({.int64s = from.step}));
    TAFFRAIL_TRY(writer_->write_column({.int64s = from.time}));
    TAFFRAIL_TRY(writer_->write_column(
        {.doubles = from.epoch,
         .valid = present(from.epoch, [](double value) { return !std::isnan(value); })}));
    TAFFRAIL_TRY(writer_->write_column(
        {.int64s = from.samples, .valid = present(from.samples, has_number)}));
    TAFFRAIL_TRY(writer_->write_column({.int64s = from.writer}));
    TAFFRAIL_TRY(writer_->write_column({.int64s = from.seq}));
    TAFFRAIL_TRY(writer_->write_column({.int32s = from.attempt}));
    TAFFRAIL_TRY(writer_->write_column({.int32s = from.rank}));
    TAFFRAIL_TRY(writer_->write_column(
        {.texts = views(from.phase), .valid = present(from.phase, not_empty)}));
    TAFFRAIL_TRY(writer_->write_column({.texts = views(from.key)}));
    TAFFRAIL_TRY(writer_->write_column({.texts = views(from.kind)}));
    TAFFRAIL_TRY(writer_->write_column({.int32s = from.kind_number}));
    TAFFRAIL_TRY(writer_->write_column({.int64s = from.route}));
    TAFFRAIL_TRY(
        writer_->write_column({.texts = views(from.text), .valid = present(from.text, not_empty)}));
    TAFFRAIL_TRY(writer_->write_column({.doubles = from.edges, .offsets = from.edge_offsets}));
    TAFFRAIL_TRY(writer_->write_column({.doubles = from.counts, .offsets = from.count_offsets}));
    TAFFRAIL_TRY(writer_->write_column(
        {.texts = views(from.format), .valid = present(from.format, not_empty)}));
    TAFFRAIL_TRY(writer_->write_column(
        {.texts = views(from.sha256), .valid = present(from.sha256, not_empty)}));
    TAFFRAIL_TRY(
        writer_->write_column({.int64s = from.size, .valid = present(from.size, has_number)}));
    TAFFRAIL_TRY(writer_->write_column({.texts = views(from.metadata)}));
    TAFFRAIL_TRY(writer_->write_column({.texts = views(from.blobs)}));
    TAFFRAIL_TRY(writer_->end_row_group());
    buffer_ = std::make_unique<Buffer>();
    return {};
}

Result<void> ValuesTableWriter::finish() {
    if (!buffer_->step.empty()) {
        TAFFRAIL_TRY(write_row_group());
    }
    writer_->add_key_value("taffrail.format", "1");
    writer_->add_key_value("taffrail.table", "values");
    writer_->add_key_value("taffrail.run", run_id_);
    TAFFRAIL_TRY(writer_->finish());
    TAFFRAIL_TRY(file_->sync());
    return verify();
}

Result<void> ValuesTableWriter::verify() {
    TAFFRAIL_ASSIGN(const parquet::Reader reader, open_parquet(*file_, writer_->bytes_written()));
    std::uint32_t crc = 0;
    std::uint64_t rows = 0;
    // Logs are dropped because of this file, so it is read back before it counts: metadata and
    // blobs by their checksum, the columns beside them at least as far as that they decode.
    for (std::size_t group = 0; group < reader.metadata().row_groups.size(); ++group) {
        for (const WantedColumn& wanted : kWantedOfValues) {
            if (wanted.column < kMetadataColumn) {
                TAFFRAIL_TRY(reader.read_column(group, wanted.column));
            }
        }
        TAFFRAIL_ASSIGN(const parquet::DecodedColumn metadata,
                        reader.read_column(group, kMetadataColumn));
        TAFFRAIL_ASSIGN(const parquet::DecodedColumn blobs,
                        reader.read_column(group, kBlobsColumn));
        if (metadata.texts.size() != blobs.texts.size()) {
            break;
        }
        for (std::size_t row = 0; row < metadata.texts.size(); ++row, ++rows) {
            crc = crc32c(as_bytes(blobs.texts[row]), crc32c(as_bytes(metadata.texts[row]), crc));
        }
    }
    if (rows != rows_ || crc != crc_) {
        return read_back_error(path_, "the values do not read back");
    }
    return {};
}

Bytes encode_blob_places(std::span<const tlog::BlobPlace> places) {
    Bytes bytes;
    append_varint(bytes, places.size());
    for (const tlog::BlobPlace& place : places) {
        append(bytes, ByteSpan(std::as_bytes(std::span(place.ref.sha256))));
        append_varint(bytes, place.ref.size);
        bytes.push_back(static_cast<std::byte>(place.where));
        if (place.where == tlog::BlobPlace::Where::Inline) {
            append(bytes, place.bytes);
        } else if (place.where == tlog::BlobPlace::Where::Pack) {
            append_varint(bytes, place.pack);
            append_varint(bytes, place.offset);
        }
    }
    return bytes;
}

bool decode_blob_places(ByteSpan bytes, std::vector<tlog::BlobPlace>& places) {
    ByteCursor from(bytes);
    const std::uint64_t count = from.varint();
    for (std::uint64_t i = 0; i < count && from.ok(); ++i) {
        tlog::BlobPlace place;
        const ByteSpan digest = from.take(32);
        if (from.ok()) {
            std::memcpy(place.ref.sha256.data(), digest.data(), digest.size());
        }
        place.ref.size = from.varint();
        place.where = static_cast<tlog::BlobPlace::Where>(from.read<std::byte>());
        if (place.where == tlog::BlobPlace::Where::Inline) {
            place.bytes = from.take(place.ref.size);
        } else if (place.where == tlog::BlobPlace::Where::Pack) {
            place.pack = from.varint();
            place.offset = from.varint();
        }
        places.push_back(place);
    }
    return from.ok();
}

}  // namespace taffrail::seal
