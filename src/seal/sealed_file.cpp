#include "seal/sealed_file.h"

#include "base/crc32c.h"
#include "base/try.h"
#include "codec/parquet/compression.h"
#include "io/files.h"
#include "seal/sealed_segment.h"
#include "seal/table_writer.h"

#include <algorithm>

namespace taffrail::seal {
namespace {

constexpr std::uint64_t kParquetTail = 8;
constexpr std::uint64_t kTailBytes = 256 << 10;
constexpr std::size_t kPageCacheBytes = 64 << 20;

parquet::Column column_of(std::size_t column) {
    switch (column) {
        case 0:
        case 1:
        case 4:
        case 5:
            return {"axis", parquet::Type::Int64, parquet::Shape::Required, parquet::Meaning::None};
        case 3:
            return {"samples", parquet::Type::Int64, parquet::Shape::Optional,
                    parquet::Meaning::None};
        case 6:
        case 7:
            return {"axis", parquet::Type::Int32, parquet::Shape::Required, parquet::Meaning::None};
        default:
            return {"value", parquet::Type::Double, parquet::Shape::Optional,
                    parquet::Meaning::None};
    }
}

}  // namespace

Result<std::shared_ptr<SealedFile>> SealedFile::open(const std::string& path) {
    TAFFRAIL_ASSIGN(auto handle, io::open(path, io::OpenMode::Read));
    const std::shared_ptr<SealedFile> file(new SealedFile(path, std::move(handle)));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file->file_->info());
    const auto damaged = [&](const char* why) {
        return Error{ErrorCode::Corrupt, "cannot read the sealed file " + path + ": " + why};
    };
    if (info.size < kParquetTail + IndexTrailer::kBytes + 4) {
        return damaged("it is too short");
    }
    // One read brings the footer, the index and the coarse levels of most files: on a cold disk
    // each read costs.
    const std::uint64_t tail_bytes = std::min(info.size, kTailBytes);
    TAFFRAIL_ASSIGN(file->tail_, file->read(info.size - tail_bytes, tail_bytes));
    file->tail_offset_ = info.size - tail_bytes;
    const ByteSpan end = ByteSpan(file->tail_).last(kParquetTail);
    const auto footer_bytes = load<std::uint32_t>(end.data());
    if (as_text(end).substr(4) != "PAR1" ||
        footer_bytes > info.size - kParquetTail - IndexTrailer::kBytes - 4) {
        return damaged("its end is not that of a Parquet file");
    }
    const std::uint64_t footer = info.size - kParquetTail - footer_bytes;
    TAFFRAIL_ASSIGN(const Bytes trailer_bytes,
                    file->read(footer - IndexTrailer::kBytes, IndexTrailer::kBytes));
    TAFFRAIL_ASSIGN(const IndexTrailer trailer, decode_trailer(trailer_bytes));
    if (trailer.offset > footer || trailer.stored_bytes > footer - trailer.offset ||
        trailer.bytes / 131072 > trailer.stored_bytes) {
        return damaged("its index lies outside of it");
    }
    TAFFRAIL_ASSIGN(const Bytes stored, file->read(trailer.offset, trailer.stored_bytes));
    Bytes index(trailer.bytes);
    if (crc32c(stored) != trailer.crc || !parquet::unpack_zstd(stored, index)) {
        return damaged("its index fails its checksum");
    }
    TAFFRAIL_ASSIGN(file->index_, decode_index(index));
    // Of the tail only pyramid blocks may be asked for again.
    const std::uint64_t keep = std::max(trailer.offset, file->tail_offset_) - file->tail_offset_;
    file->tail_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(keep, file->tail_.size())));
    file->tail_.shrink_to_fit();
    for (const auto& pages : file->index_.pages) {
        auto& first_rows = file->page_rows_.emplace_back();
        std::uint64_t row = 0;
        for (const parquet::PagePlace& page : pages) {
            first_rows.push_back(row);
            row += page.rows;
        }
    }
    return file;
}

