#include "sources/tensorboard/run.h"

#include "base/strings.h"
#include "base/try.h"
#include "codec/formats/tensorboard/hparams.h"
#include "io/files.h"
#include "io/inside.h"
#include "model/attempts.h"
#include "model/axes.h"
#include "model/bins.h"
#include "model/run_time.h"
#include "model/series_cursor.h"
#include "model/series_summary.h"
#include "sources/tensorboard/column_rows.h"
#include "sources/tensorboard/loader.h"
#include "sources/tensorboard/purge.h"

#include <algorithm>
#include <cstdlib>

namespace taffrail::sources::tensorboard {
namespace {

Point to_point(const ColumnPoint& from, std::uint64_t seq) {
    Point point;
    point.step = from.step;
    point.time_ns = to_time_ns(from.wall_time);
    point.value = from.value;
    point.attempt = from.attempt;
    point.writer = from.file;
    point.seq = seq;
    return point;
}

template <typename Visit>
void for_each_point(const std::vector<ColumnChunk>& chunks, Visit&& visit) {
    for (const ColumnChunk& chunk : chunks) {
        for (ColumnChunk::Points points(chunk); points.more();) {
            visit(points.next());
        }
    }
}

std::vector<Point> to_points(const std::vector<ColumnChunk>& chunks) {
    std::vector<Point> points;
    for_each_point(chunks, [&](const ColumnPoint& point) {
        points.push_back(to_point(point, points.size()));
    });
    return points;
}

/// The smallest step that each attempt logged.
StepOfAttempt smallest_steps(const std::vector<ColumnChunk>& chunks) {
    StepOfAttempt smallest;
    for_each_point(
        chunks, [&](const ColumnPoint& point) { note_step(smallest, point.attempt, point.step); });
    return smallest;
}

}  // namespace

std::uint64_t point_memory_limit() {
    static const std::uint64_t limit = [] {
        const char* text = std::getenv("TAFFRAIL_TENSORBOARD_MEMORY");
        const auto number = text != nullptr ? parse_int(text) : std::nullopt;
        return number && *number > 0 ? static_cast<std::uint64_t>(*number) : std::uint64_t{4} << 30;
    }();
    return limit;
}

std::atomic<std::uint64_t>& point_memory_held() {
    static std::atomic<std::uint64_t> held{0};
    return held;
}

TensorboardRun::TensorboardRun(std::string id, std::string name, std::string folder)
    : id_(std::move(id)), name_(std::move(name)), folder_(std::move(folder)) {}

TensorboardRun::~TensorboardRun() {
    point_memory_held() -= accounted_;
}

bool TensorboardRun::set_files(std::vector<std::string> event_files,
                               std::vector<SideFile> side_files) {
    std::unique_lock lock(mutex_);
    const auto known = [&](const std::string& path) {
        return std::any_of(files_.begin(), files_.end(),
                           [&](const EventFile& file) { return file.path == path; });
    };
    const bool lost = std::any_of(files_.begin(), files_.end(), [&](const EventFile& file) {
        return std::find(event_files.begin(), event_files.end(), file.path) == event_files.end();
    });
    if (lost) {
        forget();
        files_.clear();
    }
    bool changed = lost;
    for (std::string& path : event_files) {
        if (!known(path)) {
            files_.emplace_back().path = std::move(path);
            changed = true;
        }
    }
    const auto same = [](const SideFile& a, const SideFile& b) {
        return a.path == b.path && a.size == b.size && a.modified_ns == b.modified_ns;
    };
    if (!std::equal(side_files.begin(), side_files.end(), side_files_.begin(), side_files_.end(),
                    same)) {
        side_files_ = std::move(side_files);
        changed = true;
    }
    if (changed) {
        revision_.fetch_add(1, std::memory_order_acq_rel);
    }
    return changed;
}

void TensorboardRun::forget() {
    data_ = RunPart();
    for (EventFile& file : files_) {
        file.position = 0;
        file.head_bytes = 0;
        file.damage.clear();
        file.tail = Tail::Clean;
    }
    changed_ = true;
}

std::vector<TensorboardRun::Task> TensorboardRun::plan(std::uint64_t segment_bytes) {
    load_gate_.acquire();
    std::unique_lock lock(mutex_);
    std::vector<bool> read(files_.size(), false);
    for (std::size_t number = 0; number < files_.size(); ++number) {
        const Change change = look_again(files_[number]);
        if (change == Change::Replaced) {
            forget();
            read.assign(files_.size(), true);
        } else if (change == Change::Grown) {
            read[number] = true;
        }
    }
    std::vector<Task> tasks;
    for (std::size_t number = 0; number < files_.size(); ++number) {
        const EventFile& file = files_[number];
        if (!read[number] || file.position >= file.size) {
            continue;
        }
        const std::uint64_t left = file.size - file.position;
        const std::uint64_t pieces = std::max<std::uint64_t>(1, left / segment_bytes);
        for (std::uint64_t piece = 0; piece < pieces; ++piece) {
            Task& task = tasks.emplace_back();
            task.path = file.path;
            task.file = static_cast<std::uint32_t>(number);
            task.begin = file.position + left / pieces * piece;
            task.end =
                piece + 1 == pieces ? file.size : file.position + left / pieces * (piece + 1);
            task.size = file.size;
            task.synchronise = piece > 0;
        }
    }
    return tasks;
}

void TensorboardRun::perform(Task& task, const RunPart* declared) {
    const auto file = io::open_inside(io::parent(task.path), task.path);
    if (!file.ok()) {
        task.result.error = file.error().message;
        task.result.first = task.result.position = task.begin;
        return;
    }
    task.result =
        read_range(**file, task.begin, task.end, task.size, task.synchronise, task.file, declared);
}

bool TensorboardRun::finish(std::vector<Task> tasks) {
    std::unique_lock lock(mutex_);
    bool changed = std::exchange(changed_, false);
    for (Task& task : tasks) {
        EventFile& file = files_[task.file];
        if (task.synchronise && task.result.first != file.position) {
            // The piece before ended elsewhere than this one began (a look-alike inside a payload,
            // damage at the seam): what it read is void, and reading goes on where the one before
            // stopped.
            if (file.position >= task.end) {
                continue;
            }
            task.begin = file.position;
            task.synchronise = false;
            perform(task);
        }
        if (data_.contradicts(task.result.part)) {
            // A tag that changes its plugin: the first one holds, which this piece did not know.
            perform(task, &data_);
        }
        const bool begins_file = file.position == 0;
        changed |= task.result.part.events() > 0 || !task.result.damage.empty() ||
                   file.tail != task.result.tail;
        file.position = task.result.position;
        file.tail = task.result.tail;
        file.error = std::move(task.result.error);
        if (begins_file) {
            file.head_bytes = task.result.head_bytes;
            file.head_crc = task.result.head_crc;
        }
        file.damage.insert(file.damage.end(), task.result.damage.begin(), task.result.damage.end());
        data_.join(std::move(task.result.part), begins_file);
    }
    if (changed) {
        account_memory();
        revision_.fetch_add(1, std::memory_order_acq_rel);
    }
    lock.unlock();
    load_gate_.release();
    return changed;
}

void TensorboardRun::account_memory() {
    const std::uint64_t now = data_.memory();
    point_memory_held() += now - accounted_;
    accounted_ = now;
    if (point_memory_held() > point_memory_limit()) {
        data_.drop_points();
        const std::uint64_t kept = data_.memory();
        point_memory_held() -= accounted_ - kept;
        accounted_ = kept;
    }
}

Result<bool> TensorboardRun::refresh() {
    std::vector<Task> tasks = plan(UINT64_MAX);
    for (Task& task : tasks) {
        perform(task);
    }
    return finish(std::move(tasks));
}

RunInfo TensorboardRun::info() const {
    RunInfo info;
    info.id = id_;
    info.name = name_;
    info.location = folder_;
    info.source = "tensorboard";
    std::shared_lock lock(mutex_);
    info.start_time_ns = to_time_ns(data_.min_wall_time());
    info.end_time_ns = to_time_ns(data_.max_wall_time());
    info.attempts = data_.attempts();
    std::int64_t touched_ns = 0;
    for (const EventFile& file : files_) {
        touched_ns = std::max(touched_ns, file.modified_ns);
        if (!file.error.empty() && info.message.empty()) {
            info.message = file.error;
        }
        if (!file.damage.empty() && info.message.empty()) {
            info.message = std::to_string(file.damage.size()) + " damaged range" +
                           (file.damage.size() == 1 ? "" : "s") + " in " + file.path;
        }
    }
    if (data_.events() == 0) {
        info.start_time_ns = info.end_time_ns = touched_ns;
    }
    // A copy of an old run has new files, and old events in them.
    info.state = model::moved_lately(std::min(touched_ns, info.end_time_ns)) ? RunState::Running
                                                                             : RunState::Idle;
    for (std::string_view tag : {kSessionStartTag, kSessionEndTag}) {
        const TagData* data = data_.find(tag);
        const auto message = data != nullptr && data->details
                                 ? decode_hparams(as_bytes(data->details->metadata.content))
                                 : std::nullopt;
        if (message && message->part == HparamsPart::SessionStart) {
            info.config = message->hparams;
            info.group = message->group_name;
        } else if (message && message->part == HparamsPart::SessionEnd &&
                   message->state != RunState::Running) {
            info.state = message->state;
        }
    }
    return info;
}

std::optional<std::vector<ColumnChunk>> TensorboardRun::scalar_chunks(std::string_view key) const {
    std::vector<EventFile> files;
    {
        std::shared_lock lock(mutex_);
        const TagData* tag = data_.find(key);
        if (tag == nullptr || tag->scalars.count() == 0) {
            return std::nullopt;
        }
        if (!tag->scalars.dropped()) {
            return tag->scalars.snapshot();
        }
        files = files_;
    }
    RunPart again;
    for (std::size_t number = 0; number < files.size(); ++number) {
        const auto file = io::open_inside(folder_, files[number].path);
        if (file.ok()) {
            RangeResult result =
                read_range(**file, 0, files[number].position, files[number].position, false,
                           static_cast<std::uint32_t>(number), &again);
            again.join(std::move(result.part), true);
        }
    }
    const TagData* tag = again.find(key);
    return tag != nullptr ? tag->scalars.snapshot() : std::vector<ColumnChunk>();
}

std::optional<std::vector<Point>> TensorboardRun::scalar_points(std::string_view key) const {
    const auto chunks = scalar_chunks(key);
    return chunks ? std::optional(to_points(*chunks)) : std::nullopt;
}

Result<std::unique_ptr<ReadCursor>> TensorboardRun::read(std::string_view key,
                                                         const ReadRequest& request) const {
    TAFFRAIL_TRY(model::check(request));
    auto chunks = scalar_chunks(key);
    if (!chunks) {
        return Error{ErrorCode::NotFound,
                     "run '" + id_ + "' has no scalar key '" + std::string(key) + "'"};
    }
    model::SeriesRows series;
    series.damage = damage();
    {
        std::shared_lock lock(mutex_);
        series.origin_ns = to_time_ns(data_.min_wall_time());
        if (request.attempts == Attempts::Winning && !data_.restarts().empty()) {
            if (auto from = purged_from(smallest_steps(*chunks), data_.restarts()); !from.empty()) {
                series.superseded_from = [from = std::move(from)](std::int32_t,
                                                                  std::uint32_t attempt) {
                    const auto found = from.find(attempt);
                    return found != from.end() ? std::optional(found->second) : std::nullopt;
                };
            }
        }
    }
    series.sources.push_back(std::make_unique<ColumnRows>(*std::move(chunks)));
    return model::make_cursor(std::move(series), request);
}

SeriesSummary TensorboardRun::kept_summary(const TagData& tag) const {
    if (data_.restarts().empty() || tag.scalars.dropped()) {
        return tag.scalars.summary();
    }
    const std::vector<Point> points = to_points(tag.scalars.snapshot());
    const std::vector<bool> flags = purged(points, data_.restarts());
    return flags.empty() ? tag.scalars.summary() : model::summary_without(points, flags);
}

std::vector<bool> TensorboardRun::superseded(std::span<const Point> points) const {
    std::vector<Restart> restarts;
    {
        std::shared_lock lock(mutex_);
        restarts = data_.restarts();
    }
    return purged(points, restarts);
}

Result<Bins> TensorboardRun::bins(std::string_view key, const BinRequest& request) const {
    std::vector<Restart> restarts;
    std::int64_t origin_ns = 0;
    const std::uint64_t revision = this->revision();
    {
        std::shared_lock lock(mutex_);
        const TagData* tag = data_.find(key);
        if (tag == nullptr || tag->scalars.count() == 0) {
            return Error{ErrorCode::NotFound,
                         "run '" + id_ + "' has no scalar key '" + std::string(key) + "'"};
        }
        restarts = data_.restarts();
        origin_ns = to_time_ns(data_.min_wall_time());
    }
    const auto winners = [&] {
        std::vector<Point> points = scalar_points(key).value_or(std::vector<Point>());
        if (request.attempt) {
            std::erase_if(points,
                          [&](const Point& point) { return point.attempt != *request.attempt; });
            return points;
        }
        const std::vector<bool> flags = purged(points, restarts);
        return model::without_flagged(std::move(points), flags);
    };
    if (request.axis == Axis::Metric) {
        auto metric = scalar_points(request.metric);
        if (!metric) {
            return Error{ErrorCode::NotFound, "run '" + id_ + "' has no scalar key '" +
                                                  request.metric + "' for the x axis"};
        }
        return model::bins_along_metric(winners(), *metric, request);
    }
    return kept_bins_.get(key, request.attempt, revision, winners)->bins(request, origin_ns);
}

std::vector<ConsoleLine> TensorboardRun::console(std::size_t, std::size_t) const {
    return {};
}

Hparams TensorboardRun::environment() const {
    return {};
}

std::vector<Damage> TensorboardRun::damage() const {
    std::vector<Damage> all;
    std::shared_lock lock(mutex_);
    for (const EventFile& file : files_) {
        for (const DamagedRange& range : file.damage) {
            all.push_back({.file = file.path,
                           .offset = range.offset,
                           .length = range.length,
                           .first_seq = 0,
                           .last_seq = 0,
                           .reason = range.reason});
        }
        if (file.tail == Tail::Broken) {
            all.push_back(
                {.file = file.path,
                 .offset = file.position,
                 .length = file.size - file.position,
                 .first_seq = 0,
                 .last_seq = 0,
                 .reason =
                     "the file ends with bytes that are no record; its writer may still be at it"});
        }
    }
    return all;
}

}  // namespace taffrail::sources::tensorboard
