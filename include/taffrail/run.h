// A run: what a training program talks to.
//
// Tier 1 calls (log and everything named log_…, set_epoch, …) are noexcept, never throw, never
// abort and never print over a progress bar; what goes wrong is counted and reported once. Scalars
// cost nanoseconds: no system call, no allocation after a key's first use, no lock shared with I/O.
// Media costs one copy.
#pragma once

#include <taffrail/api.h>
#include <taffrail/key.h>
#include <taffrail/media_options.h>
#include <taffrail/metric_options.h>
#include <taffrail/record.h>
#include <taffrail/recording.h>
#include <taffrail/result.h>
#include <taffrail/sink.h>
#include <taffrail/value.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace taffrail {

namespace detail {
class RunCore;
class RowCore;
struct RunInside;  ///< for layers of this library that build on runs
}  // namespace detail

/// Whether init() may continue an existing run.
enum class Resume : std::uint8_t {
    Never,  ///< an existing id is an error
    Allow,  ///< continue it when it exists
    Must,   ///< it must exist
};

enum class Store : std::uint8_t { On, Off };

/// How init() opens a run. Everything has a default; TAFFRAIL_* variables fill what is left empty.
struct TAFFRAIL_API RunOptions {
    std::string project = {};  ///< "" = "default"
    std::string name = {};     ///< "" = a generated two-word name
    std::string root = {};     ///< "" = $TAFFRAIL_DIR, else ./taffrail
    std::string group = {};
    std::string job_type = {};
    std::vector<std::string> tags = {};
    std::string notes = {};
    std::string id = {};  ///< "" = $TAFFRAIL_RUN_ID, else new
    Resume resume = Resume::Never;
    /// First step that a resumed run logs again: its points win over older ones from there on, and
    /// TensorBoard drops what they replace. Else $TAFFRAIL_RESUME_STEP; without effect on a new
    /// run.
    std::optional<Step> resume_step = {};
    Overflow overflow = Overflow::Block;
    std::chrono::milliseconds overflow_wait = std::chrono::seconds(30);
    std::chrono::milliseconds flush_interval = std::chrono::milliseconds(100);
    /// For slow sinks; the store itself is quick.
    std::chrono::milliseconds finish_timeout = std::chrono::seconds(30);
    std::uint64_t ring_budget_bytes = 64u << 20;
    std::uint64_t ring_bytes = 2u << 20;  ///< first ring of a thread; grows ahead of need
    /// A live log file is closed and a new one begun at this size.
    std::uint64_t roll_bytes = 64u << 20;
    Durability durability = Durability::Async;
    Store store = Store::On;
    bool seal_on_finish = true;  ///< write the Parquet form when the run ends
    bool console = false;        ///< capture stdout and stderr into the run
    /// Snapshot of command line, git, packages, hardware (see docs/privacy.md).
    bool environment = true;
    std::optional<std::chrono::milliseconds> machine_load =
        std::chrono::seconds(2);            ///< nullopt = off
    std::optional<std::int32_t> rank = {};  ///< else from torchrun, Slurm or MPI variables
    std::optional<std::int32_t> world_size = {};
    std::string spool = {};  ///< second folder used while the first one is full or broken
};

/// A bound scalar key. Cheap to copy; the fastest lone call. Usable from any thread; after finish()
/// it counts and does nothing.
class TAFFRAIL_API Scalar {
  public:
    Scalar() = default;

    /// Records `value` at `step`. Safe from any thread; one ring push, no lock, no allocation, no
    /// system call. If the ring is full the call follows RunOptions::overflow and the wait shows up
    /// in Run::stats().
    void log(double value, Step step = kAutoStep) const noexcept;

  private:
    friend class Run;
    detail::RowCore* core_ = nullptr;
};

/// Several bound keys that share one timestamp and one record.
class TAFFRAIL_API Row {
  public:
    Row() = default;

    /// Records one value per key, in the order the keys were bound. A wrong number of values is
    /// counted as an error.
    void log(Step step, std::span<const double> values) const noexcept;

    template <typename... Values>
    void log(Step step, Values... values) const noexcept {
        const double array[] = {static_cast<double>(values)...};
        log(step, std::span<const double>(array));
    }

    [[nodiscard]] std::size_t size() const noexcept;

  private:
    friend class Run;
    detail::RowCore* core_ = nullptr;
};

/// A run being recorded. Movable; the destructor finishes it. All methods are safe from any thread.
class TAFFRAIL_API Run {
  public:
    /// An inert run: every call does nothing.
    Run() noexcept;
    Run(Run&&) noexcept;
    Run& operator=(Run&&) noexcept;
    ~Run();

    /// Opens a run or says why not. init() is the form that never stops a program.
    static Result<Run> open(RunOptions options);

