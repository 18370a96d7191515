// The `comet` sink: the archive that the official program makes offline, ready for `comet upload`.
//
// While the run goes on there is a folder; the archive is made of it when the run ends, or when
// `taffrail sync` finishes a run that was killed. What comes after that goes into a further archive
// of the same experiment, which the uploader joins to it.
#pragma once

#include "base/key_order.h"
#include "sinks/comet/archive.h"
#include "sinks/comet/options.h"
#include "trackers/name_map.h"
#include "trackers/tracker_sink.h"

#include <deque>
#include <optional>
#include <string>

namespace taffrail::sinks::comet {

class CometSink final : public trackers::TrackerSink {
  public:
    explicit CometSink(Options options);

  protected:
    Result<std::string> target(const SinkContext& context) override;
    Result<void> start(const SinkContext& context,
                       const std::optional<trackers::SinkState>& state) override;
    Result<void> take(const Record& record) override;
    void console(const ConsoleLine& line) override;
    void load(const trackers::LoadReading& reading) override;
    Result<void> write_out(trackers::SinkState& state) override;
    Result<void> end(RunState state, const std::string& reason) override;

  private:
    void describe(const SinkContext& context);
    void parameters(const Hparams& values, std::int64_t time_ns);
    void other(std::string_view key, const Cell& value);
    void define(const MetricDefinition& metric);
    const std::string& prefix_of(std::string_view key);

    Options given_, options_;
    std::optional<ArchiveFolder> folder_;
    formats::comet::Experiment experiment_;
    std::int64_t number_ = 0, last_time_ns_ = 0, readings_ = 0;
    bool has_groups_ = false;
    trackers::NameMap names_;
    std::deque<std::string> prefixes_;
    KeyOrder<const std::string> prefix_by_key_;
    std::size_t long_names_told_ = 0;
};

Result<std::unique_ptr<Sink>> make(const OptionMap& given);

}  // namespace taffrail::sinks::comet
