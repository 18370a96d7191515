// Values that are more than a number. What a program hands over (PIL, matplotlib, a path, a tensor
// of any library) becomes arrays and texts in Python; here they become views and are logged.
#include <taffrail/run.h>

#include "convert.h"
#include "data.h"
#include "errors.h"
#include "run_object.h"
#include "tensors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace taffrail::python {
namespace {

using OptionalStep = std::optional<std::int64_t>;

void log_image(RunObject& self, const std::string& key, nb::handle pixels, OptionalStep step,
               const std::string& layout, const std::string& caption, nb::handle captions) {
    const HeldTensor held(pixels);
    const std::vector<std::string> each = to_texts(captions);
    const ImageView view{.pixels = held.view(), .layout = layout_of(layout)};
    without_lock(held.bytes(), [&] {
        self.run->log_image(key, view, step_or_next(step), {.caption = caption, .captions = each});
    });
}

void log_histogram(RunObject& self, const std::string& key, nb::handle values, OptionalStep step,
                   std::size_t bins) {
    const HeldTensor held(values);
    without_lock(held.bytes(), [&] {
        self.run->log_histogram(key, held.view(), step_or_next(step), {.bins = bins});
    });
}

void log_bins(RunObject& self, const std::string& key, nb::handle edges, nb::handle counts,
              OptionalStep step) {
    self.run->log_histogram(key, to_histogram(edges, counts), step_or_next(step));
}

void log_audio(RunObject& self, const std::string& key, nb::handle samples, int sample_rate,
               OptionalStep step, const std::string& caption) {
    const HeldTensor held(samples);
    without_lock(held.bytes(), [&] {
        self.run->log_audio(key, {.samples = held.view(), .sample_rate = sample_rate},
                            step_or_next(step), {.caption = caption});
    });
}

void log_video(RunObject& self, const std::string& key, nb::handle frames, double frames_per_second,
               OptionalStep step, const std::string& layout, const std::string& caption) {
    const HeldTensor held(frames);
    const VideoView view{
        .frames = held.view(), .layout = layout_of(layout), .frames_per_second = frames_per_second};
    without_lock(held.bytes(),
                 [&] { self.run->log_video(key, view, step_or_next(step), {.caption = caption}); });
}

void log_mesh(RunObject& self, const std::string& key, nb::handle vertices, nb::handle faces,
              nb::handle colors, nb::handle normals, OptionalStep step,
              const std::string& config_json) {
    const HeldTensor points(vertices);
    std::optional<HeldTensor> triangles, paint, directions;
    MeshView view{.vertices = points.span<float>(DType::F32, "vertices"),
                  .config_json = config_json};
    if (!faces.is_none()) {
        triangles.emplace(faces);
        view.faces = triangles->span<std::uint32_t>(DType::U32, "faces");
    }
    if (!colors.is_none()) {
        paint.emplace(colors);
        view.colors = paint->span<std::uint8_t>(DType::U8, "colors");
    }
    if (!normals.is_none()) {
        directions.emplace(normals);
        view.normals = directions->span<float>(DType::F32, "normals");
    }
    without_lock(points.bytes(), [&] { self.run->log_mesh(key, view, step_or_next(step)); });
}

void log_figure(RunObject& self, const std::string& key, const std::string& plotly_json,
                OptionalStep step, nb::handle picture) {
    if (picture.is_none()) {
        self.run->log_figure(key, plotly_json, step_or_next(step));
        return;
    }
    const HeldTensor held(picture);
    const ImageView view{.pixels = held.view()};
    without_lock(held.bytes(),
                 [&] { self.run->log_figure(key, plotly_json, step_or_next(step), &view); });
}

void log_embedding(RunObject& self, const std::string& key, nb::handle vectors, OptionalStep step,
                   nb::handle columns, nb::handle rows, nb::handle thumbnails,
                   const std::string& layout) {
    const HeldTensor held(vectors);
    std::optional<HeldTensor> pictures;
    Table metadata;
    ImageView images;
    EmbeddingOptions options;
    if (!columns.is_none()) {
        metadata = to_table(columns, rows);
        options.metadata = &metadata;
    }
    if (!thumbnails.is_none()) {
        pictures.emplace(thumbnails);
        images = {.pixels = pictures->view(), .layout = layout_of(layout)};
        options.thumbnails = &images;
    }
    without_lock(held.bytes(),
                 [&] { self.run->log_embedding(key, held.view(), step_or_next(step), options); });
}

}  // namespace

