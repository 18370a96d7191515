#include <taffrail/logger.h>

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/never_throws.h"
#include "base/strings.h"
#include "base/try.h"
#include "pipeline/shared_store.h"
#include "pipeline/status.h"
#include "terminal/screen.h"

#include <algorithm>
#include <array>
#include <exception>

namespace taffrail {

class Logger::Core {
  public:
    Core(Run& run, LoggerOptions settings) : options(std::move(settings)), run_(run), store_(run) {}

    Result<void> open() {
        for (const auto& [routine, tracked] : options.tracked_variables) {
            if (std::ranges::find(options.routines, routine) == options.routines.end()) {
                return Error{ErrorCode::InvalidArgument,
                             "logger '" + options.name + "': tracked_variables names '" + routine +
                                 "', which is not in its list of loggers" +
                                 did_you_mean(routine, options.routines)};
            }
        }
        for (const std::string& key : options.routines) {
            TAFFRAIL_ASSIGN(auto routine, make_routine(key, options.routine_options[key]));
            const RouteMask& where = routine->logs_changes() ? route : route_now_;
            auto context =
                std::make_unique<Context>(run_, store_, options.tracked_variables[key], where);
            parts_.push_back({key, std::move(routine), std::move(context)});
        }
        if (!options.interface.empty()) {
            TAFFRAIL_ASSIGN(route, run_.add_sink(options.interface, options.interface_options));
        }
        route_now_ = route;
        return {};
    }

    void log_iter(const DataMap& data) {
        // The sanity check tries the code, it is not training: nothing of it reaches an interface.
        if (data.phase == Phase::Sanity) {
            return;
        }
        goes_on();
        const auto phase = static_cast<std::size_t>(data.phase);
        std::int64_t& calls = iterations[phase];
        // A caller that counts for itself is believed; otherwise every call is an iteration.
        counted_[phase] = counted_[phase] || data.total_iters != 0;
        const std::int64_t iteration = counted_[phase] ? data.total_iters : calls;
        ++calls;
        last_ = {data.epoch, data.phase};
        progress_.seen(data);
        // Every call is kept and counted in the statistics; the interval thins what the sink gets.
        const bool due = options.log_every_n_iter > 0 &&
                         (data.phase != Phase::Train || iteration % options.log_every_n_iter == 0);
        route_now_ = due ? route : kStoreOnly;
        if (data.total_iters == iteration) {
            each([&](Part& part) { return part.routine->log_iter(data, *part.context); });
        } else {
            DataMap counted = data;
            counted.total_iters = iteration;
            each([&](Part& part) { return part.routine->log_iter(counted, *part.context); });
        }
        route_now_ = route;
        maybe_print(data, iteration);
    }

    void log_epoch(std::int64_t epoch, Phase phase) {
        if (phase == Phase::Sanity) {
            return;
        }
        goes_on();
        const auto slot = static_cast<std::size_t>(phase);
        if (options.log_every_n_epochs <= 0 || epochs_[slot]++ % options.log_every_n_epochs != 0) {
            return;
        }
        each([&](Part& part) { return part.routine->log_epoch(epoch, phase, *part.context); });
        if (options.print_epochs) {
            terminal::Screen::standard().print(pipeline::epoch_block(
                progress_, phase, epoch, iterations[slot], options.gpu_summarize));
        }
        progress_.forget_metrics(phase);
    }

    void log_epoch() { log_epoch(last_.first, last_.second); }

    void log_hparams(const Hparams& hparams) {
        DataMap data;
        data.values["hparams"] = hparams;
        for (Part& part : parts_) {
            if (part.key == "hparams") {
                guarded(part, [&] { return part.routine->log_iter(data, *part.context); });
            }
        }
    }

    void end_log(RunState state, std::string_view why) {
        // Whoever finishes the run need not know: the worst of what its parts said counts there.
        if (state != RunState::Finished) {
            note_outcome(state, why);
        }
        if (!ended_) {
            ended_ = true;
            each([&](Part& part) { return part.routine->end_log(*part.context); });
        }
    }

    Run& run() noexcept { return run_; }

    bool tracks(std::string_view name) const noexcept {
        return std::ranges::any_of(parts_, [&](const Part& part) {
            const auto& tracked = part.context->tracked();
            return std::ranges::find(tracked, name) != tracked.end();
        });
    }

    void note_outcome(RunState state, std::string_view why) {
        ended_badly_ = state != RunState::Finished;
        run_.note_outcome("logger " + options.name, state, why);
    }

    // Whoever logs again after a bad end tries again: what was said of the first try is taken back.
    void goes_on() {
        if (ended_badly_) {
            note_outcome(RunState::Finished, "");
        }
    }

    LoggerOptions options;
    RouteMask route = kStoreOnly;
    std::array<std::int64_t, 8> iterations{};
    Result<void> first_failure;

  private:
    class Context : public RoutineContext {
      public:
        using Pairs = std::span<const std::pair<std::string_view, double>>;

        Context(Run& target, pipeline::SharedStore::Member& store,
                std::vector<std::string> tracked_keys, const RouteMask& route)
            : target_(target), store_(store), tracked_(std::move(tracked_keys)), route_(route) {}