Result<Bytes> SealedFile::read(std::uint64_t offset, std::uint64_t size) {
    if (offset >= tail_offset_ && offset - tail_offset_ <= tail_.size() &&
        size <= tail_.size() - (offset - tail_offset_)) {
        const ByteSpan part = ByteSpan(tail_).subspan(
            static_cast<std::size_t>(offset - tail_offset_), static_cast<std::size_t>(size));
        return Bytes(part.begin(), part.end());
    }
    Bytes bytes(static_cast<std::size_t>(size));
    TAFFRAIL_ASSIGN(const std::size_t got, file_->read_at(offset, bytes));
    if (got != bytes.size()) {
        return Error{ErrorCode::Corrupt,
                     "the sealed file " + path_ + " is shorter than its index says"};
    }
    return bytes;
}

Result<Bytes> SealedFile::block(const BlockPlace& place) {
    TAFFRAIL_ASSIGN(Bytes bytes, read(place.offset, place.bytes));
    if (crc32c(bytes) != place.crc) {
        return Error{ErrorCode::Corrupt, "a pyramid block of " + path_ + " fails its checksum"};
    }
    return bytes;
}

std::pair<std::size_t, std::uint64_t> SealedFile::page_of(std::size_t column,
                                                          std::uint64_t row) const {
    const std::vector<std::uint64_t>& first_rows = page_rows_[column];
    const auto after = std::upper_bound(first_rows.begin(), first_rows.end(), row);
    return {static_cast<std::size_t>(after - first_rows.begin()) - 1, *(after - 1)};
}

Result<std::shared_ptr<const PageValues>> SealedFile::page(std::size_t column, std::size_t number) {
    const std::pair key{column, number};
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = pages_.find(key); known != pages_.end()) {
            return known->second;
        }
    }
    const parquet::PagePlace& place = index_.pages[column][number];
    TAFFRAIL_ASSIGN(const Bytes bytes, read(place.offset, place.bytes));
    parquet::DecodedColumn decoded;
    std::vector<std::string> dictionary;
    const parquet::Column schema = column_of(column);
    const parquet::Encoding expected[] = {
        index_.profile == parquet::Profile::Compat ? parquet::Encoding::Plain
        : schema.type == parquet::Type::Double     ? parquet::Encoding::ByteStreamSplit
                                                   : parquet::Encoding::DeltaBinaryPacked};
    const auto taken = parquet::read_page(bytes, schema, expected, dictionary, decoded);
    if (!taken.ok() || taken->values != place.rows) {
        return Error{ErrorCode::Corrupt,
                     "a page of " + path_ + " is damaged" +
                         (taken.ok() ? std::string() : ": " + taken.error().message)};
    }
    auto values = std::make_shared<const PageValues>(std::move(decoded));
    const std::lock_guard lock(mutex_);
    if (cached_bytes_ + values->bytes() > kPageCacheBytes) {
        pages_.clear();
        cached_bytes_ = 0;
    }
    if (pages_.emplace(key, values).second) {
        cached_bytes_ += values->bytes();
    }
    return values;
}

template <typename Take>
Result<void> SealedFile::for_rows(std::size_t column, std::uint64_t first_row, std::uint64_t rows,
                                  Take take) {
    for (std::uint64_t row = first_row; row < first_row + rows;) {
        const auto [number, page_row] = page_of(column, row);
        TAFFRAIL_ASSIGN(const auto values, page(column, number));
        const std::uint64_t end =
            std::min<std::uint64_t>(first_row + rows, page_row + values->size());
        for (; row < end; ++row) {
            take(*values, static_cast<std::size_t>(row - page_row),
                 static_cast<std::size_t>(row - first_row));
        }
    }
    return {};
}

Result<std::vector<Point>> SealedFile::points(const SeriesPlace& place) {
    const Section& section = index_.sections[place.section];
    TAFFRAIL_ASSIGN(std::vector<Point> points, axes(section.first_row, section.rows));
    TAFFRAIL_TRY(for_rows(section.series[place.series].column, section.first_row, section.rows,
                          [&](const PageValues& page, std::size_t row, std::size_t point) {
                              points[point].value = page.number(row);
                          }));
    return points;
}