Graph to_graph(nb::handle nodes) {
    Graph graph;
    for (nb::handle given : nb::iter(nodes)) {
        GraphNode& node = graph.nodes.emplace_back();
        node.name = nb::cast<std::string>(given["name"]);
        node.op = nb::cast<std::string>(given["op"]);
        node.inputs = to_texts(given["inputs"]);
        for (nb::handle extent : nb::iter(given["output_shape"])) {
            node.output_shape.push_back(nb::cast<std::int64_t>(extent));
        }
        node.parameters = nb::cast<std::int64_t>(given["parameters"]);
        node.device = nb::cast<std::string>(given["device"]);
        node.attributes = to_hparams(given["attributes"]);
    }
    return graph;
}

PrCurve pr_curve(nb::handle labels, nb::handle predictions, std::size_t thresholds,
                 nb::handle weights) {
    const HeldTensor truth(labels), said(predictions);
    const auto right = truth.span<std::uint8_t>(DType::U8, "labels");
    const auto guessed = said.span<double>(DType::F64, "predictions");
    if (right.size() != guessed.size()) {
        raise_value_error("labels and predictions must be as many");
    }
    if (weights.is_none()) {
        return PrCurve::from_predictions(right, guessed, thresholds);
    }
    const HeldTensor heavy(weights);
    const auto weighed = heavy.span<double>(DType::F64, "weights");
    if (weighed.size() != guessed.size()) {
        raise_value_error("weights and predictions must be as many");
    }
    return PrCurve::from_predictions(right, guessed, thresholds, weighed);
}

