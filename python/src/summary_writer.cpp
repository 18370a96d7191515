// The writer of TensorBoard event files, for taffrail.tensorboard.
#include <taffrail/summary_writer.h>

#include "convert.h"
#include "errors.h"
#include "run_object.h"
#include "tensors.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace taffrail::python {
namespace {

using Wall = std::optional<double>;

ImageView image_of(const HeldTensor& held, bool chw) {
    return {.pixels = held.view(), .layout = chw ? Layout::Chw : Layout::Hwc};
}

void add_image_with_boxes(SummaryWriter& self, const std::string& tag, nb::handle pixels, bool chw,
                          nb::handle boxes, nb::handle labels, Step step, Wall wall) {
    const HeldTensor held(pixels);
    const std::vector<std::string> said = to_texts(labels);
    std::vector<ImageBox> all;
    for (nb::handle box : nb::iter(boxes)) {
        const std::vector<double> corners = to_numbers(box);
        if (corners.size() != 4) {
            raise_value_error("a box has four corners: left, top, right, bottom");
        }
        const auto corner = [&](std::size_t i) { return static_cast<float>(corners[i]); };
        all.push_back({.left = corner(0),
                       .top = corner(1),
                       .right = corner(2),
                       .bottom = corner(3),
                       .label = all.size() < said.size() ? said[all.size()] : ""});
    }
    self.add_image_with_boxes(tag, image_of(held, chw), all, step, wall);
}

void add_mesh(SummaryWriter& self, const std::string& tag, nb::handle vertices, nb::handle faces,
              nb::handle colors, const std::string& config_json, Step step, Wall wall) {
    const HeldTensor points(vertices);
    std::optional<HeldTensor> triangles, paint;
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
    self.add_mesh(tag, view, step, wall);
}

void add_embedding(SummaryWriter& self, nb::handle mat, nb::handle columns, nb::handle rows,
                   nb::handle label_img, Step step, const std::string& tag) {
    const HeldTensor held(mat);
    std::optional<HeldTensor> pictures;
    Table metadata;
    ImageView images;
    if (!columns.is_none()) {
        metadata = to_table(columns, rows);
    }
    if (!label_img.is_none()) {
        pictures.emplace(label_img);
        images = image_of(*pictures, true);
    }
    self.add_embedding(held.view(), columns.is_none() ? nullptr : &metadata,
                       label_img.is_none() ? nullptr : &images, step, tag);
}

std::map<std::string, double> number_map(nb::handle dict) {
    std::map<std::string, double> all;
    for (nb::handle item : nb::iter(dict.attr("items")())) {
        all[nb::cast<std::string>(item[0])] = nb::cast<double>(nb::float_(item[1]));
    }
    return all;
}

template <typename Work>
void finish_without_lock(Work&& work) {
    std::optional<Result<void>> done;
    {
        const nb::gil_scoped_release released;
        done.emplace(work());
    }
    take(*std::move(done));
}

}  // namespace

