// The table of values read: descriptions at once, the bytes of blobs when asked for.
#include "base/bytes.h"
#include "base/sha256.h"
#include "base/try.h"
#include "codec/parquet/reader.h"
#include "io/files.h"
#include "io/inside.h"
#include "seal/parquet_file.h"
#include "seal/values_salvage.h"
#include "seal/values_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace taffrail::seal {
namespace {

using parquet::Column;
using parquet::Shape;

/// Where a column of ours is in a file.
Result<std::size_t> place_of(const parquet::Reader& reader, std::size_t number,
                             const std::string& path) {
    const Column& column = value_columns()[number];
    const auto place = reader.column(column.name);
    if (!place || reader.metadata().columns[*place].type != column.type ||
        reader.metadata().columns[*place].shape != column.shape) {
        return Error{ErrorCode::Corrupt,
                     path + " lacks the column '" + column.name + "' of a table of values"};
    }
    return *place;
}

/// The columns of a whole file but the blobs, which are many bytes.
Result<SalvagedValues> read_columns(const parquet::Reader& reader, const std::string& path) {
    SalvagedValues read;
    read.columns.resize(value_columns().size());
    for (const WantedColumn& wanted : kWantedOfValues) {
        if (wanted.column == kBlobsColumn) {
            continue;
        }
        TAFFRAIL_ASSIGN(const std::size_t place, place_of(reader, wanted.column, path));
        TAFFRAIL_ASSIGN(parquet::DecodedColumn decoded, reader.read_column(place));
        const std::size_t rows = std::max({decoded.doubles.size(), decoded.int64s.size(),
                                           decoded.int32s.size(), decoded.texts.size()});
        if (wanted.column == 0) {
            read.lost.resize(rows);
        } else if (rows != read.lost.size()) {
            return Error{ErrorCode::Corrupt, path + ": its columns have different lengths"};
        }
        read.columns[wanted.column] = std::move(decoded);
    }
    return read;
}

}  // namespace

Result<void> ValuesTable::check(const std::string& path, std::uint64_t rows, DamageNotes& notes) {
    TAFFRAIL_ASSIGN(const Bytes bytes, io::read_inside(io::parent(io::parent(path)), path));
    std::vector<WantedColumn> all;
    for (std::size_t column = 0; column < value_columns().size(); ++column) {
        const bool wanted = std::ranges::any_of(
            kWantedOfValues,
            [column](const WantedColumn& each) { return each.column == column && each.needed; });
        if (value_columns()[column].shape !=
            Shape::List) {  // pages of lists count elements, not rows
            all.push_back({column, wanted});
        }
    }
    (void)salvage_values(bytes, path, value_columns(), all, rows, notes);
    return {};
}

namespace {

struct OpenTable {
    std::unique_ptr<io::File> file;
    parquet::Reader reader;
};

Result<OpenTable> open_table(const std::string& path) {
    TAFFRAIL_ASSIGN(auto file, io::open_inside(io::parent(io::parent(path)), path));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file->info());
    TAFFRAIL_ASSIGN(parquet::Reader reader, open_parquet(*file, info.size));
    return OpenTable{std::move(file), std::move(reader)};
}

/// The blobs of a row group, as encode_blob_places() wrote them.
Result<std::vector<std::string>> read_blobs(const parquet::Reader& reader, std::size_t group,
                                            const std::string& path) {
    TAFFRAIL_ASSIGN(const std::size_t column, place_of(reader, kBlobsColumn, path));
    TAFFRAIL_ASSIGN(parquet::DecodedColumn decoded, reader.read_column(group, column));
    return std::move(decoded.texts);
}

}  // namespace

// Where blobs are is kept, and the bytes of small ones, which lie in the table itself, are not.
Result<void> ValuesTable::read_places(const parquet::Reader& reader,
                                      std::vector<std::optional<Places>>& places) {
    for (std::size_t group = 0; group < reader.metadata().row_groups.size(); ++group) {
        group_begins_.push_back(places.size());
        TAFFRAIL_ASSIGN(const std::vector<std::string> blobs, read_blobs(reader, group, path_));
        for (const std::string& row : blobs) {
            Places decoded;
            const bool good = row.empty() || decode_blob_places(as_bytes(row), decoded);
            for (tlog::BlobPlace& place : decoded) {
                place.bytes = {};
            }
            places.push_back(good ? std::optional(std::move(decoded)) : std::nullopt);
        }
    }
    return {};
}

