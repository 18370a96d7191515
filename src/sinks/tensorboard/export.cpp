// Any recorded run as a logdir: the same encoder as the sink, fed from a reader.
#include "base/clock.h"
#include "base/try.h"
#include "io/files.h"
#include "sinks/tensorboard/loaded_value.h"
#include "sinks/tensorboard/sink.h"

#include <algorithm>
#include <map>
#include <utility>

namespace taffrail::sinks::tensorboard {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kLatestNameNs = INT64_MAX / 2;  ///< with room for the attempts after it

/// One process of the run: a rank in an attempt.
using Process = std::pair<std::int32_t, std::uint32_t>;

struct Beginning {
    std::optional<Step> step;
    std::int64_t time_ns = INT64_MAX;
};

/// Where later attempts begin. Machine load and what is logged once an attempt (sizes, settings)
/// say nothing about where training went on: a mark at their step would hide older points that
/// were never logged again.
Result<std::map<Process, Beginning>> find_beginnings(const RecordedRun& run) {
    std::map<Process, Beginning> all;
    for (const KeyInfo& key : run.keys()) {
        if (key.kind != Kind::Scalar) {
            TAFFRAIL_ASSIGN(const auto entries, run.entries(key.key));
            for (const Entry& entry : entries) {
                std::int64_t& time_ns = all[{entry.rank, entry.attempt}].time_ns;
                time_ns = std::min(time_ns, entry.time_ns);
            }
            continue;
        }
        std::map<Process, std::pair<Step, std::size_t>> of_key;
        TAFFRAIL_TRY(run.visit_points(
            key.key, Attempts::All,
            [&](std::span<const Point> some) -> Result<void> {
                for (const Point& point : some) {
                    const Process process{point.rank, point.attempt};
                    Beginning& beginning = all[process];
                    beginning.time_ns = std::min(beginning.time_ns, point.time_ns);
                    auto& [first, count] = of_key.try_emplace(process, point.step, 0).first->second;
                    first = std::min(first, point.step);
                    ++count;
                }
                return {};
            },
            {Column::Step, Column::Time, Column::Rank, Column::Attempt}));
        for (const auto& [process, series] : of_key) {
            const auto& [first, count] = series;
            if (count > 1 && !key.key.starts_with("system/")) {
                std::optional<Step>& step = all[process].step;
                step = step ? std::min(*step, first) : first;
            }
        }
    }
    return all;
}

/// The event files of one run, one for each of its processes.
class Files {
  public:
    Files(const RecordedRun& run, std::string folder)
        : info_(run.info()), folder_(std::move(folder)) {
        for (const KeyInfo& key : run.keys()) {
            if (key.definition) {
                metrics_.push_back({key.key, *key.definition});
            }
        }
    }

    /// Files are read in the order of their names, which begin with a time in seconds: later
    /// attempts must have later ones.
    Result<TensorboardSink*> open(const Process& process, const Beginning& beginning) {
        const auto& [rank, attempt] = process;
        const std::int64_t start_ns =
            info_.start_time_ns != 0 ? info_.start_time_ns : wall_time_ns();
        // Names of files begin with a time since 1970; what a wrong clock says besides is in the
        // records.
        const std::int64_t begin_ns =
            std::clamp(beginning.time_ns != INT64_MAX && attempt > 0 ? beginning.time_ns : start_ns,
                       kSecondNs, kLatestNameNs);
        std::int64_t& newest = newest_ns_.try_emplace(rank, begin_ns - kSecondNs).first->second;
        newest = now_ns_ = std::max(begin_ns, newest + kSecondNs);
        SinkOptions options;
        options.log_dir = folder_;
        options.now_ns = [this] { return now_ns_; };
        options.marks_every_end = true;
        auto sink = std::make_unique<TensorboardSink>(std::move(options));
        TAFFRAIL_TRY(sink->open({.run_id = info_.id,
                                 .run_name = info_.name,
                                 .metrics = metrics_,
                                 .start_time_ns = info_.start_time_ns,
                                 .attempt = attempt,
                                 .resume_step = beginning.step,
                                 .rank = rank}));
        return sinks_.emplace(process, std::move(sink)).first->second.get();
    }