    /// False for an inert run (TAFFRAIL_MODE=off, or init() could not open).
    [[nodiscard]] bool active() const noexcept;
    [[nodiscard]] const std::string& id() const noexcept;
    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] const std::string& folder() const noexcept;

    /// Bound handles: resolve once, log often.
    [[nodiscard]] Scalar scalar(std::string_view key) noexcept;
    [[nodiscard]] Row row(std::span<const std::string_view> keys) noexcept;

    template <typename... Keys>
        requires(sizeof...(Keys) > 0 && (std::is_convertible_v<Keys, std::string_view> && ...))
    [[nodiscard]] Row row(Keys&&... keys) noexcept {
        const std::string_view array[] = {std::string_view(keys)...};
        return row(std::span<const std::string_view>(array));
    }

    /// Scalars by name: one row, one timestamp. Costs a hash of each key more than a bound handle.
    void log(std::string_view key, double value, Step step = kAutoStep) noexcept;
    void log(std::initializer_list<std::pair<std::string_view, double>> values,
             Step step = kAutoStep) noexcept;
    void log(std::span<const std::pair<std::string_view, double>> values,
             Step step = kAutoStep) noexcept;

    void log_image(std::string_view key, const ImageView& image, Step step = kAutoStep,
                   const ImageOptions& options = {}) noexcept;
    /// An encoded picture file (PNG, JPEG, GIF), kept as it is.
    void log_image_file(std::string_view key, const std::string& path, Step step = kAutoStep,
                        const ImageOptions& options = {}) noexcept;
    void log_histogram(std::string_view key, const TensorView& values, Step step = kAutoStep,
                       const HistogramOptions& options = {}) noexcept;
    void log_histogram(std::string_view key, const Histogram& bins, Step step = kAutoStep) noexcept;
    void log_audio(std::string_view key, const AudioView& audio, Step step = kAutoStep,
                   const MediaOptions& options = {}) noexcept;
    /// An encoded file (WAV, FLAC, Ogg, MP3), kept as it is.
    void log_audio_file(std::string_view key, const std::string& path, Step step = kAutoStep,
                        const MediaOptions& options = {}) noexcept;
    void log_video(std::string_view key, const VideoView& video, Step step = kAutoStep,
                   const MediaOptions& options = {}) noexcept;
    /// An encoded file (MP4, WebM, GIF), kept as it is.
    void log_video_file(std::string_view key, const std::string& path, Step step = kAutoStep,
                        const MediaOptions& options = {}) noexcept;
    void log_mesh(std::string_view key, const MeshView& mesh, Step step = kAutoStep) noexcept;
    /// OBJ, PLY, STL or GLB, kept as it is.
    void log_mesh_file(std::string_view key, const std::string& path,
                       Step step = kAutoStep) noexcept;
    void log_text(std::string_view key, std::string_view text, Step step = kAutoStep) noexcept;
    void log_table(std::string_view key, const Table& table, Step step = kAutoStep) noexcept;
    void log_figure(std::string_view key, std::string_view plotly_json, Step step = kAutoStep,
                    const ImageView* picture = nullptr) noexcept;
    void log_graph(std::string_view key, const Graph& graph, Step step = kAutoStep) noexcept;
    void log_pr_curve(std::string_view key, const PrCurve& curve, Step step = kAutoStep) noexcept;
    void log_embedding(std::string_view key, const TensorView& vectors, Step step = kAutoStep,
                       const EmbeddingOptions& options = {}) noexcept;
    void log_tensor(std::string_view key, const TensorView& tensor, Step step = kAutoStep) noexcept;
    /// Flattened names use `/`: {"model/depth", 4}. Later calls add and overwrite.
    void log_hparams(const Hparams& hparams) noexcept;
    /// A file or a folder, as the next version of the artifact `name`.
    void log_artifact(std::string_view name, const std::string& path,
                      const ArtifactOptions& options = {}) noexcept;
    void alert(std::string_view title, std::string_view text,
               AlertLevel level = AlertLevel::Warning) noexcept;
    void tag(std::string_view tag) noexcept;
    void untag(std::string_view tag) noexcept;
    void note(std::string_view text) noexcept;

    /// A value of the run as a whole; overrides what would be derived from the series of that name.
    void summary(std::string_view key, Cell value) noexcept;
    /// How the metrics that `pattern` (a key, or with `*`) matches are meant; a later call for the
    /// same pattern replaces it. Sinks are told, see SinkContext::metrics.
    void define_metric(std::string_view pattern, const MetricOptions& options) noexcept;

    /// Context that later records of this run carry until it changes.
    void set_epoch(double epoch) noexcept;
    void set_samples(std::int64_t samples) noexcept;
    void set_phase(Phase phase) noexcept;

    /// Adds a sink; every later record whose route names it goes there. Returns its bit in
    /// RouteMask.
    Result<RouteMask> add_sink(std::string_view name, const OptionMap& options = {});
    Result<RouteMask> add_sink(std::unique_ptr<Sink> sink, std::string_view name);

    /// The same calls with a chosen route and visibility, for code that gates sinks itself (the
    /// logging pipeline does).
    void log_routed(std::span<const std::pair<std::string_view, double>> values, Step step,
                    Routing routing) noexcept;
    void log_value(std::string_view key, Value value, Step step, Routing routing = {}) noexcept;

    /// Returns when everything logged before is in the log file (page cache).
    Result<void> flush() noexcept;
    /// As flush(), and on the disk itself.
    Result<void> commit() noexcept;
    /// Ends the run: drains, closes sinks within finish_timeout, seals. Idempotent. The error also
    /// stays in check(). A part that ended badly (note_outcome) decides where Finished is said
    /// here.
    Result<void> finish(RunState state = RunState::Finished) noexcept;
    /// How a part of the program (a stage of training, a logger) ended, and why. The worst of them
    /// is how finish() ends the run when it is told nothing worse; a part that is tried again and
    /// ends better takes its earlier word back.
    void note_outcome(std::string_view part, RunState state, std::string_view why = {}) noexcept;
    /// The first failure so far; under TAFFRAIL_STRICT=1 also the first tier 1 failure.
    [[nodiscard]] Result<void> check() const noexcept;
    [[nodiscard]] RunStats stats() const noexcept;

  private:
    friend struct detail::RunInside;
    explicit Run(std::shared_ptr<detail::RunCore> core) noexcept;
    std::shared_ptr<detail::RunCore> core_;
};

/// Opens a run. Never stops a program: if it cannot open, it prints one clear error and returns an
/// inert run.
TAFFRAIL_API [[nodiscard]] Run init(RunOptions options = {}) noexcept;

}  // namespace taffrail
