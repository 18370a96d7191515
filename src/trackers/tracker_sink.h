// What sinks of trackers have in common: rank 0 alone writes, those of other ranks too where that
// is asked for; records that come twice are taken once, the console and the machine's load come
// from the run's log, and a state tells a later process how far what was written counts.
//
// A tracker's own sink says how things are written. It is called by one thread, in this order:
// start, then take, console, load and write_out in any order, then end.
#pragma once

#include <taffrail/sink.h>

#include "trackers/delivered_rows.h"
#include "trackers/ranks.h"
#include "trackers/sink_state.h"
#include "trackers/watched_log.h"

#include <optional>
#include <string>
#include <string_view>

namespace taffrail::trackers {

class TrackerSink : public Sink {
  public:
    Result<void> open(const SinkContext& context) final;
    Result<void> write(std::span<const Record> records, std::size_t& delivered) final;
    Result<void> flush() final;
    Result<void> close(RunState state) final;

    void give_reason(std::string_view reason) final { reason_ = reason; }

    [[nodiscard]] bool accepts(Kind) const noexcept final { return true; }

    [[nodiscard]] bool wants_all_ranks() const noexcept final { return all_ranks_; }

  protected:
    /// `name` is that of the sink, for messages and for the name of the state; `ranks` the option
    /// of that name. Where keys of ranks are told apart by a context, take(), console() and load()
    /// see to it; else keys come with the suffix of their rank, and lines say theirs.
    TrackerSink(std::string name, const std::string& ranks, KeysOfRanks keys = KeysOfRanks::Suffix)
        : name_(std::move(name)), all_ranks_(is_all_ranks(ranks)), keys_(keys), ranked_(keys) {}

    /// Where the sink writes; two targets of one run have two states. Empty: nothing is written.
    virtual Result<std::string> target(const SinkContext& context) = 0;
    /// Opens what is written to. What lies behind `state` never counted.
    virtual Result<void> start(const SinkContext& context,
                               const std::optional<SinkState>& state) = 0;
    virtual Result<void> take(const Record& record) = 0;
    virtual void console(const ConsoleLine& line) = 0;
    virtual void load(const LoadReading& reading) = 0;
    /// Makes everything visible, and notes in `state` how far it counts.
    virtual Result<void> write_out(SinkState& state) = 0;
    /// The run is over; after write_out().
    virtual Result<void> end(RunState state, const std::string& reason) = 0;

    /// Whether the console and the load are wanted; known when start() returned.
    bool wants_console_ = true, wants_load_ = true;

    /// A value that cannot be written does not hold up those behind it: told once. Errors of the
    /// disk are handed on, and the record comes again.
    Result<void> skipped(std::string_view key, const Error& error) const;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

  private:
    Result<void> watch(bool is_the_end);
    Result<void> save();

    std::string name_, state_path_, run_id_, reason_;
    bool all_ranks_, is_silent_ = false, is_open_ = false;
    KeysOfRanks keys_;
    RankedRecords ranked_;
    std::optional<WatchedLog> watched_;
    DeliveredRows delivered_;
};

}  // namespace taffrail::trackers
