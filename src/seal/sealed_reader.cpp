#include "seal/sealed_reader.h"

#include "base/try.h"
#include "model/axes.h"
#include "model/bin_query.h"
#include "model/series_cursor.h"
#include "model/series_summary.h"
#include "seal/sealed_series.h"

#include <algorithm>
#include <ranges>
#include <tuple>

namespace taffrail::seal {
namespace {

/// Sorted copies are large; a page looks at a few axes of a few series at a time.
constexpr std::size_t kSortedCopies = 16;

}  // namespace

std::shared_ptr<SealedRun> SealedRun::open(const std::string& run_folder,
                                           std::span<const SealedFileInfo> files) {
    const auto run = std::make_shared<SealedRun>();
    // A key may have had several kinds: each is a key of its own, as in the log.
    std::map<std::pair<std::string, Kind>, KeyInfo> keys;
    std::map<std::string, std::vector<SeriesSummary>> summaries;
    for (const SealedFileInfo& info : files) {
        const std::string path = run_folder + "/data/" + info.name;
        const auto leave_out = [&](const Error& error) {
            Damage damage{
                path, 0, info.bytes,
                0,    0, error.message + ": " + std::to_string(info.rows) + " rows are missing"};
            run->left_out_.push_back(damage);
            run->notes_->add(std::move(damage));
        };
        if (info.kind == SealedFileInfo::Kind::Scalars) {
            const auto opened = SealedFile::open(path, run->notes_);
            if (!opened.ok()) {
                leave_out(opened.error());
                continue;
            }
            const std::shared_ptr<SealedFile>& file = *opened;
            run->files_.push_back(file);
            for (std::size_t section = 0; section < file->index().sections.size(); ++section) {
                const auto& series = file->index().sections[section].series;
                for (std::size_t i = 0; i < series.size(); ++i) {
                    run->places_[series[i].key].push_back({file, {section, i}});
                    KeyInfo& key = keys[{series[i].key, Kind::Scalar}];
                    key.key = series[i].key;
                    key.kind = Kind::Scalar;
                    key.count += series[i].summary.count;
                    summaries[series[i].key].push_back(series[i].summary);
                }
            }
        } else if (info.kind == SealedFileInfo::Kind::Values) {
            auto table = ValuesTable::read(path, info.rows, *run->notes_);
            if (!table.ok()) {
                leave_out(table.error());
                continue;
            }
            for (const SealedValue& value : (*table)->values()) {
                KeyInfo& key = keys[{std::string(value.name), value.record.kind}];
                key.key = value.name;
                key.kind = value.record.kind;
                ++key.count;
            }
            run->values_.push_back(*std::move(table));
        }
    }
    for (auto& [name, key] : keys) {
        if (name.second == Kind::Scalar) {
            key.scalar = model::merged(std::move(summaries[name.first]));
        }
        run->keys_.push_back(std::move(key));
    }
    // Segments have to follow each other: order the places of a key by where they begin.
    for (auto& [name, places] : run->places_) {
        std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
            const auto begin = [](const Place& place) {
                return place.file->index()
                    .sections[place.at.section]
                    .series[place.at.series]
                    .summary.first_time_ns;
            };
            return begin(a) < begin(b);
        });
    }
    return run;
}

// Rows of a file stand in log order. Files usually follow each other in it, too: each has what was
// logged since the one before.
std::vector<std::unique_ptr<model::RowSource>> SealedRun::rows(std::string_view key) const {
    constexpr Columns kPlace = {Column::Attempt, Column::Rank, Column::Writer, Column::Seq};
    std::vector<std::pair<model::LogPlace, std::unique_ptr<model::RowSource>>> found;
    const auto places = places_.find(key);
    for (const Place& place : places != places_.end() ? places->second : std::vector<Place>()) {
        auto source = make_rows(place.file, place.at);
        model::LogPlace first;
        if (places->second.size() > 1 && source->rows() > 0) {
            model::ChunkBuilder head(kPlace, 1);
            std::vector<Damage> unused;
            source->read(0, 1, head, unused);
            if (head.rows() > 0) {
                const Point point = std::move(head).finish(kPlace).point(0);
                first = {point.attempt, point.rank, point.writer, point.seq};
            }
        }
        found.emplace_back(first, std::move(source));
    }
    std::ranges::stable_sort(found, {}, [](const auto& each) { return each.first; });
    std::vector<std::unique_ptr<model::RowSource>> sources;
    for (auto& [first, source] : found) {
        sources.push_back(std::move(source));
    }
    return sources;
}

void SealedRun::check_columns(std::string_view key, Columns columns) const {
    if (const auto places = places_.find(key); places != places_.end()) {
        for (const Place& place : places->second) {
            for (const std::size_t column : file_columns(*place.file, place.at, columns)) {
                place.file->check_column(column);
            }
        }
    }
}

Result<std::vector<Point>> SealedRun::points(std::string_view key) const {
    if (!places_.contains(key)) {
        return Error{ErrorCode::NotFound, "no sealed scalar series '" + std::string(key) + "'"};
    }
    model::SeriesRows series;
    series.sources = rows(key);
    return model::all_points(std::move(series));
}

std::vector<model::AttemptSteps> SealedRun::attempt_steps(std::string_view key) const {
    std::vector<model::AttemptSteps> steps;
    if (const auto found = places_.find(key); found != places_.end()) {
        for (const Place& place : found->second) {
            for (const AttemptRange& range :
                 place.file->index().sections[place.at.section].attempts) {
                steps.push_back({0, range.attempt, range.first_step, range.last_step});
            }
        }
    }
    return steps;
}

