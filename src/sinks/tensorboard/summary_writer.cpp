#include <taffrail/summary_writer.h>

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "codec/capture.h"
#include "io/expand.h"
#include "sinks/tensorboard/boxes.h"
#include "sinks/tensorboard/event_logs.h"
#include "sinks/tensorboard/film.h"
#include "sinks/tensorboard/folders.h"
#include "sinks/tensorboard/summary_queue.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <thread>

namespace taffrail {

using formats::tensorboard::to_seconds;
using sinks::tensorboard::EventLog;
using sinks::tensorboard::EventLogs;
using sinks::tensorboard::ScalarHeader;
using sinks::tensorboard::SummaryBatch;
using sinks::tensorboard::SummaryJob;
using sinks::tensorboard::SummaryQueue;

class SummaryWriter::Implementation {
  public:
    explicit Implementation(SummaryWriterOptions options)
        : options_(std::move(options)),
          queue_(std::max<std::size_t>(options_.max_queue, 1)),
          clock_(make_tick_clock()),
          owner_(::getpid()) {
        folder_ = io::expand_path(options_.log_dir);
        if (folder_.empty()) {
            folder_ = sinks::tensorboard::default_log_dir(options_.comment, wall_time_ns());
        }
        auto log = EventLog::create({.folder = folder_,
                                     .filename_suffix = options_.filename_suffix,
                                     .resume_step = options_.purge_step,
                                     .resumed = false},
                                    to_seconds(wall_time_ns()));
        if (!log.ok()) {
            diagnose(DiagnosticLevel::Error, "SummaryWriter: " + log.error().message);
            fail(log.error());
            queue_.close();
            return;
        }
        logs_ = std::make_unique<EventLogs>(std::move(*log), options_.filename_suffix,
                                            options_.group_name);
        try {
            thread_ = start_quiet_thread("taffrail-events", [this] { run(); });
        } catch (const std::exception& error) {
            diagnose(DiagnosticLevel::Error,
                     std::string("SummaryWriter: no thread that would write: ") + error.what());
            fail({ErrorCode::Unavailable, error.what()});
            queue_.close();
        }
    }

    ~Implementation() {
        if (!thread_.joinable()) {
            return;
        }
        if (::getpid() != owner_) {
            thread_.detach();  // a forked child has no such thread
            return;
        }
        queue_.close();
        thread_.join();
    }

    void scalar(std::string_view tag, double value, Step step,
                const WallSeconds& walltime) noexcept {
        ScalarHeader header{
            .value = value,
            .step = step,
            .time = 0,
            .tag_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(tag.size(), kMaxTag)),
            .what = ScalarHeader::What::Ticks};
        if (walltime) {
            header.time = std::bit_cast<std::uint64_t>(*walltime);
            header.what = ScalarHeader::What::WallTime;
        } else {
            header.time = ticks();
        }
        try {
            if (!queue_.push_scalar(header, tag.substr(0, header.tag_bytes))) {
                refused();
            }
        } catch (...) {
            refused();
        }
    }

    /// `make` runs here and now and returns Result<Value>; the value is encoded later.
    template <typename Make>
    void value(std::string_view tag, Step step, const WallSeconds& walltime, Make&& make) noexcept {
        try {
            Result<Value> made = make();
            if (!made.ok()) {
                diagnose_once(DiagnosticLevel::Warning, "summary writer " + std::string(tag),
                              "SummaryWriter: '" + std::string(tag) + "': " + made.error().message);
                fail(made.error());
                return;
            }
            auto held = std::make_shared<const Value>(*std::move(made));
            job([held, tag = std::string(tag), step,
                 wall = wall_of(walltime)](EventLogs& logs) { logs.value(tag, *held, step, wall); },
                size_of(*held));
        } catch (...) {
            refused();
        }
    }

    void job(SummaryJob work, std::size_t bytes = 256) noexcept {
        try {
            if (!queue_.push_job(std::move(work), bytes)) {
                refused();
            }
        } catch (...) {
            refused();
        }
    }

    Result<void> flush() {
        if (!thread_.joinable()) {
            return check();
        }
        queue_.wait_for_flush(queue_.request_flush());
        return check();
    }

    Result<void> close(RunState state) {
        if (thread_.joinable()) {
            end_state_.store(state, std::memory_order_relaxed);
            queue_.close();
            thread_.join();
        }
        return check();
    }

    [[nodiscard]] Result<void> check() const {
        std::lock_guard lock(failure_mutex_);
        return failure_;
    }

    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

