#include "model/gathered_run.h"

#include "base/try.h"
#include "io/files.h"
#include "model/attempts.h"
#include "model/records_by_time.h"
#include "model/run_time.h"
#include "model/series_cursor.h"
#include "model/series_summary.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace taffrail::model {
namespace {

/// The columns of a series, which stay as they are.
class GatheredRows final : public RowSource {
  public:
    GatheredRows(std::shared_ptr<const GatheredContent> owner, const GatheredSeries& series)
        : owner_(std::move(owner)), series_(series) {}

    [[nodiscard]] std::uint64_t rows() const override { return series_.value.size(); }

    [[nodiscard]] bool is_rising(Axis axis) const override {
        if (axis == Axis::Steps) {
            return std::ranges::is_sorted(series_.step);
        }
        if (axis == Axis::WallTime || axis == Axis::RelativeTime) {
            return std::ranges::is_sorted(series_.time_ns);
        }
        double before = -std::numeric_limits<double>::infinity();
        return axis == Axis::Epoch && !series_.epoch.empty() &&
               std::ranges::all_of(series_.epoch, [&](double x) {
                   return std::isfinite(x) && x >= std::exchange(before, x);
               });
    }

    void read(std::uint64_t first, std::uint64_t count, ChunkBuilder& to,
              std::vector<Damage>& /*damage*/) override {
        const auto begin = static_cast<std::size_t>(first), many = static_cast<std::size_t>(count);
        const auto copy = [&]<typename T>(Column column, const std::vector<T>& from) {
            if (const std::span<T> room = to.next<T>(column); !room.empty()) {
                std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(begin), many, room.begin());
            }
        };
        copy(Column::Step, series_.step);
        copy(Column::Time, series_.time_ns);
        copy(Column::Value, series_.value);
        if (!series_.epoch.empty()) {
            copy(Column::Epoch, series_.epoch);
        } else if (const auto room = to.next<double>(Column::Epoch); !room.empty()) {
            std::fill_n(room.begin(), many, std::nan(""));
        }
        if (const auto room = to.next<std::int64_t>(Column::Samples); !room.empty()) {
            std::fill_n(room.begin(), many, INT64_MIN);
        }
        if (const auto room = to.next<std::uint64_t>(Column::Seq); !room.empty()) {
            for (std::size_t i = 0; i < many; ++i) {
                room[i] = begin + i;
            }
        }
        const auto attempts = to.next<std::uint32_t>(Column::Attempt);
        const auto writers = to.next<std::uint64_t>(Column::Writer);
        const auto ranks = to.next<std::int32_t>(Column::Rank);
        const auto phases = to.next<Phase>(Column::Phase);
        std::size_t next = 0;
        GatheredSeries::Stretch now;
        for (std::size_t i = 0; i < many; ++i) {
            while (next < series_.stretches.size() && series_.stretches[next].first <= begin + i) {
                now = series_.stretches[next++];
            }
            const auto put = [i](auto room, auto value) {
                if (!room.empty()) {
                    room[i] = value;
                }
            };
            put(attempts, now.attempt);
            put(writers, static_cast<std::uint64_t>(now.attempt));
            put(ranks, now.rank);
            put(phases, now.phase);
        }
        to.grow(many);
    }

  private:
    std::shared_ptr<const GatheredContent> owner_;
    const GatheredSeries& series_;
};

std::vector<AttemptProcess> processes_of(const GatheredContent& content) {
    return one_process_each(content.info.attempts);
}

std::vector<Point> points_of(const GatheredSeries& series) {
    std::vector<Point> points;
    points.reserve(series.value.size());
    for (std::size_t i = 0; i < series.value.size(); ++i) {
        points.push_back(series.point(i));
    }
    return points;
}

Error no_scalar(const GatheredContent& content, std::string_view key) {
    return {ErrorCode::NotFound,
            "run '" + content.info.id + "' has no scalar key '" + std::string(key) + "'"};
}

/// Sizes and times of the files: another stamp, another content.
std::pair<std::string, std::int64_t> stamp_of(const std::vector<std::string>& files) {
    std::string stamp;
    std::int64_t newest = 0;
    for (const std::string& file : files) {
        if (const auto info = io::stat(file); info.ok()) {
            stamp += std::to_string(info->size) + " " + std::to_string(info->modified_ns) + " " +
                     std::to_string(info->inode);
            newest = std::max(newest, info->modified_ns);
        }
        stamp += ';';
    }
    return {std::move(stamp), newest};
}

}  // namespace

