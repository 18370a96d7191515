// TensorBoard event files without a Run: the writer people know from torch, method by method.
//
//   taffrail::SummaryWriter writer({.log_dir = "runs/vae"});
//   writer.add_scalar("train/loss", loss, step);
//   writer.add_image("recon", {.pixels = view, .layout = taffrail::Layout::Chw}, step);
//   writer.close();
//
// Calls copy what they are given and return; one thread of the writer encodes and writes. They are
// safe from any thread, never throw, and count what they could not take: check() tells the first
// failure.
#pragma once

#include <taffrail/api.h>
#include <taffrail/key.h>
#include <taffrail/record.h>
#include <taffrail/result.h>
#include <taffrail/value.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

struct SummaryWriterOptions {
    std::string log_dir = {};  ///< "" = runs/<date>_<host><comment>; `~` and `$VAR` are expanded
    std::string comment = {};  ///< only used with an empty log_dir
    /// A resumed run: points at and after this step in older files are superseded.
    std::optional<Step> purge_step = {};
    std::size_t max_queue = 10;  ///< this many pending events are written out without waiting
    double flush_secs = 120;     ///< and whatever is pending is, after this time
    std::string filename_suffix = {};
    /// HPARAMS page: runs with the same name here are one trial (seeds, folds), their metrics
    /// averaged.
    std::string group_name = {};
};

/// Lines of several tags in one chart, or (margin) a value between a lower and an upper one, in
/// that order.
struct ScalarChart {
    std::string title = {};
    std::vector<std::string> tags = {};
    bool margin = false;
    bool are_patterns = false;  ///< the tags are regular expressions, which TensorBoard matches
                                ///< from their beginning
};

struct ScalarChartCategory {
    std::string title = {};
    std::vector<ScalarChart> charts = {};
};

/// Corners of a box in pixels, and what to write on it.
struct ImageBox {
    float left = 0, top = 0, right = 0, bottom = 0;
    std::string label = {};
};

/// Seconds since 1970; absent = now.
using WallSeconds = std::optional<double>;

class TAFFRAIL_API SummaryWriter {
  public:
    /// Opens a new event file. A failure is kept: every call then only counts, and check() says
    /// why.
    explicit SummaryWriter(SummaryWriterOptions options = {});
    /// Writes what is pending and joins the thread.
    ~SummaryWriter();
    SummaryWriter(SummaryWriter&&) noexcept;
    SummaryWriter& operator=(SummaryWriter&&) noexcept;

    /// One copy into a buffer, under 100 ns.
    void add_scalar(std::string_view tag, double value, Step global_step = 0,
                    WallSeconds walltime = {}) noexcept;
    /// How TensorBoard titles the scalars of `tag`, and what it says about them (Markdown). Before
    /// the tag's first value.
    void describe(std::string_view tag, std::string_view display_name,
                  std::string_view description) noexcept;
    /// Each entry becomes a run of its own below this one, `<main_tag>_<key>`, so that one chart
    /// shows them all.
    void add_scalars(std::string_view main_tag,
                     const std::map<std::string, double>& tag_scalar_dict, Step global_step = 0,
                     WallSeconds walltime = {}) noexcept;
    void add_histogram(std::string_view tag, const TensorView& values, Step global_step = 0,
                       std::size_t bins = 30, WallSeconds walltime = {}) noexcept;
    /// `bucket_limits` are the right edges of `bucket_counts`.
    void add_histogram_raw(std::string_view tag, double min, double max, double num, double sum,
                           double sum_squares, std::span<const double> bucket_limits,
                           std::span<const double> bucket_counts, Step global_step = 0,
                           WallSeconds walltime = {}) noexcept;
    void add_image(std::string_view tag, const ImageView& image, Step global_step = 0,
                   WallSeconds walltime = {}) noexcept;
    /// A batch: all pictures under one tag and step.
    void add_images(std::string_view tag, const ImageView& images, Step global_step = 0,
                    WallSeconds walltime = {}) noexcept;
    /// Draws the boxes and their labels into a copy of the picture.
    void add_image_with_boxes(std::string_view tag, const ImageView& image,
                              std::span<const ImageBox> boxes, Step global_step = 0,
                              WallSeconds walltime = {}) noexcept;
    /// A drawn figure.
    void add_figure(std::string_view tag, const ImageView& figure, Step global_step = 0,
                    WallSeconds walltime = {}) noexcept;
    /// Written as an animated GIF: TensorBoard shows nothing else that moves. Frames are T×H×W×C
    /// (or T×C×H×W); a batch N×T×… becomes one film with its videos side by side.
    void add_video(std::string_view tag, const VideoView& video, Step global_step = 0,
                   WallSeconds walltime = {}) noexcept;
    void add_audio(std::string_view tag, const AudioView& audio, Step global_step = 0,
                   WallSeconds walltime = {}) noexcept;
    /// Markdown. Stands under `<tag>/text_summary`, where other writers put it.
    void add_text(std::string_view tag, std::string_view text, Step global_step = 0,
                  WallSeconds walltime = {}) noexcept;
    /// A table under a text tag. One column without a name is a list.
    void add_text(std::string_view tag, const Table& table, Step global_step = 0,
                  WallSeconds walltime = {}) noexcept;
    void add_graph(const Graph& graph, WallSeconds walltime = {}) noexcept;
    /// Hyperparameters of this run and the metrics that go with them; the run's end marks the
    /// session as done. With a run_name they go to a run of that name below this one.
    void add_hparams(const Hparams& hparam_dict,
                     const std::map<std::string, double>& metric_dict = {},
                     std::string_view run_name = {}, Step global_step = 0) noexcept;
    void add_mesh(std::string_view tag, const MeshView& mesh, Step global_step = 0,
                  WallSeconds walltime = {}) noexcept;
    void add_pr_curve(std::string_view tag, std::span<const std::uint8_t> labels,
                      std::span<const double> predictions, Step global_step = 0,
                      std::size_t num_thresholds = 127, std::span<const double> weights = {},
                      WallSeconds walltime = {}) noexcept;
    void add_pr_curve_raw(std::string_view tag, const PrCurve& curve, Step global_step = 0,
                          WallSeconds walltime = {}) noexcept;
    /// Rows of `mat` for the projector, with labels and thumbnails where given.
    void add_embedding(const TensorView& mat, const Table* metadata = nullptr,
                       const ImageView* label_img = nullptr, Step global_step = 0,
                       std::string_view tag = "default") noexcept;
    void add_custom_scalars(const std::vector<ScalarChartCategory>& layout) noexcept;
    void add_custom_scalars_multilinechart(const std::vector<std::string>& tags,
                                           std::string_view category = "default",
                                           std::string_view title = "untitled") noexcept;
    void add_custom_scalars_marginchart(const std::vector<std::string>& tags,
                                        std::string_view category = "default",
                                        std::string_view title = "untitled") noexcept;
    void add_tensor(std::string_view tag, const TensorView& tensor, Step global_step = 0,
                    WallSeconds walltime = {}) noexcept;

    /// Everything added so far is in the files when it returns.
    Result<void> flush();
    /// flush(), end marks, and the end of the thread. Later calls only count. `state` is how
    /// sessions of add_hparams() ended; the destructor says Finished.
    Result<void> close(RunState state = RunState::Finished);
    /// The first failure so far.
    [[nodiscard]] Result<void> check() const;
    [[nodiscard]] std::string get_logdir() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace taffrail