Result<Bytes> ValuesTable::inline_bytes(const SealedValue& value, const BlobRef& blob) const {
    const auto at = static_cast<std::size_t>(&value - values_.data());
    const std::size_t row = rows_[at];
    const auto missing = [&] {
        return Error{ErrorCode::Corrupt, path_ + ": row " + std::to_string(row) +
                                             " lacks the bytes of its blob " + to_hex(blob.sha256) +
                                             ": copy the file again if you can"};
    };
    const auto bytes_in = [&](const std::string& places) -> Result<Bytes> {
        Places decoded;
        if (decode_blob_places(as_bytes(places), decoded)) {
            for (const tlog::BlobPlace& place : decoded) {
                if (place.ref.sha256 == blob.sha256) {
                    return Bytes(place.bytes.begin(), place.bytes.end());
                }
            }
        }
        return missing();
    };
    if (!salvaged_blobs_.empty()) {
        return bytes_in(salvaged_blobs_[row]);
    }
    const auto group = static_cast<std::size_t>(std::ranges::upper_bound(group_begins_, row) -
                                                group_begins_.begin()) -
                       1;
    const std::scoped_lock lock(mutex_);
    // Blobs are asked for one after the other: their neighbours come next.
    if (group != cached_group_) {
        TAFFRAIL_ASSIGN(const OpenTable table, open_table(path_));
        TAFFRAIL_ASSIGN(cached_blobs_, read_blobs(table.reader, group, path_));
        cached_group_ = group;
    }
    const std::size_t in_group = row - group_begins_[group];
    return in_group < cached_blobs_.size() ? bytes_in(cached_blobs_[in_group])
                                           : Result<Bytes>(missing());
}

Result<std::shared_ptr<const ValuesTable>> ValuesTable::read(const std::string& path,
                                                             std::uint64_t expected,
                                                             DamageNotes& notes) {
    const auto table = std::make_shared<ValuesTable>();
    table->path_ = path;
    std::vector<std::optional<Places>> places;
    const auto read_whole = [&]() -> Result<SalvagedValues> {
        TAFFRAIL_ASSIGN(const OpenTable open, open_table(path));
        TAFFRAIL_ASSIGN(SalvagedValues whole, read_columns(open.reader, path));
        TAFFRAIL_TRY(table->read_places(open.reader, places));
        if (places.size() != whole.lost.size() ||
            (expected != 0 && expected != whole.lost.size())) {
            return Error{ErrorCode::Corrupt, path + ": its columns have different lengths"};
        }
        return whole;
    };
    auto whole = read_whole();
    SalvagedValues read;
    if (whole.ok()) {
        read = *std::move(whole);
    } else {
        TAFFRAIL_ASSIGN(const Bytes bytes, io::read_inside(io::parent(io::parent(path)), path));
        read = salvage_values(bytes, path, value_columns(), kWantedOfValues, expected, notes);
        places.clear();
        table->salvaged_blobs_ = std::move(read.columns[kBlobsColumn].texts);
        for (const std::string& row : table->salvaged_blobs_) {
            Places decoded;
            const bool good = row.empty() || decode_blob_places(as_bytes(row), decoded);
            places.push_back(good ? std::optional(std::move(decoded)) : std::nullopt);
        }
    }
    std::vector<parquet::DecodedColumn>& decoded = read.columns;
    const std::size_t rows = read.lost.size();
    if (rows == 0) {
        return std::shared_ptr<const ValuesTable>(table);
    }
    table->keys_ = std::move(decoded[9].texts);
    table->metadata_ = std::move(decoded[kMetadataColumn].texts);
    for (std::size_t i = 0; i < rows; ++i) {
        if (read.lost[i] != 0) {
            continue;
        }
        SealedValue value;
        value.name = table->keys_[i];
        value.writer = {static_cast<std::uint64_t>(decoded[4].int64s[i]),
                        static_cast<std::uint32_t>(decoded[6].int32s[i]), decoded[7].int32s[i]};
        value.record.seq = static_cast<std::uint64_t>(decoded[5].int64s[i]);
        value.record.kind = static_cast<Kind>(decoded[11].int32s[i]);
        value.record.step = decoded[0].int64s[i];
        value.record.time_ns = decoded[1].int64s[i];
        value.record.epoch = decoded[2].valid[i] != 0 ? decoded[2].doubles[i] : std::nan("");
        value.record.samples = decoded[3].valid[i] != 0 ? decoded[3].int64s[i] : INT64_MIN;
        for (const Phase phase :
             {Phase::Train, Phase::Validate, Phase::Test, Phase::Predict, Phase::Sanity}) {
            if (decoded[8].valid[i] != 0 && decoded[8].texts[i] == to_string(phase)) {
                value.record.phase = phase;
            }
        }
        value.record.route = static_cast<std::uint32_t>(decoded[12].int64s[i]);
        value.record.metadata = as_bytes(table->metadata_[i]);
        if (!places[i]) {
            notes.add({path, 0, 0, 0, 0,
                       "the blob places of row " + std::to_string(i) + " make no sense"});
            continue;
        }
        value.record.blobs = *std::move(places[i]);
        table->values_.push_back(std::move(value));
        table->rows_.push_back(static_cast<std::uint32_t>(i));
    }
    return std::shared_ptr<const ValuesTable>(table);
}

}  // namespace taffrail::seal
