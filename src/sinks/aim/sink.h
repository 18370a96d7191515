// The `aim` sink: a run in a repository of Aim, written as its own library does and shown by `aim
// up` while the run goes on.
//
// What a point is called depends on its step, so records that come twice change nothing. A step
// that is there already would be written over: such a point gets the next free one, and true steps
// stand in the sequence `step/<name>` from then on.
#pragma once

#include "base/key_order.h"
#include "codec/formats/aim/encoding.h"
#include "rocksdb/store.h"
#include "sinks/aim/check_ins.h"
#include "sinks/aim/options.h"
#include "sinks/aim/repository.h"
#include "trackers/tracker_sink.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace taffrail::sinks::aim {

class AimSink final : public trackers::TrackerSink {
  public:
    explicit AimSink(Options options)
        : TrackerSink("aim", options.ranks, trackers::KeysOfRanks::Context),
          given_(std::move(options)) {}

    void tick() override;

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
    using Context = std::vector<std::pair<std::string, Cell>>;

    struct Sequence {
        std::string name, type;
        std::int64_t context = 0;
        std::string points;       ///< of the point keys: …, context, name
        formats::aim::Path head;  ///< of the head in meta
        bool is_new = true, is_changed = false, says_step = false, has_points = false;
        std::int64_t first_step = 0, last_step = 0, next = 0, length = 0;
        double first = 0, last = 0, smallest = 0, largest = 0;
        bool has_extremes = false;
    };

    Sequence& sequence(std::string_view name, const Context& context, const std::string& type,
                       const std::string& family, int version);
    void number(Sequence& to, Step step, double value, std::int64_t time_ns,
                const std::optional<double>& epoch);
    std::int64_t place(Sequence& to, Step step);
    Result<void> object(const Record& record, const Context& context);
    void parameters(std::string_view group, const Hparams& values);
    void put_meta(const formats::aim::Path& path, const std::string& leaf);
    void put_heads();

    Options given_, options_;
    std::string repository_;
    RunRow row_;
    std::vector<std::string> removed_tags_;
    bool row_changed_ = false;
    std::unique_ptr<rocksdb::Store> meta_, points_;
    CheckIns check_ins_;
    std::unordered_map<std::string, Sequence> sequences_;
    std::map<std::pair<Phase, std::int32_t>, KeyOrder<Sequence>> scalars_;  ///< by rank; by key
    std::pair<std::int64_t, std::string> hashed_;  ///< the last step, as it stands in keys
    std::int64_t last_time_ns_ = 0, lines_ = 0, readings_ = 0;
};

Result<std::unique_ptr<Sink>> make(const OptionMap& given);

}  // namespace taffrail::sinks::aim