std::shared_ptr<GatheredRun::State> GatheredRun::state_of(
    std::shared_ptr<const GatheredContent> content) {
    auto state = std::make_shared<State>();
    std::tie(state->stamp, state->modified_ns) = stamp_of(content->files);
    state->content = std::move(content);
    return state;
}

GatheredRun::GatheredRun(std::shared_ptr<GatheredContent> content, Read read)
    : read_(std::move(read)), state_(state_of(std::move(content))) {}

std::shared_ptr<const GatheredRun::State> GatheredRun::state() const {
    std::shared_lock lock(mutex_);
    return state_;
}

std::vector<std::string> GatheredRun::files() const {
    return state()->content->files;
}

RunInfo GatheredRun::info() const {
    const auto now = state();
    RunInfo info = now->content->info;
    if (now->content->is_open_ended) {
        info.state = moved_lately(now->modified_ns) ? RunState::Running : RunState::Crashed;
    } else if (now->content->never_says_end) {
        info.state = moved_lately(info.end_time_ns) ? RunState::Running : RunState::Idle;
    }
    return info;
}

std::vector<KeyInfo> GatheredRun::keys() const {
    const auto now = state();
    const GatheredContent& content = *now->content;
    MetricDefinitions definitions;
    for (const MetricDefinition& metric : content.metrics) {
        definitions.emplace_back(metric.pattern,
                                 std::make_shared<const MetricOptions>(metric.options));
    }
    std::map<std::pair<std::string, Kind>, KeyInfo> all;
    for (const auto& [key, series] : content.series) {
        KeyInfo& info = all[{key, Kind::Scalar}];
        info.key = key;
        info.count = series.value.size();
        info.scalar = series.summary;
        if (content.info.attempts > 1) {
            // Points that a later attempt logged again do not count.
            const std::vector<Point> points = points_of(series);
            if (const auto flags = model::superseded(processes_of(content), points);
                !flags.empty()) {
                info.scalar = summary_without(points, flags);
            }
        }
    }
    for (const auto& [key, values] : content.values) {
        for (const GatheredValue& value : values) {
            KeyInfo& info = all[{key, value.kind}];
            info.key = key;
            info.kind = value.kind;
            ++info.count;
        }
    }
    if (!content.info.config.empty()) {
        KeyInfo& info = all[{std::string(kGatheredHparams), Kind::Hparams}];
        info.key = kGatheredHparams;
        info.kind = Kind::Hparams;
        ++info.count;
    }
    std::vector<KeyInfo> keys;
    for (auto& [name, info] : all) {
        info.definition = definition_of(info.key, definitions);
        keys.push_back(std::move(info));
    }
    return keys;
}

Result<std::unique_ptr<ReadCursor>> GatheredRun::read(std::string_view key,
                                                      const ReadRequest& request) const {
    TAFFRAIL_TRY(check(request));
    const auto now = state();
    const GatheredContent& content = *now->content;
    const auto found = content.series.find(key);
    if (found == content.series.end()) {
        return no_scalar(content, key);
    }
    SeriesRows series;
    series.origin_ns = content.info.start_time_ns;
    series.damage = content.damage;
    if (request.attempts == Attempts::Winning && content.info.attempts > 1) {
        series.superseded_from = superseded_by(
            WinningRule(processes_of(content), attempt_steps(points_of(found->second))));
    }
    series.sources.push_back(std::make_unique<GatheredRows>(now->content, found->second));
    return make_cursor(std::move(series), request);
}

std::vector<bool> GatheredRun::superseded(std::span<const Point> points) const {
    return model::superseded(processes_of(*state()->content), points);
}