std::optional<std::vector<std::shared_ptr<const model::BinSegment>>> SealedRun::segments(
    std::string_view key, Axis axis, std::int64_t origin_ns,
    std::optional<std::uint32_t> attempt) const {
    std::vector<std::shared_ptr<const model::BinSegment>> segments;
    const auto found = places_.find(key);
    if (found == places_.end()) {
        return segments;
    }
    for (const Place& place : found->second) {
        auto segment = place.file->segment(place.at, axis, origin_ns);
        if (!segment ||
            (!segments.empty() && segment->points() > 0 && segments.back()->points() > 0 &&
             segments.back()->last_x() > segment->first_x())) {
            return std::nullopt;
        }
        segments.push_back(std::move(segment));
    }
    if (attempt && !std::ranges::all_of(attempt_steps(key), [&](const auto& each) {
            return each.attempt == *attempt;
        })) {
        return std::nullopt;
    }
    return segments;
}

Result<std::shared_ptr<const model::SortedSeries>> SealedRun::sorted(
    std::string_view key, const BinRequest& request, std::int64_t origin_ns,
    std::span<const model::AttemptProcess> processes) const {
    std::string name = std::string(key) + '\0' + std::to_string(static_cast<int>(request.axis)) +
                       '\0' + request.metric + '\0' + std::to_string(origin_ns) + '\0' +
                       (request.attempt ? std::to_string(*request.attempt) : "");
    // Another attempt may begin while this object is in use.
    for (const model::AttemptProcess& process : processes) {
        name += '\0' + std::to_string(process.rank) + '/' + std::to_string(process.attempt) + '/' +
                (process.resume_step ? std::to_string(*process.resume_step) : "");
    }
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = sorted_.find(name); known != sorted_.end()) {
            return known->second;
        }
    }
    TAFFRAIL_ASSIGN(std::vector<Point> points, this->points(key));
    points = model::choose_attempt(std::move(points), processes, request.attempt);
    std::vector<double> x, value;
    if (request.axis == Axis::Metric) {
        TAFFRAIL_ASSIGN(const std::vector<Point> metric, this->points(request.metric));
        x = model::metric_positions(points, metric);
    } else {
        for (const Point& point : points) {
            x.push_back(model::position_of(point, request.axis, origin_ns));
        }
    }
    for (const Point& point : points) {
        value.push_back(point.value);
    }
    auto series = std::make_shared<const model::SortedSeries>(x, value);
    const std::lock_guard lock(mutex_);
    if (sorted_.size() >= kSortedCopies) {
        sorted_.clear();
    }
    sorted_[name] = series;
    return std::shared_ptr<const model::SortedSeries>(series);
}

Result<Bins> SealedRun::bins(std::string_view key, const BinRequest& request,
                             std::int64_t origin_ns,
                             std::span<const model::AttemptProcess> processes) const {
    if (!places_.contains(key)) {
        return Error{ErrorCode::NotFound, "no sealed scalar series '" + std::string(key) + "'"};
    }
    if (request.axis != Axis::Metric &&
        (request.attempt || !model::may_supersede(processes, attempt_steps(key)))) {
        if (const auto rising = segments(key, request.axis, origin_ns, request.attempt)) {
            std::vector<const model::BinSegment*> plain;
            for (const auto& segment : *rising) {
                plain.push_back(segment.get());
            }
            auto bins = model::query_bins(plain, request);
            if (bins.ok() || bins.error().code == ErrorCode::InvalidArgument) {
                return bins;
            }
            // A block or page of it is damaged: what is left is taken point by point.
        }
    }
    TAFFRAIL_ASSIGN(const auto series, sorted(key, request, origin_ns, processes));
    return series->bins(request);
}

void SealedRun::index_values() const {
    for (const auto& table : values_) {
        for (const SealedValue& value : table->values()) {
            ordered_values_.push_back(&value);
        }
    }
    std::ranges::stable_sort(ordered_values_, {}, [](const SealedValue* value) {
        return std::tuple(value->writer.attempt, value->writer.rank, value->writer.writer,
                          value->record.seq);
    });
    for (const SealedValue* value : ordered_values_) {
        values_by_key_[value->name].push_back(value);
    }
}

const std::vector<const SealedValue*>& SealedRun::values(std::string_view key) const {
    static const std::vector<const SealedValue*> kNone;
    std::call_once(values_indexed_, [this] { index_values(); });
    if (key.empty()) {
        return ordered_values_;
    }
    const auto found = values_by_key_.find(key);
    return found == values_by_key_.end() ? kNone : found->second;
}

std::optional<SealedRun::FoundBlob> SealedRun::find_blob(const BlobRef& blob) const {
    const auto half_of = [](const BlobRef& ref) { return load<std::uint64_t>(ref.sha256.data()); };
    std::call_once(blobs_indexed_, [&] {
        const auto add = [&](const ValuesTable& table, const SealedValue& value) {
            for (const tlog::BlobPlace& place : value.record.blobs) {
                std::vector<FoundBlob>& same = blobs_[half_of(place.ref)];
                if (std::ranges::none_of(same, [&](const FoundBlob& each) {
                        return each.place->ref.sha256 == place.ref.sha256;
                    })) {
                    same.push_back({&place, value.writer.writer, &table, &value});
                }
            }
        };
        for (const auto& table : values_) {
            for (const SealedValue& value : table->values()) {
                add(*table, value);
            }
        }
    });
    const auto found = blobs_.find(half_of(blob));
    if (found != blobs_.end()) {
        for (const FoundBlob& each : found->second) {
            if (each.place->ref.sha256 == blob.sha256) {
                return each;
            }
        }
    }
    return std::nullopt;
}

}  // namespace taffrail::seal