        Run& run() noexcept override { return target_; }

        Routing routing() const noexcept override { return {route_, true}; }

        void log(Pairs row, Step step) override {
            if (store_.alone()) {
                target_.log_routed(row, step, routing());
                return;
            }
            fresh_.clear();
            known_.clear();
            for (const auto& [key, value] : row) {
                const bool fresh = store_.puts(key, step, pipeline::SharedStore::content_of(value));
                (fresh ? fresh_ : known_).emplace_back(key, value);
            }
            target_.log_routed(fresh_, step, routing());
            if (route_ != kStoreOnly) {
                target_.log_routed(known_, step, {route_, false});
            }
        }

        void log_value(std::string_view key, Value value, Step step) override {
            const bool fresh =
                store_.alone() || store_.puts(key, step, pipeline::SharedStore::content_of(value));
            if (fresh || route_ != kStoreOnly) {
                target_.log_value(key, std::move(value), step, {route_, fresh});
            }
        }

        const std::vector<std::string>& tracked() const noexcept override { return tracked_; }

      private:
        Run& target_;
        pipeline::SharedStore::Member& store_;
        std::vector<std::pair<std::string_view, double>> fresh_, known_;
        std::vector<std::string> tracked_;
        const RouteMask& route_;
    };

    struct Part {
        std::string key;
        std::unique_ptr<Routine> routine;
        std::unique_ptr<Context> context;
    };

    template <typename Work>
    void each(const Work& work) {
        for (Part& part : parts_) {
            guarded(part, [&] { return work(part); });
        }
    }

    // A routine may be the program's own code: whatever it does stays in it.
    template <typename Work>
    void guarded(Part& part, const Work& work) {
        Result<void> done;
        try {
            done = work();
        } catch (const std::exception& error) {
            done = Error{ErrorCode::Internal, error.what()};
        } catch (...) {
            done = Error{ErrorCode::Internal, "an exception of unknown type"};
        }
        if (!done.ok()) {
            const std::string message = "logger '" + options.name + "', routine '" + part.key +
                                        "': " + done.error().message;
            if (first_failure.ok()) {
                first_failure = Error{done.error().code, message};
            }
            diagnose_once(DiagnosticLevel::Error, "routine." + options.name + "." + part.key,
                          message);
        }
    }

    void maybe_print(const DataMap& data, std::int64_t iteration) {
        if (options.print_every_n_seconds <= 0) {
            return;
        }
        const std::int64_t now = monotonic_ns();
        if (now < next_print_ns_) {
            return;
        }
        next_print_ns_ = now + static_cast<std::int64_t>(options.print_every_n_seconds * 1e9);
        terminal::Screen::standard().print(pipeline::status_line(progress_, data, iteration));
    }

    Run& run_;
    pipeline::SharedStore::Member store_;
    RouteMask route_now_ =
        kStoreOnly;  ///< `route`, or the store alone while an iteration is not due
    std::vector<Part> parts_;
    std::pair<std::int64_t, Phase> last_{0, Phase::Train};
    std::array<std::int64_t, 8> epochs_{};
    std::array<bool, 8> counted_{};  ///< by phase: the caller gives total_iters
    pipeline::RunProgress progress_;
    std::int64_t next_print_ns_ = 0;
    bool ended_ = false;
    bool ended_badly_ = false;
};

Logger::Logger(std::unique_ptr<Core> core) : core_(std::move(core)) {}

Logger::~Logger() {
    end_log();
}

Result<std::unique_ptr<Logger>> Logger::make(Run& run, LoggerOptions options) {
    auto core = std::make_unique<Core>(run, std::move(options));
    TAFFRAIL_TRY(core->open());
    return std::unique_ptr<Logger>(new Logger(std::move(core)));
}

namespace {

constexpr const char* kLost = "a logger ran out of memory; what it was given is lost";

}  // namespace

void Logger::log_iter(const DataMap& data) noexcept {
    never_throws("logger.iter", kLost, [&] { core_->log_iter(data); });
}

void Logger::log_epoch() noexcept {
    never_throws("logger.epoch", kLost, [&] { core_->log_epoch(); });
}

void Logger::log_epoch(std::int64_t epoch, Phase phase) noexcept {
    never_throws("logger.epoch", kLost, [&] { core_->log_epoch(epoch, phase); });
}

void Logger::log_hparams(const Hparams& hparams) noexcept {
    never_throws("logger.hparams", kLost, [&] { core_->log_hparams(hparams); });
}

void Logger::end_log(RunState state) noexcept {
    end_log(state, "");
}

void Logger::end_log(RunState state, std::string_view why) noexcept {
    never_throws("logger.end", kLost, [&] { core_->end_log(state, why); });
}

RouteMask Logger::route() const noexcept {
    return core_->route;
}

Run* Logger::run() const noexcept {
    return &core_->run();
}

bool Logger::tracks(std::string_view name) const noexcept {
    return core_->tracks(name);
}

std::string Logger::version() const {
    return core_->options.version;
}

std::int64_t Logger::iterations(Phase phase) const noexcept {
    return core_->iterations[static_cast<std::size_t>(phase)];
}

Result<void> Logger::check() const {
    return core_->first_failure;
}

}  // namespace taffrail
