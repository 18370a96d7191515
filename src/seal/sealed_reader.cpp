#include "seal/sealed_reader.h"

#include "base/try.h"
#include "model/axes.h"
#include "model/bin_query.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <tuple>

namespace taffrail::seal {
namespace {

/// Sorted copies are large; a page looks at a few axes of a few series at a time.
constexpr std::size_t kSortedCopies = 16;

void merge(SeriesSummary& into, const SeriesSummary& from) {
    if (into.count == 0) {
        into = from;
        return;
    }
    into.count += from.count;
    into.nan_count += from.nan_count;
    into.positive_infinity_count += from.positive_infinity_count;
    into.negative_infinity_count += from.negative_infinity_count;
    into.min = std::fmin(into.min, from.min);
    into.max = std::fmax(into.max, from.max);
    into.sum += from.sum;
    if (from.last_time_ns >= into.last_time_ns) {
        into.last = from.last;
    }
    into.first_step = std::min(into.first_step, from.first_step);
    into.last_step = std::max(into.last_step, from.last_step);
    into.first_time_ns = std::min(into.first_time_ns, from.first_time_ns);
    into.last_time_ns = std::max(into.last_time_ns, from.last_time_ns);
}

}  // namespace

std::shared_ptr<SealedRun> SealedRun::open(const std::string& run_folder,
                                           std::span<const SealedFileInfo> files) {
    const auto run = std::make_shared<SealedRun>();
    // A key may have had several kinds: each is a key of its own, as in the log.
    std::map<std::pair<std::string, Kind>, KeyInfo> keys;
    for (const SealedFileInfo& info : files) {
        const std::string path = run_folder + "/data/" + info.name;
        const auto leave_out = [&](const Error& error) {
            run->notes_->add(
                {path, 0, info.bytes, 0, 0,
                 error.message + ": " + std::to_string(info.rows) + " rows are missing"});
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
                    merge(key.scalar, series[i].summary);
                    key.count = key.scalar.count;
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

Result<std::vector<Point>> SealedRun::points(std::string_view key) const {
    const auto found = places_.find(key);
    if (found == places_.end()) {
        return Error{ErrorCode::NotFound, "no sealed scalar series '" + std::string(key) + "'"};
    }
    std::vector<Point> points = found->second.front().file->points(found->second.front().at);
    for (const Place& place : found->second | std::views::drop(1)) {
        const std::vector<Point> more = place.file->points(place.at);
        points.insert(points.end(), more.begin(), more.end());
    }
    if (found->second.size() > 1) {
        std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
            return std::tie(a.attempt, a.rank, a.writer, a.seq) <
                   std::tie(b.attempt, b.rank, b.writer, b.seq);
        });
    }
    return points;
}

Result<void> SealedRun::visit_points(
    std::string_view key, const std::function<Result<void>(std::span<const Point>)>& visit) const {
    constexpr std::uint64_t kPieceRows = 65536;
    const auto found = places_.find(key);
    if (found == places_.end()) {
        return Error{ErrorCode::NotFound, "no sealed scalar series '" + std::string(key) + "'"};
    }
    const auto log_place = [](const Point& point) {
        return std::tuple(point.attempt, point.rank, point.writer, point.seq);
    };

    // Rows of a file stand in log order. Files usually follow each other in it, too: each has what
    // was logged since the one before.
    struct Stretch {
        const Place* place = nullptr;
        std::uint64_t rows = 0;
        std::tuple<std::uint32_t, std::int32_t, std::uint64_t, std::uint64_t> first, last;
    };

    std::vector<Stretch> stretches;
    for (const Place& place : found->second) {
        Stretch stretch{&place, place.file->index().sections[place.at.section].rows, {}, {}};
        if (found->second.size() > 1 && stretch.rows > 0) {
            const auto head = place.file->points(place.at, 0, 1);
            const auto tail = place.file->points(place.at, stretch.rows - 1, 1);
            if (head.empty() || tail.empty()) {  // damaged at an end
                TAFFRAIL_ASSIGN(const std::vector<Point> all, points(key));
                return visit(all);
            }
            stretch.first = log_place(head.front());
            stretch.last = log_place(tail.front());
        }
        stretches.push_back(stretch);
    }
    std::ranges::stable_sort(stretches, {}, &Stretch::first);
    for (std::size_t i = 1; i < stretches.size(); ++i) {
        if (stretches[i].first < stretches[i - 1].last) {
            TAFFRAIL_ASSIGN(const std::vector<Point> all, points(key));
            return visit(all);
        }
    }
    for (const Stretch& stretch : stretches) {
        for (std::uint64_t first = 0; first < stretch.rows; first += kPieceRows) {
            TAFFRAIL_TRY(visit(stretch.place->file->points(
                stretch.place->at, first, std::min(kPieceRows, stretch.rows - first))));
        }
    }
    return {};
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

std::optional<Curve> SealedRun::curve(std::string_view key, Axis axis, std::int64_t origin_ns,
                                      std::span<const model::AttemptProcess> processes) const {
    const std::vector<model::AttemptSteps> attempts = attempt_steps(key);
    if (attempts.empty() || axis == Axis::Metric || model::may_supersede(processes, attempts)) {
        return std::nullopt;
    }
    Curve curve;
    curve.attempt = attempts.front().attempt;
    const auto parts = segments(key, axis, origin_ns, curve.attempt);
    if (!parts) {
        return std::nullopt;
    }
    std::uint64_t points = 0;
    for (const auto& part : *parts) {
        points += part->points();
    }
    curve.x.reserve(points);
    curve.y.reserve(points);
    for (const auto& part : *parts) {
        if (!part->copy(0, part->points(), curve.x, curve.y).ok()) {
            return std::nullopt;
        }
    }
    return curve;
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