Result<Bins> GatheredRun::bins(std::string_view key, const BinRequest& request) const {
    const auto now = state();
    const GatheredContent& content = *now->content;
    const auto found = content.series.find(key);
    if (found == content.series.end()) {
        return no_scalar(content, key);
    }
    const auto chosen = [&] {
        return choose_attempt(points_of(found->second), processes_of(content), request.attempt);
    };
    if (request.axis == Axis::Metric) {
        const auto metric = content.series.find(request.metric);
        if (metric == content.series.end()) {
            return no_scalar(content, request.metric);
        }
        return bins_along_metric(chosen(), points_of(metric->second), request);
    }
    // A new reading comes with a state of its own, which has kept nothing yet.
    return now->bins.get(key, request.attempt, 0, chosen)
        ->bins(request, content.info.start_time_ns);
}

std::vector<Entry> GatheredRun::make_entries(const State& now, std::string_view key) {
    std::vector<Entry> all;
    const auto found = now.content->values.find(key);
    std::uint64_t number = 0;
    for (const GatheredValue& one :
         found != now.content->values.end() ? found->second : std::vector<GatheredValue>()) {
        ++number;
        Result<Value> value = one.make(now.blobs);
        if (!value.ok()) {
            now.lost[std::string(key) + " " + std::to_string(number)] = {
                .file = now.content->info.location,
                .offset = 0,
                .length = 0,
                .first_seq = 0,
                .last_seq = 0,
                .reason = "'" + std::string(key) + "' at step " + std::to_string(one.step) + ": " +
                          value.error().message};
            continue;
        }
        Entry entry;
        entry.step = one.step;
        entry.time_ns = one.time_ns;
        entry.epoch = one.epoch;
        entry.attempt = one.attempt;
        entry.writer = one.attempt;
        entry.rank = one.rank;
        entry.phase = one.phase;
        entry.seq = number;
        entry.value = std::make_shared<const Value>(*std::move(value));
        all.push_back(std::move(entry));
    }
    if (key == kGatheredHparams && !now.content->info.config.empty()) {
        Entry entry;
        entry.time_ns = now.content->info.start_time_ns;
        entry.value = std::make_shared<const Value>(now.content->info.config);
        all.push_back(std::move(entry));
    }
    return all;
}

Result<std::vector<Entry>> GatheredRun::entries(std::string_view key) const {
    const auto now = state();
    std::lock_guard lock(now->mutex);
    if (const auto kept = now->entries.find(key); kept != now->entries.end()) {
        return kept->second;
    }
    std::vector<Entry> made = make_entries(*now, key);
    if (made.empty() && !now->content->values.contains(std::string(key))) {
        return Error{ErrorCode::NotFound, "run '" + now->content->info.id +
                                              "' has no values under '" + std::string(key) + "'"};
    }
    return now->entries.insert_or_assign(std::string(key), std::move(made)).first->second;
}

Result<std::shared_ptr<const std::vector<std::byte>>> GatheredRun::load(const BlobRef& blob) const {
    TAFFRAIL_ASSIGN(Bytes bytes, state()->blobs.load(blob));
    return std::make_shared<const Bytes>(std::move(bytes));
}

Result<void> GatheredRun::for_each(const std::function<bool(const Record&)>& visit) const {
    return visit_by_time(*this, visit);
}

std::vector<ConsoleLine> GatheredRun::console(std::size_t first, std::size_t count) const {
    const auto now = state();
    const std::vector<ConsoleLine>& all = now->content->console;
    const std::size_t begin = std::min(first, all.size());
    const std::size_t end = begin + std::min(count, all.size() - begin);
    return {all.begin() + static_cast<std::ptrdiff_t>(begin),
            all.begin() + static_cast<std::ptrdiff_t>(end)};
}

Hparams GatheredRun::environment() const {
    return state()->content->environment;
}

std::vector<Damage> GatheredRun::damage() const {
    const auto now = state();
    std::vector<Damage> all = now->content->damage;
    std::lock_guard lock(now->mutex);
    for (const auto& [what, lost] : now->lost) {
        all.push_back(lost);
    }
    return all;
}

Result<bool> GatheredRun::refresh() {
    const auto now = state();
    if (stamp_of(now->content->files).first == now->stamp) {
        return false;
    }
    auto content = read_ ? read_() : nullptr;
    if (!content) {
        return false;
    }
    auto fresh = state_of(std::move(content));
    {
        std::unique_lock lock(mutex_);
        state_ = std::move(fresh);
    }
    revision_.fetch_add(1, std::memory_order_acq_rel);
    return true;
}

}  // namespace taffrail::model
