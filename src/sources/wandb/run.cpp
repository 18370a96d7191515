#include "sources/wandb/run.h"

#include "base/try.h"
#include "io/inside.h"
#include "model/metric_meaning.h"
#include "model/point_rows.h"
#include "model/run_time.h"
#include "model/series_cursor.h"
#include "model/series_summary.h"
#include "sources/wandb/media_values.h"

#include <algorithm>
#include <set>

namespace taffrail::sources::wandb {
namespace {

constexpr std::uint64_t kMaxBlobBytes = std::uint64_t{1} << 30;

}  // namespace

WandbRun::WandbRun(std::string id, std::vector<std::unique_ptr<LoadedPart>> parts)
    : id_(std::move(id)), parts_(std::move(parts)) {}

std::vector<std::string> WandbRun::paths() const {
    std::vector<std::string> all;
    for (const auto& part : parts_) {
        all.push_back(part->file.path());
    }
    return all;
}

RunInfo WandbRun::info() const {
    std::shared_lock lock(mutex_);
    return info_locked();
}

RunInfo WandbRun::info_locked() const {
    RunInfo info;
    info.id = id_;
    info.source = "wandb";
    info.location = parts_.front()->file.folder();
    info.attempts = static_cast<std::uint32_t>(parts_.size());
    std::map<std::string, Cell> config;
    for (const auto& part : parts_) {
        const RunPart& content = part->content;
        const auto newest = [](std::string& field, const std::string& value) {
            field = value.empty() ? field : value;
        };
        newest(info.name, content.name);
        newest(info.project, content.project);
        newest(info.group, content.group);
        newest(info.job_type, content.job_type);
        newest(info.notes, content.notes);
        info.tags = content.tags.empty() ? info.tags : content.tags;
        if (info.start_time_ns == 0) {
            info.start_time_ns = content.start_time_ns;
        }
        info.end_time_ns = std::max(info.end_time_ns, content.last_time_ns);
        for (const auto& [name, cell] : content.config) {
            config.insert_or_assign(name, cell);
        }
        for (const auto& [name, cell] : content.summary()) {
            // What the tracker derives from a series stands with the series.
            const bool is_derived = content.series.contains(name) ||
                                    content.values.contains(name.substr(0, name.find('.'))) ||
                                    content.series.contains(name.substr(0, name.rfind('.')));
            if (!is_derived) {
                info.summary.insert_or_assign(name, cell);
            }
        }
        if (!part->file.error().empty() && info.message.empty()) {
            info.message = part->file.error();
        }
    }
    info.config.assign(config.begin(), config.end());
    info.name = info.name.empty() ? id_ : info.name;
    const LoadedPart& last = *parts_.back();
    const auto exit_code = last.content.exit_code;
    info.state = exit_code ? (*exit_code == 0     ? RunState::Finished
                              : *exit_code == 255 ? RunState::Aborted
                                                  : RunState::Failed)
                 : model::moved_lately(last.file.modified_ns()) ? RunState::Running
                                                                : RunState::Crashed;
    if (info.start_time_ns == 0) {
        info.start_time_ns = info.end_time_ns = last.file.modified_ns();
    }
    return info;
}

std::vector<KeyInfo> WandbRun::keys() const {
    std::shared_lock lock(mutex_);
    std::map<std::pair<std::string, Kind>, KeyInfo> all;
    model::MetricDefinitions definitions;
    const auto at = [&](const std::string& key, Kind kind) -> KeyInfo& {
        KeyInfo& info = all[{key, kind}];
        info.key = key;
        info.kind = kind;
        return info;
    };
    for (const auto& part : parts_) {
        const RunPart& content = part->content;
        for (const auto& [key, series] : content.series) {
            KeyInfo& info = at(key, Kind::Scalar);
            info.count += series.value.size();
            model::merge(info.scalar, series.summary);
        }
        for (const auto& [key, values] : content.values) {
            for (const Logged& logged : values) {
                const auto json = parse_json(logged.json);
                ++at(key, json.ok() ? kind_of_json(*json) : Kind::Text).count;
            }
        }
        for (const LoggedArtifact& artifact : content.artifacts) {
            ++at(artifact.name, Kind::Artifact).count;
        }
        if (!content.alerts.empty()) {
            at(std::string(kAlertsKey), Kind::Alert).count += content.alerts.size();
        }
        if (!content.config.empty()) {
            at(std::string(kHparamsKey), Kind::Hparams).count = 1;
        }
        for (const MetricDefinition& metric : content.metrics) {
            definitions.emplace_back(metric.pattern,
                                     std::make_shared<const MetricOptions>(metric.options));
        }
    }
    std::vector<KeyInfo> keys;
    for (auto& [name, info] : all) {
        if (info.kind == Kind::Scalar && parts_.size() > 1) {
            // Points that a later attempt logged again do not count.
            const auto points = points_of(info.key).value_or(std::vector<Point>());
            const auto flags = model::superseded(processes(), points);
            if (!flags.empty()) {
                info.scalar = model::summary_without(points, flags);
            }
        }
        info.definition = model::definition_of(info.key, definitions);
        keys.push_back(std::move(info));
    }
    return keys;
}

std::vector<model::AttemptProcess> WandbRun::processes() const {
    return model::one_process_each(parts_.size());
}

std::optional<std::vector<Point>> WandbRun::points_of(std::string_view key) const {
    std::vector<Point> points;
    bool is_known = false;
    for (std::uint32_t attempt = 0; attempt < parts_.size(); ++attempt) {
        const auto found = parts_[attempt]->content.series.find(key);
        if (found == parts_[attempt]->content.series.end()) {
            continue;
        }
        is_known = true;
        const Series& series = found->second;
        points.reserve(points.size() + series.value.size());
        for (std::size_t i = 0; i < series.value.size(); ++i) {
            Point point;
            point.step = series.step[i];
            point.time_ns = series.time_ns[i];
            point.value = series.value[i];
            point.attempt = attempt;
            point.writer = attempt;
            point.seq = series.row[i];
            points.push_back(point);
        }
    }
    return is_known ? std::optional(std::move(points)) : std::nullopt;
}

Result<std::unique_ptr<ReadCursor>> WandbRun::read(std::string_view key,
                                                   const ReadRequest& request) const {
    TAFFRAIL_TRY(model::check(request));
    std::shared_lock lock(mutex_);
    auto points = points_of(key);
    if (!points) {
        return Error{ErrorCode::NotFound,
                     "run '" + id_ + "' has no scalar key '" + std::string(key) + "'"};
    }
    model::SeriesRows series;
    series.origin_ns = info_locked().start_time_ns;
    for (const auto& part : parts_) {
        std::ranges::copy(part->file.damage(), std::back_inserter(series.damage));
    }
    if (request.attempts == Attempts::Winning && parts_.size() > 1) {
        series.superseded_from =
            model::superseded_by(model::WinningRule(processes(), model::attempt_steps(*points)));
    }
    series.sources.push_back(std::make_unique<model::PointRows>(*std::move(points)));
    return model::make_cursor(std::move(series), request);
}

std::vector<bool> WandbRun::superseded(std::span<const Point> points) const {
    std::shared_lock lock(mutex_);
    return model::superseded(processes(), points);
}

Result<Bins> WandbRun::bins(std::string_view key, const BinRequest& request) const {
    std::shared_lock lock(mutex_);
    const bool is_known = std::ranges::any_of(
        parts_, [&](const auto& part) { return part->content.series.contains(key); });
    if (!is_known) {
        return Error{ErrorCode::NotFound,
                     "run '" + id_ + "' has no scalar key '" + std::string(key) + "'"};
    }
    const auto chosen = [&] {
        return model::choose_attempt(points_of(key).value_or(std::vector<Point>()), processes(),
                                     request.attempt);
    };
    if (request.axis == Axis::Metric) {
        const auto metric = points_of(request.metric);
        if (!metric) {
            return Error{ErrorCode::NotFound, "run '" + id_ + "' has no scalar key '" +
                                                  request.metric + "' for the x axis"};
        }
        return model::bins_along_metric(chosen(), *metric, request);
    }
    return kept_bins_.get(key, request.attempt, revision(), chosen)
        ->bins(request, info_locked().start_time_ns);
}

Result<std::shared_ptr<const std::vector<std::byte>>> WandbRun::load(const BlobRef& blob) const {
    const auto place = from_ref(blob);
    std::string folder, path;
    {
        std::shared_lock lock(mutex_);
        std::lock_guard kept(kept_mutex_);
        const std::string* known = place && place->part < parts_.size()
                                       ? parts_[place->part]->files.path_of(place->file)
                                       : nullptr;
        if (known == nullptr) {
            return Error{ErrorCode::NotFound, "this blob does not come from run '" + id_ + "'"};
        }
        folder = parts_[place->part]->file.folder();
        path = *known;
    }
    TAFFRAIL_ASSIGN(Bytes bytes, io::read_inside(folder, path, kMaxBlobBytes));
    return std::make_shared<const Bytes>(std::move(bytes));
}

std::vector<ConsoleLine> WandbRun::console(std::size_t first, std::size_t count) const {
    std::shared_lock lock(mutex_);
    std::vector<ConsoleLine> lines;
    for (const auto& part : parts_) {
        for (const ConsoleLine& line : part->content.console) {
            if (first > 0) {
                --first;
            } else if (lines.size() < count) {
                lines.push_back(line);
            }
        }
    }
    return lines;
}

Hparams WandbRun::environment() const {
    std::shared_lock lock(mutex_);
    Hparams all;
    std::set<std::string> seen;
    for (const auto& part : parts_) {
        for (const auto& [name, cell] : part->content.environment) {
            if (seen.insert(name).second) {
                all.emplace_back(name, cell);
            }
        }
        if (!part->content.producer.empty() && seen.insert("wandb/version").second) {
            all.emplace_back("wandb/version", part->content.producer);
        }
        if (!part->content.entity.empty() && seen.insert("wandb/entity").second) {
            all.emplace_back("wandb/entity", part->content.entity);
        }
    }
    return all;
}

std::vector<Damage> WandbRun::damage() const {
    std::vector<Damage> all;
    {
        std::shared_lock lock(mutex_);
        for (const auto& part : parts_) {
            std::ranges::copy(part->file.damage(), std::back_inserter(all));
            if (part->content.unreadable_records > 0) {
                all.push_back({.file = part->file.path(),
                               .offset = 0,
                               .length = 0,
                               .first_seq = 0,
                               .last_seq = 0,
                               .reason = std::to_string(part->content.unreadable_records) +
                                         " records or values that cannot be read"});
            }
        }
    }
    std::lock_guard kept(kept_mutex_);
    for (const auto& [what, lost] : lost_files_) {
        all.push_back(lost);
    }
    return all;
}

Result<bool> WandbRun::refresh() {
    std::unique_lock lock(mutex_);
    bool changed = false;
    for (const auto& part : parts_) {
        const LogFile::Change change = part->file.look();
        if (change == LogFile::Change::None) {
            continue;
        }
        if (change == LogFile::Change::Replaced) {
            part->content = RunPart();
        }
        changed = true;
        part->file.read([&](ByteSpan record, std::uint64_t) { part->content.take(record); });
        part->content.sum_up();
    }
    if (changed) {
        revision_.fetch_add(1, std::memory_order_acq_rel);
    }
    return changed;
}

}  // namespace taffrail::sources::wandb
