// A run from open to finish: the recorder, the sinks, and what watches the machine meanwhile.
#pragma once

#include <taffrail/run.h>

#include "record/recorder.h"
#include "record/sink_runner.h"
#include "run/peer_logs.h"
#include "run/peer_watch.h"
#include "run/rolling_seal.h"
#include "run/run_place.h"
#include "run/settings.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace taffrail::run {
class Watch;
}

namespace taffrail::detail {

class RunCore {
  public:
    /// Opens a run whose settings are known. `number` counts the runs of this process.
    static Result<std::shared_ptr<RunCore>> open(run::Settings settings, std::uint32_t number);
    ~RunCore();

    [[nodiscard]] const std::string& id() const noexcept { return place_.id; }

    [[nodiscard]] const std::string& name() const noexcept { return place_.name; }

    [[nodiscard]] const std::string& folder() const noexcept { return place_.folder; }

    [[nodiscard]] record::Recorder& recorder() noexcept { return *recorder_; }

    /// Captured values: without blobs straight into the ring, with blobs through the spool.
    void log_value(std::string_view key, Result<Value> value, Step step,
                   Routing routing = {}) noexcept;
    void log_meta(tlog::MetaType type, ByteSpan payload) noexcept;
    /// One more line in the notes of the run.
    void add_note(std::string_view text) noexcept;
    /// The next version of an artifact of this name.
    std::string next_version(std::string_view artifact);

    Result<RouteMask> add_sink(std::unique_ptr<Sink> sink, std::string_view name,
                               const std::string& type, const OptionMap& options);

    /// Why the run is in its state, as lists show it. The first reason stays.
    void give_reason(std::string_view reason) noexcept;
    /// See Run::note_outcome().
    void note_outcome(std::string_view part, RunState state, std::string_view why) noexcept;
    /// Called when the process of another rank ends without finishing the run; at once for those
    /// that did already. On a thread of the run. The number is for forget_listener().
    std::uint64_t on_rank_gone(std::function<void(const std::string& how)> listener);
    /// Returns when the listener does not run and will not again.
    void forget_listener(std::uint64_t number) noexcept;

    Result<void> flush(bool durable) noexcept;
    Result<void> finish(RunState state) noexcept;
    [[nodiscard]] Result<void> check() const noexcept;

  private:
    RunCore(run::Settings settings, run::RunPlace place);

    Result<void> start();
    Result<record::SessionParts> make_session(bool forked);
    void describe();
    void poke_sinks() noexcept;
    [[nodiscard]] record::NewLogs logs_of_others(const std::string& sink,
                                                 std::shared_ptr<run::PeerLogs> peers) const;
    Result<void> finish_sinks(RunState state);
    [[nodiscard]] RunState with_outcomes(RunState state) const;
    Result<void> close(RunState state);
    void watch_ranks();
    void rank_gone(const std::string& how);
    Result<void> close_files(RunState state);
    void seal(std::chrono::steady_clock::time_point deadline);

    run::Settings settings_;
    run::RunPlace place_;
    record::Recorder* recorder_ = nullptr;
    /// Process id: sinks and watches belong to it, not to its children.
    std::uint64_t opened_by_ = 0;
    std::uint64_t opened_as_ = 0;  ///< the writer of that process

    std::mutex add_sink_mutex_;            // one at a time; never taken by the collector
    std::vector<std::string> sink_names_;  // of all that were added, also those rank 0 runs
    std::mutex sinks_mutex_;               // the list
    std::vector<std::unique_ptr<record::SinkRunner>> sinks_;
    std::unique_ptr<run::Watch> watch_;
    std::unique_ptr<run::PeerWatch> peer_watch_;
    std::unique_ptr<run::RollingSeal> rolling_seal_;

    std::mutex ranks_mutex_;  // held while listeners run
    std::vector<std::string> gone_ranks_;
    std::map<std::uint64_t, std::function<void(const std::string&)>> rank_listeners_;
    std::uint64_t next_listener_ = 1;

    struct Outcome {
        std::string part;
        RunState state = RunState::Finished;
        std::string why;
    };

    /// The worst of outcomes_; finished when there is none. Needs reason_mutex_.
    [[nodiscard]] const Outcome* worst_outcome() const noexcept;
    /// What lists show: why a rank is gone, else why the worst part ended so. Needs reason_mutex_.
    [[nodiscard]] std::string reason() const;

    mutable std::mutex reason_mutex_;
    std::string reason_;
    std::vector<Outcome> outcomes_;

    std::mutex notes_mutex_;
    std::optional<std::string> notes_;  // all of them so far; unknown before the first add_note()

    std::mutex artifacts_mutex_;
    std::map<std::string, std::uint32_t, std::less<>> artifact_versions_;

    std::mutex finish_mutex_;
    bool finished_ = false;
    mutable std::mutex error_mutex_;
    std::optional<Error> finish_error_;
};

/// What the layers above see of a run besides its public face.
struct RunInside {
    /// Null for an inert run.
    static RunCore* core(const Run& run) noexcept { return run.core_.get(); }
};

}  // namespace taffrail::detail