    static double wall_of(const WallSeconds& walltime) noexcept {
        return walltime ? *walltime : to_seconds(wall_time_ns());
    }

  private:
    static constexpr std::size_t kMaxTag = 64 << 10;
    static constexpr std::size_t kWriteBytes = 256 << 10;
    static constexpr std::size_t kMaxPending = std::size_t{64} << 20;

    void run() {
        SummaryBatch batch;
        std::int64_t last_flush = monotonic_ns();
        bool paced = false, first = true;
        for (bool open = true; open;) {
            const double waited = static_cast<double>(monotonic_ns() - last_flush) / 1e9;
            const auto turn =
                queue_.take(batch, std::clamp(options_.flush_secs - waited, 0.001, 3600.0), paced);
            // A steady stream is taken every few milliseconds; the callers then never pay for
            // waking this thread.
            paced = batch.events >= 64;
            encode(batch);
            const bool timed =
                static_cast<double>(monotonic_ns() - last_flush) / 1e9 >= options_.flush_secs;
            const bool asked = turn.flush_ticket > served_;
            open = !turn.closed;
            if (!open) {
                note(logs_->finish(end_state_.load(std::memory_order_relaxed)));
            } else if (asked || timed || first || logs_->pending_events() >= options_.max_queue) {
                first = first && batch.empty();
                note(logs_->write_out());
                last_flush = monotonic_ns();
            }
            if (asked || !open) {
                served_ = open ? turn.flush_ticket : UINT64_MAX;
                queue_.served(served_);
            }
        }
    }

    void encode(const SummaryBatch& batch) {
        std::size_t next_job = 0;
        EventLog& log = logs_->main();
        for (const sinks::tensorboard::SummaryChunk& chunk : batch.chunks) {
            ByteCursor cursor(chunk.span());
            while (cursor.remaining() > 0) {
                const auto header = cursor.read<ScalarHeader>();
                const std::string_view tag = as_text(cursor.take(header.tag_bytes));
                if (header.what == ScalarHeader::What::Job) {
                    batch.jobs[next_job++](*logs_);
                    continue;
                }
                const double wall = header.what == ScalarHeader::What::WallTime
                                        ? std::bit_cast<double>(header.time)
                                        : to_seconds(clock_.to_wall_ns(header.time));
                log.scalar(tag, header.step, wall, header.value);
            }
            // What was just encoded is still in the cache; a large backlog goes out piece by piece.
            if (log.pending_bytes() >= kWriteBytes) {
                const auto written = log.write_out();
                note(written);
                if (!written.ok() && log.pending_bytes() > kMaxPending) {
                    lose(log, written.error());
                }
            }
        }
        if (!logs_->first_failure().ok()) {
            fail(logs_->first_failure().error());
        }
    }

    /// A disk that stays full must not fill the memory too.
    void lose(EventLog& log, const Error& why) {
        lost_ += log.drop_pending();
        diagnose(DiagnosticLevel::Error,
                 "SummaryWriter: gave up " + std::to_string(lost_) +
                     " events so far that could not be written: " + why.message);
    }

    static std::size_t size_of(const Value& value) noexcept {
        std::size_t bytes = 256;
        const auto add = [&](const Blob& blob) { bytes += blob.bytes ? blob.bytes->size() : 0; };
        if (const auto* image = std::get_if<Image>(&value)) {
            std::for_each(image->images.begin(), image->images.end(), add);
        } else if (const auto* audio = std::get_if<Audio>(&value)) {
            add(audio->data);
        } else if (const auto* video = std::get_if<Video>(&value)) {
            add(video->data);
        } else if (const auto* mesh = std::get_if<Mesh>(&value)) {
            add(mesh->data);
        } else if (const auto* embedding = std::get_if<Embedding>(&value)) {
            add(embedding->vectors);
        } else if (const auto* tensor = std::get_if<Tensor>(&value)) {
            add(tensor->data);
        }
        return bytes;
    }

    void note(const Result<void>& result) {
        if (!result.ok()) {
            fail(result.error());
        }
    }

    void fail(const Error& error) {
        std::lock_guard lock(failure_mutex_);
        if (failure_.ok()) {
            failure_ = error;
        }
    }

    void refused() noexcept {
        if (refused_.fetch_add(1, std::memory_order_relaxed) == 0) {
            try {
                fail({ErrorCode::Closed,
                      "SummaryWriter for " + folder_ + " is closed; values added now are lost"});
            } catch (...) {
            }
        }
    }

