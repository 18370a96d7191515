// Run: everything that is no scalar. Each call captures (one copy) and hands over; encoding happens
// elsewhere.
#include <taffrail/run.h>

#include "base/try.h"
#include "codec/capture.h"
#include "codec/tlog/meta.h"
#include "io/files.h"
#include "run/run_core.h"

namespace taffrail {
namespace {

// Readers of the store find it among what is known of the run; in the stream it is for sinks.
constexpr Routing kForSinks{.route = kAllSinks, .visible = false};

// A capture that throws (out of memory) must not reach the training loop.
template <typename Capture>
Result<Value> guarded(Capture capture) noexcept {
    try {
        return capture();
    } catch (const std::exception& error) {
        return Error{ErrorCode::Internal, error.what()};
    }
}

Result<void> collect_files(const std::string& path, const std::string& name,
                           std::vector<ArtifactFile>& files) {
    TAFFRAIL_ASSIGN(const io::FileInfo info, io::stat(path));
    if (info.type == io::EntryType::Directory) {
        TAFFRAIL_ASSIGN(const auto entries, io::list(path));
        for (const io::DirectoryEntry& entry : entries) {
            TAFFRAIL_TRY(collect_files(io::join(path, entry.name),
                                       name.empty() ? entry.name : name + '/' + entry.name, files));
        }
        return {};
    }
    TAFFRAIL_ASSIGN(Bytes bytes, io::read_file(path));
    files.push_back(
        {name.empty() ? path.substr(path.rfind('/') + 1) : name, make_blob(std::move(bytes))});
    return {};
}

}  // namespace

void Run::log_value(std::string_view key, Value value, Step step, Routing routing) noexcept {
    if (core_) {
        core_->log_value(key, std::move(value), step, routing);
    }
}

void Run::log_image(std::string_view key, const ImageView& image, Step step,
                    const ImageOptions& options) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_image(image, options); }), step);
    }
}

void Run::log_image_file(std::string_view key, const std::string& path, Step step,
                         const ImageOptions& options) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&]() -> Result<Value> {
                             TAFFRAIL_ASSIGN(Bytes file, io::read_file(path));
                             return capture_image_file(std::move(file), path, options);
                         }),
                         step);
    }
}

void Run::log_histogram(std::string_view key, const TensorView& values, Step step,
                        const HistogramOptions& options) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_histogram(values, options); }), step);
    }
}

void Run::log_histogram(std::string_view key, const Histogram& bins, Step step) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_histogram(bins); }), step);
    }
}

void Run::log_audio(std::string_view key, const AudioView& audio, Step step,
                    const MediaOptions& options) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_audio(audio, options); }), step);
    }
}

void Run::log_audio_file(std::string_view key, const std::string& path, Step step,
                         const MediaOptions& options) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&]() -> Result<Value> {
                             TAFFRAIL_ASSIGN(Bytes file, io::read_file(path));
                             return capture_audio_file(std::move(file), path, options);
                         }),
                         step);
    }
}

void Run::log_video(std::string_view key, const VideoView& video, Step step,
                    const MediaOptions& options) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_video(video, options); }), step);
    }
}

void Run::log_video_file(std::string_view key, const std::string& path, Step step,
                         const MediaOptions& options) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&]() -> Result<Value> {
                             TAFFRAIL_ASSIGN(Bytes file, io::read_file(path));
                             return capture_video_file(std::move(file), path, options);
                         }),
                         step);
    }
}

void Run::log_mesh(std::string_view key, const MeshView& mesh, Step step) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_mesh(mesh); }), step);
    }
}

void Run::log_mesh_file(std::string_view key, const std::string& path, Step step) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&]() -> Result<Value> {
                             TAFFRAIL_ASSIGN(Bytes file, io::read_file(path));
                             return capture_mesh_file(std::move(file), path);
                         }),
                         step);
    }
}

void Run::log_text(std::string_view key, std::string_view text, Step step) noexcept {
    if (core_) {
        core_->log_value(
            key, guarded([&]() -> Result<Value> { return Value(Text{std::string(text), false}); }),
            step);
    }
}

