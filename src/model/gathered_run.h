// A run of another program, gathered in memory: what its reader found, and the answers for it.
//
// A source that reads a whole run at once fills GatheredContent and is done: keys, chunks, bins,
// entries and records come from here. Values that stand in files are made when they are asked for.
#pragma once

#include <taffrail/reader.h>

#include "base/bytes.h"
#include "model/kept_bins.h"
#include "model/metric_meaning.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::model {

/// Columns of a scalar series in log order.
struct GatheredSeries {
    /// What holds for the points from `first` on.
    struct Stretch {
        std::size_t first = 0;
        std::uint32_t attempt = 0;
        std::int32_t rank = 0;
        Phase phase = Phase::None;
    };

    std::vector<Step> step;
    std::vector<std::int64_t> time_ns;
    std::vector<double> value;
    std::vector<double> epoch;       ///< empty, or one a point, NaN where absent
    std::vector<Stretch> stretches;  ///< empty: the defaults
    SeriesSummary summary;

    void add(Step at, std::int64_t time, double number);
    /// The same; `at_epoch` may be NaN.
    void add(Step at, std::int64_t time, double number, double at_epoch);
    /// Points from here on are of this attempt and rank.
    void begin(std::uint32_t attempt, std::int32_t rank = 0, Phase phase = Phase::None);
    [[nodiscard]] Point point(std::size_t index) const noexcept;
};

/// The blobs of a run. A value names its place: listing pictures must not read them.
class GatheredBlobs {
  public:
    using Load = std::function<Result<Bytes>()>;

    /// Bytes that are read when somebody asks for them.
    Blob add(std::uint64_t size, Load load);
    /// Bytes in memory.
    Blob add(Bytes bytes);
    [[nodiscard]] Result<Bytes> load(const BlobRef& ref) const;

  private:
    mutable std::mutex mutex_;
    std::vector<Load> loads_;
};

/// A value of a key that is no series.
struct GatheredValue {
    Kind kind = Kind::Text;
    Step step = 0;
    std::int64_t time_ns = 0;
    std::optional<double> epoch = {};
    std::uint32_t attempt = 0;
    std::int32_t rank = 0;
    Phase phase = Phase::None;
    /// Called once for each reading; its failure is damage.
    std::function<Result<Value>(GatheredBlobs&)> make;
};

struct GatheredContent {
    RunInfo info;  ///< `config` becomes the key `hparams` too
    std::map<std::string, GatheredSeries, std::less<>> series;
    std::map<std::string, std::vector<GatheredValue>, std::less<>> values;
    std::vector<ConsoleLine> console;
    Hparams environment;
    std::vector<MetricDefinition> metrics;
    std::vector<Damage> damage;
    std::vector<std::string> files;  ///< what it was read from
    bool is_open_ended = false;      ///< nothing says how it ended: running while its files move
    bool never_says_end = false;     ///< nobody writes that: running while points come, then idle

    void damaged(std::string file, std::string reason, std::uint64_t offset = 0,
                 std::uint64_t length = 0);
};

class GatheredRun final : public RecordedRun {
  public:
    /// Reads the run anew, for refresh().
    using Read = std::function<std::shared_ptr<GatheredContent>()>;

    GatheredRun(std::shared_ptr<GatheredContent> content, Read read);

    [[nodiscard]] RunInfo info() const override;
    [[nodiscard]] std::vector<KeyInfo> keys() const override;
    [[nodiscard]] Result<std::unique_ptr<ReadCursor>> read(
        std::string_view key, const ReadRequest& request) const override;
    [[nodiscard]] std::vector<bool> superseded(std::span<const Point> points) const override;
    [[nodiscard]] Result<Bins> bins(std::string_view key, const BinRequest& request) const override;
    [[nodiscard]] Result<std::vector<Entry>> entries(std::string_view key) const override;
    [[nodiscard]] Result<std::shared_ptr<const std::vector<std::byte>>> load(
        const BlobRef& blob) const override;
    Result<void> for_each(const std::function<bool(const Record&)>& visit) const override;
    [[nodiscard]] std::vector<ConsoleLine> console(std::size_t first,
                                                   std::size_t count) const override;
    [[nodiscard]] Hparams environment() const override;
    [[nodiscard]] std::vector<Damage> damage() const override;
    /// Reads again where a file changed.
    Result<bool> refresh() override;

    [[nodiscard]] std::uint64_t revision() const override {
        return revision_.load(std::memory_order_acquire);
    }

    [[nodiscard]] std::vector<std::string> files() const;

  private:
    /// Everything of one reading: replaced whole, so that who holds one needs no lock.
    struct State {
        std::shared_ptr<const GatheredContent> content;
        std::string stamp;
        std::int64_t modified_ns = 0;
        mutable GatheredBlobs blobs;
        mutable std::mutex mutex;
        mutable std::map<std::string, std::vector<Entry>, std::less<>> entries;
        mutable KeptBins bins{16, 0};
        mutable std::map<std::string, Damage> lost;
    };

    static std::shared_ptr<State> state_of(std::shared_ptr<const GatheredContent> content);
    [[nodiscard]] std::shared_ptr<const State> state() const;
    [[nodiscard]] static std::vector<Entry> make_entries(const State& now, std::string_view key);

    Read read_;
    mutable std::shared_mutex mutex_;
    std::shared_ptr<const State> state_;
    std::atomic<std::uint64_t> revision_{1};
};

/// The key of what GatheredContent::info.config holds.
inline constexpr std::string_view kGatheredHparams = "hparams";

}  // namespace taffrail::model
