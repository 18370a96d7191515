#include "seal/sealed_file.h"

#include "base/crc32c.h"
#include "base/try.h"
#include "codec/parquet/compression.h"
#include "codec/parquet/reader.h"
#include "io/files.h"
#include "io/inside.h"
#include "io/open_files.h"
#include "model/series_summary.h"
#include "seal/index_check.h"
#include "seal/index_rebuild.h"
#include "seal/page_cache.h"
#include "seal/sealed_segment.h"
#include "seal/table_writer.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace taffrail::seal {
namespace {

constexpr std::uint64_t kParquetTail = 8;
constexpr std::uint64_t kTailBytes = 256 << 10;
constexpr std::size_t kAllTailsBytes = 32 << 20;
// An index is names and small numbers: it packs well, not endlessly.
constexpr std::uint32_t kMaxIndexRatio = 512;

std::atomic<std::size_t> all_tails{0};  ///< of every open file

constexpr const char* kFixedColumnNames[] = {"step", "time",    "epoch", "samples", "writer",
                                             "seq",  "attempt", "rank",  "phase"};

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

SealedFile::SealedFile(std::string path, std::unique_ptr<io::File> file,
                       std::shared_ptr<DamageNotes> notes)
    : path_(std::move(path)),
      file_(std::move(file)),
      notes_(std::move(notes)),
      number_(PageCache::shared().next_file()) {}

SealedFile::~SealedFile() {
    PageCache::shared().forget(number_);
    all_tails -= kept_tail_;
}

Result<std::shared_ptr<SealedFile>> SealedFile::open(const std::string& path,
                                                     std::shared_ptr<DamageNotes> notes) {
    const auto open_again = [path] { return io::open_inside(io::parent(io::parent(path)), path); };
    TAFFRAIL_ASSIGN(auto handle, open_again());
    const std::shared_ptr<SealedFile> file(
        new SealedFile(path, io::pooled(std::move(handle), open_again), std::move(notes)));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file->file_->info());
    file->file_bytes_ = info.size;
    TAFFRAIL_TRY(file->load_index(info.size));
    return file;
}

Result<void> SealedFile::load_index(std::uint64_t file_bytes) {
    if (file_bytes < kParquetTail + IndexTrailer::kBytes + 4) {
        return Error{ErrorCode::Corrupt,
                     "cannot read the sealed file " + path_ + ": it is too short"};
    }
    // One read brings the footer, the index and the coarse levels of most files: on a cold disk
    // each read costs.
    const std::uint64_t tail_bytes = std::min(file_bytes, kTailBytes);
    TAFFRAIL_ASSIGN(tail_, read(file_bytes - tail_bytes, tail_bytes));
    tail_offset_ = file_bytes - tail_bytes;
    auto found = find_index(file_bytes);
    if (found.ok()) {
        index_ = *std::move(found);
    } else {
        TAFFRAIL_ASSIGN(
            const parquet::Reader reader,
            parquet::Reader::open(
                [this](std::uint64_t offset, std::uint64_t size) { return read(offset, size); },
                file_bytes));
        auto rebuilt = rebuild_index(reader);
        if (rebuilt.ok() && !is_sound(*rebuilt, file_bytes)) {
            rebuilt = Error{ErrorCode::Corrupt, "its Parquet footer contradicts itself"};
        }
        if (!rebuilt.ok()) {
            return Error{ErrorCode::Corrupt, "cannot read the sealed file " + path_ + ": " +
                                                 found.error().message + "; " +
                                                 rebuilt.error().message};
        }
        index_ = *std::move(rebuilt);
        notes_->add({path_, 0, file_bytes, 0, 0,
                     found.error().message + "; read through the Parquet footer instead"});
    }
    keep_tail();
    for (const auto& pages : index_.pages) {
        auto& first_rows = page_rows_.emplace_back();
        std::uint64_t row = 0;
        for (const parquet::PagePlace& page : pages) {
            first_rows.push_back(row);
            row += page.rows;
        }
    }
    complete_summaries();
    return {};
}

