// Reading what was recorded: the same three interfaces for the native store and for foreign
// formats.
//
// A Catalogue lists runs; a RecordedRun lists keys and answers for them; nothing is sampled, ever.
// Objects are safe for concurrent use. A run that is still being written grows on refresh().
#pragma once

#include <taffrail/api.h>
#include <taffrail/metric_options.h>
#include <taffrail/options.h>
#include <taffrail/read.h>
#include <taffrail/record.h>
#include <taffrail/result.h>
#include <taffrail/series_summary.h>
#include <taffrail/value.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// A key of a run.
struct KeyInfo {
    std::string key = {};
    Kind kind = Kind::Scalar;
    std::uint64_t count = 0;
    SeriesSummary scalar;  ///< Kind::Scalar
    /// What Run::define_metric said of it; null where nobody did.
    std::shared_ptr<const MetricOptions> definition = {};
};

/// What a list of runs shows.
struct RunInfo {
    std::string id = {}, name = {}, project = {}, group = {}, job_type = {}, notes = {};
    std::vector<std::string> tags = {};
    RunState state = RunState::Running;
    std::int64_t start_time_ns = 0;
    std::int64_t end_time_ns = 0;  ///< last sign of life while running
    std::uint32_t attempts = 1;
    std::int32_t world_size = 1;
    std::string location = {};  ///< folder or file the run was read from
    std::string source = {};    ///< "taffrail", "tensorboard", …
    bool archived = false;
    bool deleted = false;    ///< tombstoned, until gc
    std::string color = {};  ///< chosen by a person, else empty
    Hparams config = {};
    /// Explicit summary values; scalar series have theirs in KeyInfo.
    std::map<std::string, Cell> summary = {};
    /// Why it failed, which rank is missing, what is damaged; empty when all is well.
    std::string message = {};
};

enum class Scale : std::uint8_t { Linear, Log };

/// How many bins, of what, where. Points at x < 1 (or ≤ 0) are left out of a log axis and counted
/// in Bins::outside.
struct BinRequest {
    Axis axis = Axis::Steps;
    std::string metric = {};  ///< Axis::Metric
    Scale scale = Scale::Linear;
    std::optional<double> from = {},
                          to = {};  ///< in axis units (ns for the time axes); absent = all
    std::size_t width = 1000;
    /// Every point of one attempt; absent = the points that no later attempt superseded.
    std::optional<std::uint32_t> attempt = {};
};

/// Bins with true edges: the counts, and min, max, mean and last of the finite points (NaN where
/// none is) are exact between edges[i] and edges[i+1] (the last bin is closed). Empty bins have
/// count 0.
struct TAFFRAIL_API Bins {
    std::vector<double> edges = {};  ///< size() + 1
    std::vector<double> min = {}, max = {}, mean = {}, last = {};
    std::vector<std::uint64_t> count = {}, nan_count = {}, positive_infinity_count = {},
                               negative_infinity_count = {};
    std::uint64_t points = 0;  ///< all points in range
    std::uint64_t outside = 0;
    bool raw = false;  ///< true: every point has a bin of its own and `x` holds its position
    std::vector<double> x = {};

    [[nodiscard]] std::size_t size() const noexcept { return count.size(); }
};

/// A non-scalar entry of a key, without its blobs.
struct Entry {
    Step step = 0;
    std::int64_t time_ns = 0;
    std::optional<double> epoch = {};
    std::optional<std::int64_t> samples = {};
    std::uint32_t attempt = 0;
    std::int32_t rank = 0;
    Phase phase = Phase::None;
    std::uint64_t writer = 0, seq = 0;
    /// Blobs carry their ref; bytes are null until loaded.
    std::shared_ptr<const Value> value = {};
};

/// A line of captured output.
struct ConsoleLine {
    std::int64_t time_ns = 0;
    bool is_error = false;  ///< stderr
    std::int32_t rank = 0;
    std::string text = {};
};

/// What a tail shows.
struct TailRequest {
    std::size_t count = 10;  ///< at most so many of the records that are there already
    std::function<bool(std::string_view key)> wanted = {};  ///< empty = every key
};

/// The newest records of a run, and then what is logged after them. One thread at a time.
class TAFFRAIL_API RunTail {
  public:
    virtual ~RunTail() = default;
    /// Calls `visit` for what is new since the last call, by time; the first call has the newest
    /// records. Values are not loaded: Record::value is null.
    virtual Result<void> next(const std::function<void(const Record&)>& visit) = 0;
};

/// One run, native or foreign.
class TAFFRAIL_API RecordedRun {
  public:
    virtual ~RecordedRun() = default;

    [[nodiscard]] virtual RunInfo info() const = 0;
    /// All keys, sorted by name.
    [[nodiscard]] virtual std::vector<KeyInfo> keys() const = 0;
    /// Reads a scalar key in columns, as it stands now: what is logged later is not in it. NotFound
    /// when there is no such key, InvalidArgument for a request that makes no sense. Costs what the
    /// chunks taken cost; forwards a live log is taken into memory first.
    [[nodiscard]] virtual Result<std::unique_ptr<ReadCursor>> read(
        std::string_view key, const ReadRequest& request) const = 0;

