// The `neptune` sink: the operations log that neptune-scale makes offline. The hosted service is
// gone; `neptune sync` sends the log to a server of one's own, and readers here open it.
//
// Steps of a series must rise there. A point that cannot have its own place gets the next millionth
// of a step, and its true step stands in `taffrail/step/<key>` from then on.
#pragma once

#include "base/key_order.h"
#include "codec/formats/neptune/encode.h"
#include "sinks/neptune/log.h"
#include "sinks/neptune/options.h"
#include "trackers/name_map.h"
#include "trackers/tracker_sink.h"

#include <memory>
#include <string>
#include <unordered_map>

namespace taffrail::sinks::neptune {

class NeptuneSink final : public trackers::TrackerSink {
  public:
    explicit NeptuneSink(Options options);

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
    struct Series {
        std::string path;
        std::uint64_t next = 0;  ///< the first free place, in millionths
        bool says_step = false;  ///< points say their true step
        std::uint64_t row = 0;   ///< the last update that has it
        Bytes number_head;       ///< what stands before the number of a point
    };

    Series& series_of(const std::string& path);
    Series& series_of_key(std::string_view key);
    /// The place of a point; sets says_step.
    static std::uint64_t place(Series& series, Step step);
    Result<void> scalar(const Record& record);
    Result<void> value(const Record& record);
    Result<void> point(const std::string& path, Step step, std::int64_t time_ns, ByteSpan value);
    Result<void> end_update();
    Result<void> describe(const SinkContext& context);
    Result<void> assign(std::string_view path, const Cell& value);
    Result<void> assign_all(std::string_view prefix, const Hparams& values);

    Options given_, options_;
    std::string folder_;
    std::unique_ptr<OperationsLog> log_;
    trackers::NameMap names_;
    std::unordered_map<std::string, Series> series_;  ///< by path
    KeyOrder<Series> by_key_;
    formats::neptune::Update update_;
    std::uint64_t update_place_ = 0, row_ = 1;
    std::int64_t update_time_ns_ = 0, last_time_ns_ = 0;
    std::int64_t lines_ = 0, readings_ = 0, files_ = 0;
    std::optional<Error> failure_;  ///< of the console or the load, told by write_out()
};

Result<std::unique_ptr<Sink>> make(const OptionMap& given);

}  // namespace taffrail::sinks::neptune