// Indexes of version 1 know neither the infinities nor, where there are any, the extremes and the
// last of the finite points. A series that has such points shows it: then, and only then, its
// points are looked at; for the last one from the end.
void SealedFile::complete_summaries() {
    constexpr std::uint64_t kRows = 16384;
    for (Section& section : index_.sections) {
        for (SeriesEntry& entry : section.series) {
            SeriesSummary& summary = entry.summary;
            if (!model::is_of_all_points(summary)) {
                model::clear_numbers_of_nothing(summary);
                continue;
            }
            const bool only_last = std::isfinite(summary.min) && std::isfinite(summary.max);
            SeriesSummary read;
            for (std::uint64_t done = 0; done < section.rows;) {
                const std::uint64_t rows = std::min(kRows, section.rows - done);
                const std::uint64_t first = only_last ? section.rows - done - rows : done;
                done += rows;
                LostRows lost;
                std::vector<double> some =
                    values(entry.column, section.first_row + first, rows, lost);
                if (lost.any()) {
                    std::size_t row = 0;
                    std::erase_if(some, [&](double) { return lost.contains(row++); });
                }
                model::add_values(read, some);
                if (only_last && read.finite_count() > 0) {
                    break;
                }
            }
            summary.last = read.last;
            if (!only_last) {
                summary.positive_infinity_count = read.positive_infinity_count;
                summary.negative_infinity_count = read.negative_infinity_count;
                summary.min = read.min;
                summary.max = read.max;
            }
        }
    }
}

// The first files keep theirs: a few runs are read without another call. Thousands of runs would
// fill the memory with what the system's own cache has already.
void SealedFile::keep_tail() {
    if (all_tails.fetch_add(tail_.size()) + tail_.size() <= kAllTailsBytes) {
        kept_tail_ = tail_.size();
    } else {
        all_tails -= tail_.size();
        tail_.clear();
        tail_offset_ = UINT64_MAX;
    }
    tail_.shrink_to_fit();
}

// The footer's length says where the index ends. Where that is damaged, the index's own magic is
// looked for.
Result<FileIndex> SealedFile::find_index(std::uint64_t file_bytes) {
    const ByteSpan end = ByteSpan(tail_).last(kParquetTail);
    const auto footer_bytes = load<std::uint32_t>(end.data());
    if (footer_bytes <= file_bytes - kParquetTail - IndexTrailer::kBytes - 4) {
        auto index = read_index(file_bytes - kParquetTail - footer_bytes - IndexTrailer::kBytes);
        if (index.ok()) {
            return index;
        }
    }
    const std::string_view text = as_text(tail_);
    Error problem{ErrorCode::Corrupt, "its index is nowhere to be found"};
    for (std::size_t at = text.rfind(IndexTrailer::kMagic); at != std::string_view::npos && at > 0;
         at = text.rfind(IndexTrailer::kMagic, at - 1)) {
        const std::uint64_t magic = tail_offset_ + at;
        if (magic + IndexTrailer::kMagic.size() < IndexTrailer::kBytes + 4) {
            break;
        }
        auto index = read_index(magic + IndexTrailer::kMagic.size() - IndexTrailer::kBytes);
        if (index.ok()) {
            return index;
        }
        problem = index.error();
    }
    return problem;
}

Result<FileIndex> SealedFile::read_index(std::uint64_t trailer_offset) {
    TAFFRAIL_ASSIGN(const Bytes trailer_bytes, read(trailer_offset, IndexTrailer::kBytes));
    TAFFRAIL_ASSIGN(const IndexTrailer trailer, decode_trailer(trailer_bytes));
    if (trailer.offset > trailer_offset || trailer.stored_bytes > trailer_offset - trailer.offset ||
        trailer.bytes / kMaxIndexRatio > trailer.stored_bytes) {
        return Error{ErrorCode::Corrupt, "its index lies outside of it"};
    }
    TAFFRAIL_ASSIGN(const Bytes stored, read(trailer.offset, trailer.stored_bytes));
    Bytes index(trailer.bytes);
    if (crc32c(stored) != trailer.crc || !parquet::unpack_zstd(stored, index)) {
        return Error{ErrorCode::Corrupt, "its index fails its checksum"};
    }
    TAFFRAIL_ASSIGN(FileIndex decoded, decode_index(index, file_bytes_));
    // Of the tail only pyramid blocks may be asked for again.
    const std::uint64_t keep = std::max(trailer.offset, tail_offset_) - tail_offset_;
    tail_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(keep, tail_.size())));
    return decoded;
}

Result<Bytes> SealedFile::read(std::uint64_t offset, std::uint64_t size) {
    if (offset >= tail_offset_ && offset - tail_offset_ <= tail_.size() &&
        size <= tail_.size() - (offset - tail_offset_)) {
        const ByteSpan part = ByteSpan(tail_).subspan(
            static_cast<std::size_t>(offset - tail_offset_), static_cast<std::size_t>(size));
        return Bytes(part.begin(), part.end());
    }
    Bytes bytes;
    std::size_t got = 0;
    if (offset <= file_bytes_ && size <= file_bytes_ - offset) {
        bytes.resize(static_cast<std::size_t>(size));
        TAFFRAIL_ASSIGN(got, file_->read_at(offset, bytes));
    }
    if (got != size) {
        return Error{ErrorCode::Corrupt,
                     "the sealed file " + path_ + " is shorter than its index says"};
    }
    return bytes;
}