void bind_media(nb::class_<RunObject>& run) {
    run.def("_image", &log_image, nb::arg("key"), nb::arg("pixels"), nb::arg("step").none(),
            nb::arg("layout"), nb::arg("caption"), nb::arg("captions").none())
        .def(
            "_image_file",
            [](RunObject& self, const std::string& key, const std::string& path, OptionalStep step,
               const std::string& caption) {
                self.run->log_image_file(key, path, step_or_next(step), {.caption = caption});
            },
            nb::arg("key"), nb::arg("path"), nb::arg("step").none(), nb::arg("caption"))
        .def("_histogram", &log_histogram, nb::arg("key"), nb::arg("values"),
             nb::arg("step").none(), nb::arg("bins"))
        .def("_bins", &log_bins, nb::arg("key"), nb::arg("edges"), nb::arg("counts"),
             nb::arg("step").none())
        .def("_audio", &log_audio, nb::arg("key"), nb::arg("samples"), nb::arg("sample_rate"),
             nb::arg("step").none(), nb::arg("caption"))
        .def(
            "_audio_file",
            [](RunObject& self, const std::string& key, const std::string& path, OptionalStep step,
               const std::string& caption) {
                self.run->log_audio_file(key, path, step_or_next(step), {.caption = caption});
            },
            nb::arg("key"), nb::arg("path"), nb::arg("step").none(), nb::arg("caption"))
        .def("_video", &log_video, nb::arg("key"), nb::arg("frames"), nb::arg("frames_per_second"),
             nb::arg("step").none(), nb::arg("layout"), nb::arg("caption"))
        .def(
            "_video_file",
            [](RunObject& self, const std::string& key, const std::string& path, OptionalStep step,
               const std::string& caption) {
                self.run->log_video_file(key, path, step_or_next(step), {.caption = caption});
            },
            nb::arg("key"), nb::arg("path"), nb::arg("step").none(), nb::arg("caption"))
        .def("_mesh", &log_mesh, nb::arg("key"), nb::arg("vertices"), nb::arg("faces").none(),
             nb::arg("colors").none(), nb::arg("normals").none(), nb::arg("step").none(),
             nb::arg("config_json"))
        .def(
            "_mesh_file",
            [](RunObject& self, const std::string& key, const std::string& path,
               OptionalStep step) { self.run->log_mesh_file(key, path, step_or_next(step)); },
            nb::arg("key"), nb::arg("path"), nb::arg("step").none())
        .def(
            "_text",
            [](RunObject& self, const std::string& key, const std::string& said, OptionalStep step,
               bool plain) {
                if (plain) {
                    self.run->log_value(key, Text{.text = said, .plain = true}, step_or_next(step));
                } else {
                    self.run->log_text(key, said, step_or_next(step));
                }
            },
            nb::arg("key"), nb::arg("text"), nb::arg("step").none(), nb::arg("plain"))
        .def(
            "_page",
            [](RunObject& self, const std::string& key, const std::string& html,
               OptionalStep step) {
                const auto* bytes = reinterpret_cast<const std::byte*>(html.data());
                Artifact artifact{.name = key, .type = "html-file"};
                artifact.version = step ? "step-" + std::to_string(*step) : "";
                artifact.files = {{"page.html",
                                   {.bytes = std::make_shared<std::vector<std::byte>>(
                                        bytes, bytes + html.size())}}};
                self.run->log_value(key, std::move(artifact), step_or_next(step));
            },
            nb::arg("key"), nb::arg("html"), nb::arg("step").none())
        .def(
            "_table",
            [](RunObject& self, const std::string& key, nb::handle columns, nb::handle rows,
               OptionalStep step) {
                self.run->log_table(key, to_table(columns, rows), step_or_next(step));
            },
            nb::arg("key"), nb::arg("columns"), nb::arg("rows"), nb::arg("step").none())
        .def("_figure", &log_figure, nb::arg("key"), nb::arg("plotly_json"), nb::arg("step").none(),
             nb::arg("picture").none())
        .def(
            "_graph",
            [](RunObject& self, const std::string& key, nb::handle nodes, OptionalStep step) {
                self.run->log_graph(key, to_graph(nodes), step_or_next(step));
            },
            nb::arg("key"), nb::arg("nodes"), nb::arg("step").none())
        .def(
            "_pr_curve",
            [](RunObject& self, const std::string& key, nb::handle labels, nb::handle predictions,
               OptionalStep step, std::size_t thresholds, nb::handle weights) {
                self.run->log_pr_curve(key, pr_curve(labels, predictions, thresholds, weights),
                                       step_or_next(step));
            },
            nb::arg("key"), nb::arg("labels"), nb::arg("predictions"), nb::arg("step").none(),
            nb::arg("thresholds"), nb::arg("weights").none())
        .def("_embedding", &log_embedding, nb::arg("key"), nb::arg("vectors"),
             nb::arg("step").none(), nb::arg("columns").none(), nb::arg("rows").none(),
             nb::arg("thumbnails").none(), nb::arg("layout"))
        .def(
            "_tensor",
            [](RunObject& self, const std::string& key, nb::handle tensor, OptionalStep step) {
                const HeldTensor held(tensor);
                without_lock(held.bytes(),
                             [&] { self.run->log_tensor(key, held.view(), step_or_next(step)); });
            },
            nb::arg("key"), nb::arg("tensor"), nb::arg("step").none())
        .def(
            "_artifact",
            [](RunObject& self, const std::string& name, const std::string& path,
               const std::string& type, nb::handle metadata) {
                const ArtifactOptions options{.type = type, .metadata = to_hparams(metadata)};
                const std::shared_ptr<Run> it = self.run;
                const nb::gil_scoped_release released;
                it->log_artifact(name, path, options);
            },
            nb::arg("name"), nb::arg("path"), nb::arg("type"), nb::arg("metadata"));
}

}  // namespace taffrail::python