    Result<TensorboardSink*> of(const Process& process) {
        const auto found = sinks_.find(process);
        return found != sinks_.end() ? Result<TensorboardSink*>(found->second.get())
                                     : open(process, {});
    }

    /// The newest attempt of each rank tells how the run ended; the others only stop.
    Result<void> close() {
        // Idle: nobody said that the original ended, so its copy does not say so either.
        const bool has_ended = info_.state != RunState::Running && info_.state != RunState::Idle;
        now_ns_ = std::max(info_.end_time_ns, now_ns_);
        for (auto sink = sinks_.begin(); sink != sinks_.end(); ++sink) {
            const auto next = std::next(sink);
            const bool is_newest = next == sinks_.end() || next->first.first != sink->first.first;
            sink->second->give_reason(info_.message);
            TAFFRAIL_TRY(
                sink->second->close(is_newest && has_ended ? info_.state : RunState::Running));
            if (info_.state != RunState::Running) {
                (void)io::set_modified(sink->second->path(), now_ns_);  // some folders refuse
            }
        }
        return {};
    }

  private:
    const RunInfo info_;
    std::vector<MetricDefinition> metrics_;
    const std::string folder_;
    std::int64_t now_ns_ = 0;
    std::map<std::int32_t, std::int64_t> newest_ns_;  ///< by rank: when its last file begins
    std::map<Process, std::unique_ptr<TensorboardSink>> sinks_;
};

Result<void> write_one(TensorboardSink& sink, const Record& record) {
    std::size_t delivered = 0;
    return sink.write({&record, 1}, delivered);
}

}  // namespace

Result<void> check_unused(const std::string& folder) {
    const auto entries = io::list(folder);
    const bool is_used =
        entries.ok() && std::any_of(entries->begin(), entries->end(), [](const auto& entry) {
            return entry.type != io::EntryType::Directory &&
                   entry.name.find("tfevents") != std::string::npos;
        });
    if (is_used) {
        return Error{ErrorCode::AlreadyExists,
                     folder +
                         " holds event files already, and a second export would double every "
                         "point; remove it or name another folder"};
    }
    return {};
}

Result<LeftOut> export_to_logdir(const RecordedRun& run, const std::string& folder,
                                 const RecordFilter& wanted, Attempts attempts) {
    TAFFRAIL_TRY(check_unused(folder));
    const RunInfo info = run.info();
    Files files(run, folder);
    // Readers of event files drop, at the mark of a later attempt, what older ones logged from its
    // step on in every series alike. Where only points that count are written, nothing is dropped.
    const bool marked = attempts == Attempts::All;
    if (info.attempts > 1 && marked) {
        TAFFRAIL_ASSIGN(const auto beginnings, find_beginnings(run));
        for (const auto& [process, beginning] : beginnings) {
            TAFFRAIL_TRY(files.open(process, beginning));
        }
    }
    // Also for a run without records: it shall be a run outside too.
    TAFFRAIL_ASSIGN(TensorboardSink* const first, files.of({0, 0}));
    const Value config = info.config;
    const Record settings{
        .key = "hparams", .kind = Kind::Hparams, .time_ns = info.start_time_ns, .value = &config};
    if (!info.config.empty() && (!wanted || wanted(settings))) {
        TAFFRAIL_TRY(write_one(*first, settings));
    }
    LeftOut left_out;
    Result<void> failure;
    TAFFRAIL_TRY(run.for_each([&](const Record& record) {
        if (record.kind == Kind::Hparams || (wanted && !wanted(record))) {
            return true;
        }
        // Read back, a chart layout is a description for people; it cannot become a layout again.
        if (record.key == kLayoutTag || !first->accepts(record.kind)) {
            ++left_out[record.key == kLayoutTag ? "chart layout"
                                                : std::string(to_string(record.kind))];
            return true;
        }
        const auto sink = files.of({record.rank, marked ? record.attempt : 0});
        if (!sink.ok()) {
            failure = sink.error();
            return false;
        }
        Record loaded = record;
        Value value;
        if (record.value != nullptr) {
            value = loaded_value(run, *record.value);
            loaded.value = &value;
        }
        failure = write_one(**sink, loaded);
        return failure.ok();
    }));
    TAFFRAIL_TRY(failure);
    TAFFRAIL_TRY(files.close());
    return left_out;
}

}  // namespace taffrail::sinks::tensorboard