void bind_summary_writer(nb::module_& module) {
    nb::class_<SummaryWriter>(module, "SummaryWriter")
        .def(
            "__init__",
            [](SummaryWriter* self, const std::string& log_dir, const std::string& comment,
               std::optional<Step> purge_step, std::size_t max_queue, double flush_secs,
               const std::string& filename_suffix) {
                new (self) SummaryWriter({.log_dir = log_dir,
                                          .comment = comment,
                                          .purge_step = purge_step,
                                          .max_queue = max_queue,
                                          .flush_secs = flush_secs,
                                          .filename_suffix = filename_suffix});
            },
            nb::arg("log_dir"), nb::arg("comment"), nb::arg("purge_step").none(),
            nb::arg("max_queue"), nb::arg("flush_secs"), nb::arg("filename_suffix"))
        .def(
            "add_scalar",
            [](SummaryWriter& self, const std::string& tag, double value, Step step, Wall wall) {
                self.add_scalar(tag, value, step, wall);
            },
            nb::arg("tag"), nb::arg("value"), nb::arg("step"), nb::arg("wall").none())
        .def("describe",
             [](SummaryWriter& self, const std::string& tag, const std::string& name,
                const std::string& description) { self.describe(tag, name, description); })
        .def(
            "add_scalars",
            [](SummaryWriter& self, const std::string& tag, nb::handle values, Step step,
               Wall wall) { self.add_scalars(tag, number_map(values), step, wall); },
            nb::arg("tag"), nb::arg("values"), nb::arg("step"), nb::arg("wall").none())
        .def(
            "add_histogram",
            [](SummaryWriter& self, const std::string& tag, nb::handle values, Step step,
               std::size_t bins, Wall wall) {
                const HeldTensor held(values);
                self.add_histogram(tag, held.view(), step, bins, wall);
            },
            nb::arg("tag"), nb::arg("values"), nb::arg("step"), nb::arg("bins"),
            nb::arg("wall").none())
        .def(
            "add_histogram_raw",
            [](SummaryWriter& self, const std::string& tag, double min, double max, double num,
               double sum, double sum_squares, nb::handle limits, nb::handle counts, Step step,
               Wall wall) {
                self.add_histogram_raw(tag, min, max, num, sum, sum_squares, to_numbers(limits),
                                       to_numbers(counts), step, wall);
            },
            nb::arg("tag"), nb::arg("min"), nb::arg("max"), nb::arg("num"), nb::arg("sum"),
            nb::arg("sum_squares"), nb::arg("limits"), nb::arg("counts"), nb::arg("step"),
            nb::arg("wall").none())
        .def(
            "add_image",
            [](SummaryWriter& self, const std::string& tag, nb::handle pixels, bool chw, Step step,
               Wall wall) {
                const HeldTensor held(pixels);
                self.add_image(tag, image_of(held, chw), step, wall);
            },
            nb::arg("tag"), nb::arg("pixels"), nb::arg("chw"), nb::arg("step"),
            nb::arg("wall").none())
        .def(
            "add_images",
            [](SummaryWriter& self, const std::string& tag, nb::handle pixels, bool chw, Step step,
               Wall wall) {
                const HeldTensor held(pixels);
                self.add_images(tag, image_of(held, chw), step, wall);
            },
            nb::arg("tag"), nb::arg("pixels"), nb::arg("chw"), nb::arg("step"),
            nb::arg("wall").none())
        .def("add_image_with_boxes", &add_image_with_boxes, nb::arg("tag"), nb::arg("pixels"),
             nb::arg("chw"), nb::arg("boxes"), nb::arg("labels").none(), nb::arg("step"),
             nb::arg("wall").none())
        .def(
            "add_figure",
            [](SummaryWriter& self, const std::string& tag, nb::handle pixels, Step step,
               Wall wall) {
                const HeldTensor held(pixels);
                self.add_figure(tag, image_of(held, false), step, wall);
            },
            nb::arg("tag"), nb::arg("pixels"), nb::arg("step"), nb::arg("wall").none())
        .def(
            "add_video",
            [](SummaryWriter& self, const std::string& tag, nb::handle frames, bool chw, double fps,
               Step step, Wall wall) {
                const HeldTensor held(frames);
                self.add_video(tag,
                               {.frames = held.view(),
                                .layout = chw ? Layout::Chw : Layout::Hwc,
                                .frames_per_second = fps},
                               step, wall);
            },
            nb::arg("tag"), nb::arg("frames"), nb::arg("chw"), nb::arg("fps"), nb::arg("step"),
            nb::arg("wall").none())
        .def(
            "add_audio",
            [](SummaryWriter& self, const std::string& tag, nb::handle samples, int rate, Step step,
               Wall wall) {
                const HeldTensor held(samples);
                self.add_audio(tag, {.samples = held.view(), .sample_rate = rate}, step, wall);
            },
            nb::arg("tag"), nb::arg("samples"), nb::arg("rate"), nb::arg("step"),
            nb::arg("wall").none())
        .def(
            "add_text",
            [](SummaryWriter& self, const std::string& tag, const std::string& said, Step step,
               Wall wall) { self.add_text(tag, said, step, wall); },
            nb::arg("tag"), nb::arg("text"), nb::arg("step"), nb::arg("wall").none())
        .def("add_graph",
             [](SummaryWriter& self, nb::handle nodes) { self.add_graph(to_graph(nodes)); })
        .def("add_hparams",
             [](SummaryWriter& self, nb::handle hparams, nb::handle metrics,
                const std::string& run_name, Step step) {
                 self.add_hparams(to_hparams(hparams), number_map(metrics), run_name, step);
             })
        .def("add_mesh", &add_mesh, nb::arg("tag"), nb::arg("vertices"), nb::arg("faces").none(),
             nb::arg("colors").none(), nb::arg("config_json"), nb::arg("step"),
             nb::arg("wall").none())
        .def(
            "add_pr_curve",
            [](SummaryWriter& self, const std::string& tag, nb::handle labels,
               nb::handle predictions, Step step, std::size_t thresholds, nb::handle weights,
               Wall wall) {
                self.add_pr_curve_raw(tag, pr_curve(labels, predictions, thresholds, weights), step,
                                      wall);
            },
            nb::arg("tag"), nb::arg("labels"), nb::arg("predictions"), nb::arg("step"),
            nb::arg("thresholds"), nb::arg("weights").none(), nb::arg("wall").none())
        .def(
            "add_pr_curve_raw",
            [](SummaryWriter& self, const std::string& tag, nb::handle true_positives,
               nb::handle false_positives, nb::handle true_negatives, nb::handle false_negatives,
               nb::handle precision, nb::handle recall, Step step, Wall wall) {
                PrCurve curve;
                curve.true_positives = to_numbers(true_positives);
                curve.false_positives = to_numbers(false_positives);
                curve.true_negatives = to_numbers(true_negatives);
                curve.false_negatives = to_numbers(false_negatives);
                curve.precision = to_numbers(precision);
                curve.recall = to_numbers(recall);
                const std::size_t count = curve.precision.size();
                for (std::size_t i = 0; i < count; ++i) {
                    curve.thresholds.push_back(
                        count < 2 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1));
                }
                self.add_pr_curve_raw(tag, curve, step, wall);
            },
            nb::arg("tag"), nb::arg("true_positives"), nb::arg("false_positives"),
            nb::arg("true_negatives"), nb::arg("false_negatives"), nb::arg("precision"),
            nb::arg("recall"), nb::arg("step"), nb::arg("wall").none())
        .def("add_embedding", &add_embedding, nb::arg("mat"), nb::arg("columns").none(),
             nb::arg("rows").none(), nb::arg("label_img").none(), nb::arg("step"), nb::arg("tag"))
        .def("add_custom_scalars",
             [](SummaryWriter& self, nb::handle categories) {
                 std::vector<ScalarChartCategory> layout;
                 for (nb::handle category : nb::iter(categories)) {
                     auto& made = layout.emplace_back();
                     made.title = nb::cast<std::string>(category[0]);
                     for (nb::handle chart : nb::iter(category[1])) {
                         made.charts.push_back({.title = nb::cast<std::string>(chart[0]),
                                                .tags = to_texts(chart[1]),
                                                .margin = nb::cast<bool>(chart[2]),
                                                .are_patterns = true});
                     }
                 }
                 self.add_custom_scalars(layout);
             })
        .def(
            "add_tensor",
            [](SummaryWriter& self, const std::string& tag, nb::handle tensor, Step step,
               Wall wall) {
                const HeldTensor held(tensor);
                self.add_tensor(tag, held.view(), step, wall);
            },
            nb::arg("tag"), nb::arg("tensor"), nb::arg("step"), nb::arg("wall").none())
        .def("flush",
             [](SummaryWriter& self) { finish_without_lock([&] { return self.flush(); }); })
        .def("close",
             [](SummaryWriter& self) { finish_without_lock([&] { return self.close(); }); })
        .def("check", [](SummaryWriter& self) { take(self.check()); })
        .def_prop_ro("logdir", [](const SummaryWriter& self) { return self.get_logdir(); });
}

}  // namespace taffrail::python