    /// Every point of a scalar key in log order, superseded ones too: 72 bytes a point. For series
    /// of any length take read().
    [[nodiscard]] Result<std::vector<Point>> points(std::string_view key) const;

    /// Which of `points` a later attempt superseded, one flag a point; empty when none is. `points`
    /// are all of one series, as points() gives them. docs/formats/layout.md has the rule; event
    /// files have TensorBoard's.
    [[nodiscard]] virtual std::vector<bool> superseded(std::span<const Point> /*points*/) const {
        return {};
    }

    /// The points of a scalar key in log order, a chunk at a time, with what the columns hold and
    /// Point's defaults else. Stops at the first error of `visit`.
    Result<void> visit_points(std::string_view key, Attempts attempts,
                              const std::function<Result<void>(std::span<const Point>)>& visit,
                              Columns columns = Columns::all()) const;

    /// Bins of a scalar key; cost is bound by width, not by the number of points, where a pyramid
    /// exists.
    [[nodiscard]] virtual Result<Bins> bins(std::string_view key,
                                            const BinRequest& request) const = 0;

    /// Every entry of a non-scalar key in log order.
    [[nodiscard]] virtual Result<std::vector<Entry>> entries(std::string_view key) const = 0;
    /// The bytes of a blob, checked against its SHA-256.
    [[nodiscard]] virtual Result<std::shared_ptr<const std::vector<std::byte>>> load(
        const BlobRef& blob) const = 0;
    /// `length` bytes of a blob from `offset` on, fewer at its end; only those are read where the
    /// blob stands by itself. They are not checked: the SHA-256 is that of the whole.
    [[nodiscard]] virtual Result<std::vector<std::byte>> load_range(const BlobRef& blob,
                                                                    std::uint64_t offset,
                                                                    std::uint64_t length) const;
    /// Every visible record in log order, blobs not loaded. Stops when `visit` returns false.
    virtual Result<void> for_each(const std::function<bool(const Record&)>& visit) const = 0;
    /// The end of the run; cost is bound by the count and by what is new, not by the length of the
    /// run, where the source can be read from its end. The run must outlive it.
    [[nodiscard]] virtual Result<std::unique_ptr<RunTail>> tail(TailRequest request) const;
    [[nodiscard]] virtual std::vector<ConsoleLine> console(std::size_t first,
                                                           std::size_t count) const = 0;
    /// Environment snapshot as flattened cells ("git/commit", "host/name", …).
    [[nodiscard]] virtual Hparams environment() const = 0;
    [[nodiscard]] virtual std::vector<Damage> damage() const = 0;

    /// The part of damage() that the questions asked so far came upon; reads nothing more. What an
    /// answer left out is in here once the answer is given.
    [[nodiscard]] virtual std::vector<Damage> damage_met() const { return damage(); }

    /// Takes in what was written since. Returns true when anything changed. Cheap when nothing did.
    virtual Result<bool> refresh() = 0;
    /// Rises with every change; for caches and live updates.
    [[nodiscard]] virtual std::uint64_t revision() const = 0;
};

/// A run that is there and cannot be opened.
struct UnreadableRun {
    std::string location = {};  ///< its folder
    std::string reason = {};    ///< why, and what to do about it
};

/// A set of runs under one root.
class TAFFRAIL_API Catalogue {
  public:
    virtual ~Catalogue() = default;

    /// All runs, newest first; tombstoned ones only when asked for.
    [[nodiscard]] virtual std::vector<RunInfo> runs(bool include_deleted = false) const = 0;

    /// Runs that runs() leaves out because they cannot be opened, or the root itself once it is
    /// gone: every list of runs says so.
    [[nodiscard]] virtual std::vector<UnreadableRun> unreadable() const { return {}; }

    /// Opens a run by id, by unique id prefix, by name (newest wins; deleted ones only when no
    /// other has the name) or by path.
    [[nodiscard]] virtual Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const = 0;
    /// Takes in new, changed and vanished runs; returns the ids that changed.
    virtual Result<std::vector<std::string>> refresh() = 0;
};

/// Opens a folder: a Taffrail root, one run folder, or anything a registered source understands (a
/// TensorBoard logdir, …). `name1:path1,name2:path2` opens several under names. `options` are those
/// of the source (`taffrail list NAME`).
TAFFRAIL_API Result<std::shared_ptr<Catalogue>> read(std::string_view path,
                                                     const OptionMap& options = {});

/// A foreign format that can be read.
struct SourceInfo {
    std::string name = {};
    std::string summary = {};
    /// How sure the source is that `path` is its own: 0 = not, 100 = certainly.
    std::function<int(const std::string& path)> recognise = {};
    std::function<Result<std::shared_ptr<Catalogue>>(const std::string& path,
                                                     const OptionMap& options)>
        open = {};
    std::vector<OptionInfo> options = {};  ///< what `open` takes
};

/// Adds a source; a second one of the same name replaces the first. Thread-safe.
TAFFRAIL_API void register_source(SourceInfo info);
/// All of them, built-in ones first.
TAFFRAIL_API std::vector<SourceInfo> registered_sources();

}  // namespace taffrail