Result<Bytes> SealedFile::block(const BlockPlace& place) {
    auto bytes = read(place.offset, place.bytes);
    if (bytes.ok() && crc32c(*bytes) != place.crc) {
        bytes = Error{ErrorCode::Corrupt, "a pyramid block of " + path_ + " fails its checksum"};
    }
    if (!bytes.ok()) {
        notes_->add({path_, place.offset, place.bytes, 0, 0,
                     "a block of the pyramid cannot be read; its points can"});
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
    if (PageCache::Page known = PageCache::shared().find(number_, column, number)) {
        return known;
    }
    auto values = read_page(column, number);
    if (!values.ok()) {
        note_page(column, number, values.error().message);
        return values;
    }
    PageCache::shared().keep(number_, column, number, *values);
    return values;
}

Result<void> SealedFile::decode(std::size_t column, std::size_t number,
                                parquet::DecodedColumn& to) {
    to.doubles.clear();
    to.int64s.clear();
    to.int32s.clear();
    to.valid.clear();
    const parquet::PagePlace& place = index_.pages[column][number];
    TAFFRAIL_ASSIGN(const Bytes bytes, read(place.offset, place.bytes));
    std::vector<std::string> dictionary;
    const parquet::Column schema = column_of(column);
    const parquet::Encoding expected[] = {
        index_.profile == parquet::Profile::Compat ? parquet::Encoding::Plain
        : schema.type == parquet::Type::Double     ? parquet::Encoding::ByteStreamSplit
                                                   : parquet::Encoding::DeltaBinaryPacked};
    TAFFRAIL_ASSIGN(const parquet::PageTaken taken,
                    parquet::read_page(bytes, schema, expected, dictionary, to));
    if (taken.values != place.rows) {
        return Error{ErrorCode::Corrupt, "a page holds another number of rows than the index says"};
    }
    return {};
}

Result<std::shared_ptr<const PageValues>> SealedFile::read_page(std::size_t column,
                                                                std::size_t number) {
    parquet::DecodedColumn decoded;
    TAFFRAIL_TRY(decode(column, number, decoded));
    return std::make_shared<const PageValues>(std::move(decoded));
}

void SealedFile::check_column(std::size_t column) {
    {
        const std::lock_guard lock(mutex_);
        if (!checked_columns_.insert(column).second) {
            return;
        }
    }
    for (std::size_t number = 0; number < index_.pages[column].size(); ++number) {
        const parquet::PagePlace& place = index_.pages[column][number];
        const auto bytes = read(place.offset, place.bytes);
        const auto whole = bytes.ok() ? parquet::check_page(*bytes) : Result<void>(bytes.error());
        if (!whole.ok()) {
            note_page(column, number, whole.error().message);
        }
    }
}

Damage SealedFile::note_page(std::size_t column, std::size_t number, const std::string& why) {
    const parquet::PagePlace& place = index_.pages[column][number];
    const std::uint64_t first = page_rows_[column][number];
    Damage damage{path_,
                  place.offset,
                  place.bytes,
                  0,
                  0,
                  "a page of " + name_of(column) + " cannot be read (" + why + "): rows " +
                      std::to_string(first) + " to " + std::to_string(first + place.rows - 1) +
                      " of the table lack it"};
    notes_->add(damage);
    return damage;
}

std::string SealedFile::name_of(std::size_t column) const {
    if (column < std::size(kFixedColumnNames)) {
        return std::string("the axis '") + kFixedColumnNames[column] + "'";
    }
    if (index_.kind == TableKind::Long) {
        return "the values";
    }
    for (const SeriesEntry& series : index_.sections[0].series) {
        if (series.column == column) {
            return "'" + series.key + "'";
        }
    }
    return "column " + std::to_string(column);
}

template <typename Take, typename Lose>
void SealedFile::for_rows(std::size_t column, std::uint64_t first_row, std::uint64_t rows,
                          Take take, Lose lose) {
    for (std::uint64_t row = first_row; row < first_row + rows;) {
        const auto [number, page_row] = page_of(column, row);
        const std::uint64_t end =
            std::min<std::uint64_t>(first_row + rows, page_row + index_.pages[column][number].rows);
        const auto values = page(column, number);
        if (!values.ok()) {
            lose(static_cast<std::size_t>(row - first_row),
                 static_cast<std::size_t>(end - first_row));
            row = end;
            continue;
        }
        for (; row < end; ++row) {
            take(**values, static_cast<std::size_t>(row - page_row),
                 static_cast<std::size_t>(row - first_row));
        }
    }
}

std::vector<Point> SealedFile::points(const SeriesPlace& place) {
    return points(place, 0, index_.sections[place.section].rows);
}

std::vector<Point> SealedFile::points(const SeriesPlace& place, std::uint64_t first_point,
                                      std::uint64_t rows) {
    const Section& section = index_.sections[place.section];
    const std::uint64_t first_row = section.first_row + first_point;
    LostRows lost;
    std::vector<Point> points = axes(first_row, rows, lost);
    for_rows(
        section.series[place.series].column, first_row, rows,
        [&](const PageValues& page, std::size_t row, std::size_t point) {
            points[point].value = page.number(row);
        },
        [&](std::size_t first, std::size_t end) { lost.mark(first, end, points.size()); });
    if (lost.any()) {
        std::size_t row = 0;
        std::erase_if(points, [&](const Point&) { return lost.contains(row++); });
    }
    return points;
}

std::vector<Point> SealedFile::axes(std::uint64_t first_row, std::uint64_t rows, LostRows& lost) {
    std::vector<Point> points(static_cast<std::size_t>(rows));
    const auto take = [&](std::size_t column, bool needed, auto assign) {
        for_rows(
            column, first_row, rows,
            [&](const PageValues& page, std::size_t row, std::size_t point) {
                if (page.valid(row)) {
                    assign(points[point], page, row);
                }
            },
            [&](std::size_t first, std::size_t end) {
                if (needed) {
                    lost.mark(first, end, points.size());
                }
            });
    };
    using Values = const PageValues&;
    take(0, true, [](Point& to, Values page, std::size_t row) { to.step = page.integer(row); });
    take(1, true, [](Point& to, Values page, std::size_t row) { to.time_ns = page.integer(row); });
    take(2, false, [](Point& to, Values page, std::size_t row) { to.epoch = page.number(row); });
    take(3, false, [](Point& to, Values page, std::size_t row) { to.samples = page.integer(row); });
    take(5, true, [](Point& to, Values page, std::size_t row) {
        to.seq = static_cast<std::uint64_t>(page.integer(row));
    });
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

std::vector<double> SealedFile::values(std::size_t column, std::uint64_t first_row,
                                       std::uint64_t rows, LostRows& lost) {
    std::vector<double> values(static_cast<std::size_t>(rows));
    for_rows(
        column, first_row, rows,
        [&](const PageValues& page, std::size_t row, std::size_t to) {
            values[to] = page.number(row);
        },
        [&](std::size_t first, std::size_t end) { lost.mark(first, end, values.size()); });
    return values;
}

// Texts are there for other programs; numbers are decoded, since a page's checksum does not cover
// its header.
Result<void> SealedFile::check_page(std::size_t column, std::size_t number) {
    const bool is_text = column == 8 || (index_.kind == TableKind::Long && column == kFixedColumns);
    if (!is_text) {
        TAFFRAIL_TRY(read_page(column, number));
        return {};
    }
    const parquet::PagePlace& place = index_.pages[column][number];
    TAFFRAIL_ASSIGN(const Bytes bytes, read(place.offset, place.bytes));
    return parquet::check_page(bytes);
}

void SealedFile::read_everything() {
    for (std::size_t column = 0; column < index_.pages.size(); ++column) {
        for (std::size_t number = 0; number < index_.pages[column].size(); ++number) {
            const auto whole = check_page(column, number);
            if (!whole.ok()) {
                note_page(column, number, whole.error().message);
            }
        }
    }
    const auto read_levels = [&](const LevelBlocks& levels) {
        for (const auto& blocks : levels) {
            for (const BlockPlace& place : blocks) {
                (void)block(place);
            }
        }
    };
    for (const Section& section : index_.sections) {
        for (const AxisIndex& axis : section.axes) {
            read_levels(axis.levels);
        }
        for (const SeriesEntry& series : section.series) {
            read_levels(series.levels);
        }
    }
}

std::shared_ptr<const model::BinSegment> SealedFile::segment(const SeriesPlace& place, Axis axis,
                                                             std::int64_t origin_ns) {
    const Section& section = index_.sections[place.section];
    const SeriesEntry& entry = section.series[place.series];
    const auto make = [&]<typename T>(AxisColumnId id, T origin,
                                      auto& known) -> std::shared_ptr<const model::BinSegment> {
        const AxisIndex& axis_index = section.axes[static_cast<std::size_t>(id)];
        if (!axis_index.present) {
            return std::make_shared<model::PlacelessSegment>(section.rows);
        }
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