Result<std::vector<Point>> SealedFile::axes(std::uint64_t first_row, std::uint64_t rows) {
    std::vector<Point> points(static_cast<std::size_t>(rows));
    const auto take = [&](std::size_t column, auto assign) {
        return for_rows(column, first_row, rows,
                        [&](const PageValues& page, std::size_t row, std::size_t point) {
                            if (page.valid(row)) {
                                assign(points[point], page, row);
                            }
                        });
    };
    using Values = const PageValues&;
    TAFFRAIL_TRY(
        take(0, [](Point& to, Values page, std::size_t row) { to.step = page.integer(row); }));
    TAFFRAIL_TRY(
        take(1, [](Point& to, Values page, std::size_t row) { to.time_ns = page.integer(row); }));
    TAFFRAIL_TRY(
        take(2, [](Point& to, Values page, std::size_t row) { to.epoch = page.number(row); }));
    TAFFRAIL_TRY(
        take(3, [](Point& to, Values page, std::size_t row) { to.samples = page.integer(row); }));
    TAFFRAIL_TRY(take(5, [](Point& to, Values page, std::size_t row) {
        to.seq = static_cast<std::uint64_t>(page.integer(row));
    }));
    // Spans count the rows of the whole file; those outside are stepped over.
    const auto over = [&](std::uint64_t first, std::uint64_t count, auto apply) {
        const std::uint64_t low = std::max(first, first_row),
                            high = std::min(first + count, first_row + rows);
        for (std::uint64_t row = low; row < high; ++row) {
            apply(points[static_cast<std::size_t>(row - first_row)]);
        }
    };
    for (const WriterSpan& span : index_.writers) {
        over(span.first_row, span.rows, [&](Point& point) {
            point.writer = span.writer;
            point.attempt = span.attempt;
            point.rank = span.rank;
        });
    }
    std::uint64_t row = 0;
    for (const PhaseSpan& span : index_.phases) {
        over(row, span.rows, [&](Point& point) { point.phase = span.phase; });
        row += span.rows;
    }
    return points;
}

Result<std::vector<double>> SealedFile::values(std::size_t column, std::uint64_t first_row,
                                               std::uint64_t rows) {
    std::vector<double> values(static_cast<std::size_t>(rows));
    TAFFRAIL_TRY(for_rows(column, first_row, rows,
                          [&](const PageValues& page, std::size_t row, std::size_t to) {
                              values[to] = page.number(row);
                          }));
    return values;
}

std::shared_ptr<const model::BinSegment> SealedFile::segment(const SeriesPlace& place, Axis axis,
                                                             std::int64_t origin_ns) {
    const Section& section = index_.sections[place.section];
    const SeriesEntry& entry = section.series[place.series];
    const auto make = [&]<typename T>(AxisColumnId id, T origin,
                                      auto& known) -> std::shared_ptr<const model::BinSegment> {
        const AxisIndex& axis_index = section.axes[static_cast<std::size_t>(id)];
        if (!axis_index.rising) {
            return nullptr;
        }
        const std::lock_guard lock(mutex_);
        auto& axis_levels = known[{place.section, static_cast<std::size_t>(id)}];
        if (!axis_levels) {
            axis_levels = std::make_shared<AxisLevels<T>>(axis_index.levels, section.rows);
        }
        auto& value_levels = value_levels_[{place.section, place.series}];
        if (!value_levels) {
            value_levels = std::make_shared<ValueLevels>(entry.levels, section.rows);
        }
        return std::make_shared<SealedSegment<T>>(typename SealedSegment<T>::Parts{
            shared_from_this(), &section, &entry, id, origin, axis_levels, value_levels});
    };
    switch (axis) {
        case Axis::Steps:
            return make(AxisColumnId::Step, std::int64_t{0}, integer_levels_);
        case Axis::WallTime:
            return make(AxisColumnId::Time, std::int64_t{0}, integer_levels_);
        case Axis::RelativeTime:
            return make(AxisColumnId::Time, origin_ns, integer_levels_);
        case Axis::Epoch:
            return make(AxisColumnId::Epoch, 0.0, number_levels_);
        case Axis::Samples:
            return make(AxisColumnId::Samples, std::int64_t{0}, integer_levels_);
        case Axis::Metric:
            break;
    }
    return nullptr;
}

}  // namespace taffrail::seal