void Run::log_table(std::string_view key, const Table& table, Step step) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_table(table); }), step);
    }
}

void Run::log_figure(std::string_view key, std::string_view plotly_json, Step step,
                     const ImageView* picture) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_figure(plotly_json, picture); }), step);
    }
}

void Run::log_graph(std::string_view key, const Graph& graph, Step step) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&]() -> Result<Value> { return Value(graph); }), step);
    }
}

void Run::log_pr_curve(std::string_view key, const PrCurve& curve, Step step) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_pr_curve(curve); }), step);
    }
}

void Run::log_embedding(std::string_view key, const TensorView& vectors, Step step,
                        const EmbeddingOptions& options) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_embedding(vectors, options); }), step);
    }
}

void Run::log_tensor(std::string_view key, const TensorView& tensor, Step step) noexcept {
    if (core_) {
        core_->log_value(key, guarded([&] { return capture_tensor(tensor); }), step);
    }
}

void Run::log_hparams(const Hparams& hparams) noexcept {
    if (core_) {
        core_->log_value("hparams", guarded([&]() -> Result<Value> { return Value(hparams); }),
                         kAutoStep);
    }
}

void Run::log_artifact(std::string_view name, const std::string& path,
                       const ArtifactOptions& options) noexcept {
    if (core_) {
        core_->log_value(name, guarded([&]() -> Result<Value> {
                             Artifact artifact;
                             TAFFRAIL_TRY(collect_files(path, "", artifact.files));
                             artifact.name = name;
                             artifact.type = options.type;
                             artifact.metadata = options.metadata;
                             artifact.version = core_->next_version(name);
                             return Value(std::move(artifact));
                         }),
                         kAutoStep);
    }
}

void Run::alert(std::string_view title, std::string_view text, AlertLevel level) noexcept {
    if (core_) {
        core_->log_value("alerts", guarded([&]() -> Result<Value> {
                             return Value(Alert{level, std::string(title), std::string(text)});
                         }),
                         kAutoStep);
    }
}

// Tags and notes are properties of the run (for lists) and events in its stream (for sinks).
void Run::tag(std::string_view tag) noexcept {
    if (core_) {
        core_->log_meta(tlog::MetaType::TagAdded, as_bytes(tag));
        core_->log_value(
            "tags", guarded([&]() -> Result<Value> { return Value(Tag{std::string(tag), false}); }),
            kAutoStep);
    }
}

void Run::untag(std::string_view tag) noexcept {
    if (core_) {
        core_->log_meta(tlog::MetaType::TagRemoved, as_bytes(tag));
        core_->log_value(
            "tags", guarded([&]() -> Result<Value> { return Value(Tag{std::string(tag), true}); }),
            kAutoStep);
    }
}

void Run::note(std::string_view text) noexcept {
    if (core_) {
        core_->add_note(text);
        core_->log_value("notes",
                         guarded([&]() -> Result<Value> { return Value(Note{std::string(text)}); }),
                         kAutoStep);
    }
}

void Run::summary(std::string_view key, Cell value) noexcept {
    if (core_) {
        try {
            SummaryValues said{{{std::string(key), std::move(value)}}};
            core_->log_meta(tlog::MetaType::Summary, tlog::encode_cells(said.values));
            core_->log_value("summary", Value(std::move(said)), kAutoStep, kForSinks);
        } catch (const std::bad_alloc&) {
            core_->recorder().count_error("record.memory",
                                          "out of memory; a summary value is not recorded");
        }
    }
}

void Run::define_metric(std::string_view pattern, const MetricOptions& options) noexcept {
    if (core_) {
        try {
            core_->log_meta(tlog::MetaType::MetricDefinition,
                            tlog::encode_metric_definition(pattern, options));
            core_->log_value("metrics", Value(MetricDefinition{std::string(pattern), options}),
                             kAutoStep, kForSinks);
        } catch (const std::bad_alloc&) {
            core_->recorder().count_error("record.memory",
                                          "out of memory; a metric definition is not recorded");
        }
    }
}

}  // namespace taffrail