    const SummaryWriterOptions options_;
    std::string folder_;
    SummaryQueue queue_;
    TickClock clock_;
    pid_t owner_;
    std::unique_ptr<EventLogs> logs_;
    std::uint64_t served_ = 0, lost_ = 0;
    std::atomic<std::uint64_t> refused_{0};
    std::atomic<RunState> end_state_{RunState::Finished};
    mutable std::mutex failure_mutex_;
    Result<void> failure_;
    std::thread thread_;
};

SummaryWriter::SummaryWriter(SummaryWriterOptions options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {}

SummaryWriter::~SummaryWriter() = default;
SummaryWriter::SummaryWriter(SummaryWriter&&) noexcept = default;
SummaryWriter& SummaryWriter::operator=(SummaryWriter&&) noexcept = default;

void SummaryWriter::add_scalar(std::string_view tag, double value, Step global_step,
                               WallSeconds walltime) noexcept {
    implementation_->scalar(tag, value, global_step, walltime);
}

void SummaryWriter::describe(std::string_view tag, std::string_view display_name,
                             std::string_view description) noexcept {
    implementation_->job([tag = std::string(tag), name = std::string(display_name),
                          text = std::string(description)](EventLogs& logs) {
        logs.main().describe(tag, name, text);
    });
}

void SummaryWriter::add_scalars(std::string_view main_tag,
                                const std::map<std::string, double>& tag_scalar_dict,
                                Step global_step, WallSeconds walltime) noexcept {
    const double wall = Implementation::wall_of(walltime);
    for (const auto& [key, value] : tag_scalar_dict) {
        std::string folder = std::string(main_tag) + "_" + key;
        std::replace(folder.begin(), folder.end(), '/', '_');
        implementation_->job([folder, tag = std::string(main_tag), scalar = value, global_step,
                              wall](EventLogs& logs) {
            if (EventLog* log = logs.below(folder)) {
                log->scalar(tag, global_step, wall, scalar);
            }
        });
    }
}

void SummaryWriter::add_histogram(std::string_view tag, const TensorView& values, Step global_step,
                                  std::size_t bins, WallSeconds walltime) noexcept {
    implementation_->value(tag, global_step, walltime,
                           [&] { return capture_histogram(values, {.bins = bins}); });
}

void SummaryWriter::add_histogram_raw(std::string_view tag, double min, double max, double num,
                                      double sum, double sum_squares,
                                      std::span<const double> bucket_limits,
                                      std::span<const double> bucket_counts, Step global_step,
                                      WallSeconds walltime) noexcept {
    implementation_->value(tag, global_step, walltime, [&]() -> Result<Value> {
        if (bucket_limits.size() != bucket_counts.size() || bucket_limits.empty()) {
            return Error{
                ErrorCode::InvalidArgument,
                "add_histogram_raw needs as many limits as counts, and at least one; got " +
                    std::to_string(bucket_limits.size()) + " and " +
                    std::to_string(bucket_counts.size())};
        }
        static_cast<void>(num);
        Histogram histogram;
        histogram.min = min;
        histogram.max = max;
        histogram.sum = sum;
        histogram.sum_squares = sum_squares;
        histogram.edges.push_back(min);
        for (std::size_t i = 0; i < bucket_limits.size(); ++i) {
            // The last limit of other writers is the largest double there is; the true edge is the
            // maximum.
            histogram.edges.push_back(
                i + 1 == bucket_limits.size() ? max : std::max(bucket_limits[i], min));
        }
        histogram.counts.assign(bucket_counts.begin(), bucket_counts.end());
        return Value(std::move(histogram));
    });
}

void SummaryWriter::add_image(std::string_view tag, const ImageView& image, Step global_step,
                              WallSeconds walltime) noexcept {
    implementation_->value(tag, global_step, walltime, [&] { return capture_image(image); });
}

void SummaryWriter::add_images(std::string_view tag, const ImageView& images, Step global_step,
                               WallSeconds walltime) noexcept {
    add_image(tag, images, global_step, walltime);
}

void SummaryWriter::add_image_with_boxes(std::string_view tag, const ImageView& image,
                                         std::span<const ImageBox> boxes, Step global_step,
                                         WallSeconds walltime) noexcept {
    implementation_->value(tag, global_step, walltime,
                           [&] { return sinks::tensorboard::capture_with_boxes(image, boxes); });
}

void SummaryWriter::add_figure(std::string_view tag, const ImageView& figure, Step global_step,
                               WallSeconds walltime) noexcept {
    add_image(tag, figure, global_step, walltime);
}

void SummaryWriter::add_video(std::string_view tag, const VideoView& video, Step global_step,
                              WallSeconds walltime) noexcept {
    implementation_->value(tag, global_step, walltime,
                           [&] { return sinks::tensorboard::capture_film(video); });
}

void SummaryWriter::add_audio(std::string_view tag, const AudioView& audio, Step global_step,
                              WallSeconds walltime) noexcept {
    implementation_->value(tag, global_step, walltime, [&] { return capture_audio(audio); });
}

void SummaryWriter::add_text(std::string_view tag, std::string_view text, Step global_step,
                             WallSeconds walltime) noexcept {
    implementation_->value(
        std::string(tag) + "/text_summary", global_step, walltime,
        [&]() -> Result<Value> { return Value(Text{.text = std::string(text), .plain = false}); });
}

void SummaryWriter::add_text(std::string_view tag, const Table& table, Step global_step,
                             WallSeconds walltime) noexcept {
    implementation_->value(std::string(tag) + "/text_summary", global_step, walltime,
                           [&]() -> Result<Value> { return Value(table); });
}

void SummaryWriter::add_graph(const Graph& graph, WallSeconds walltime) noexcept {
    implementation_->value("graph", 0, walltime, [&]() -> Result<Value> { return Value(graph); });
}

void SummaryWriter::add_hparams(const Hparams& hparam_dict,
                                const std::map<std::string, double>& metric_dict,
                                std::string_view run_name, Step global_step) noexcept {
    implementation_->job([hparam_dict, metric_dict, run = std::string(run_name), global_step,
                          wall = to_seconds(wall_time_ns())](EventLogs& logs) {
        EventLog* log = run.empty() ? &logs.main() : logs.below(run);
        if (log == nullptr) {
            return;
        }
        logs.hparams(*log, hparam_dict, wall);
        for (const auto& [tag, value] : metric_dict) {
            log->scalar(tag, global_step, wall, value);
        }
    });
}

void SummaryWriter::add_mesh(std::string_view tag, const MeshView& mesh, Step global_step,
                             WallSeconds walltime) noexcept {
    implementation_->value(tag, global_step, walltime, [&] { return capture_mesh(mesh); });
}

void SummaryWriter::add_pr_curve(std::string_view tag, std::span<const std::uint8_t> labels,
                                 std::span<const double> predictions, Step global_step,
                                 std::size_t num_thresholds, std::span<const double> weights,
                                 WallSeconds walltime) noexcept {
    implementation_->value(tag, global_step, walltime, [&] {
        return capture_pr_curve(
            PrCurve::from_predictions(labels, predictions, num_thresholds, weights));
    });
}

void SummaryWriter::add_pr_curve_raw(std::string_view tag, const PrCurve& curve, Step global_step,
                                     WallSeconds walltime) noexcept {
    implementation_->value(tag, global_step, walltime, [&] { return capture_pr_curve(curve); });
}

void SummaryWriter::add_embedding(const TensorView& mat, const Table* metadata,
                                  const ImageView* label_img, Step global_step,
                                  std::string_view tag) noexcept {
    implementation_->value(tag, global_step, {}, [&] {
        return capture_embedding(mat, {.metadata = metadata, .thumbnails = label_img});
    });
}

void SummaryWriter::add_custom_scalars(const std::vector<ScalarChartCategory>& layout) noexcept {
    implementation_->job([layout, wall = to_seconds(wall_time_ns())](EventLogs& logs) {
        logs.layout(layout, wall);
    });
}

void SummaryWriter::add_custom_scalars_multilinechart(const std::vector<std::string>& tags,
                                                      std::string_view category,
                                                      std::string_view title) noexcept {
    add_custom_scalars(
        {{.title = std::string(category),
          .charts = {{.title = std::string(title), .tags = tags, .margin = false}}}});
}

void SummaryWriter::add_custom_scalars_marginchart(const std::vector<std::string>& tags,
                                                   std::string_view category,
                                                   std::string_view title) noexcept {
    add_custom_scalars({{.title = std::string(category),
                         .charts = {{.title = std::string(title), .tags = tags, .margin = true}}}});
}

void SummaryWriter::add_tensor(std::string_view tag, const TensorView& tensor, Step global_step,
                               WallSeconds walltime) noexcept {
    implementation_->value(tag, global_step, walltime, [&] { return capture_tensor(tensor); });
}

Result<void> SummaryWriter::flush() {
    return implementation_->flush();
}

Result<void> SummaryWriter::close(RunState state) {
    return implementation_->close(state);
}

Result<void> SummaryWriter::check() const {
    return implementation_->check();
}

std::string SummaryWriter::get_logdir() const {
    return implementation_->folder();
}

}  // namespace taffrail
