// Progress bars: those of the library, so that bars of Python and of native code share the screen.
#include <taffrail/progress.h>

#include "convert.h"
#include "run_object.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

namespace taffrail::python {
namespace {

BarMetrics metrics_of(nb::handle named) {
    BarMetrics metrics;
    for (nb::handle item : nb::iter(named.attr("items")())) {
        const Cell cell = to_cell(item[1]);
        std::string name = nb::cast<std::string>(nb::str(nb::handle(item[0])));
        if (const auto* number = std::get_if<double>(&cell)) {
            metrics.emplace_back(std::move(name), *number);
        } else if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
            metrics.emplace_back(std::move(name), *whole);
        } else {
            metrics.emplace_back(std::move(name),
                                 nb::cast<std::string>(nb::str(nb::handle(item[1]))));
        }
    }
    return metrics;
}

/// Bars are off the screen from __enter__ to __exit__.
struct PauseObject {
    std::optional<PauseDrawing> pause = {};
};

}  // namespace

void bind_progress(nb::module_& module) {
    nb::class_<Progress>(module, "Progress",
                         "One bar. Advance it from one thread; it may be closed from any. A step "
                         "costs an atomic store, a thread draws ten times a second.")
        .def(
            "__init__",
            [](Progress* self, std::string description, std::optional<std::int64_t> total,
               std::int64_t initial, int refresh_rate, bool leave, std::string unit,
               bool plain_parts) {
                new (self) Progress({.description = std::move(description),
                                     .total = total,
                                     .initial = initial,
                                     .refresh_rate = refresh_rate,
                                     .leave = leave,
                                     .unit = std::move(unit),
                                     .plain_parts = plain_parts});
            },
            nb::arg("description") = "", nb::arg("total") = nb::none(), nb::kw_only(),
            nb::arg("initial") = 0, nb::arg("refresh_rate") = 1, nb::arg("leave") = true,
            nb::arg("unit") = "it", nb::arg("plain_parts") = true)
        .def("advance", &Progress::advance, nb::arg("steps") = 1)
        .def("update", &Progress::update, nb::arg("position"),
             "The position now; the last one is always shown.")
        .def(
            "set_metrics",
            [](Progress& self, nb::handle metrics) { self.set_metrics(metrics_of(metrics)); },
            nb::arg("metrics"), "Names and numbers or texts, shown from the next position on.")
        .def("metrics_due", &Progress::metrics_due, nb::arg("position"),
             "Whether metrics set now would be seen: a fast loop need not make them each time.")
        .def(
            "set_description",
            [](Progress& self, const std::string& said) { self.set_description(said); },
            nb::arg("description"))
        .def("reset", &Progress::reset, nb::arg("total").none(),
             "Begins again at 0, as a training bar does each epoch.")
        .def(
            "close",
            [](Progress& self) {
                const nb::gil_scoped_release released;
                self.close();
            },
            "Shows the last position and leaves or erases the bar.")
        .def_prop_ro("position", &Progress::position)
        .def("__enter__", [](nb::object self) { return self; })
        .def("__exit__", [](Progress& self, nb::args) {
            const nb::gil_scoped_release released;
            self.close();
        });
    nb::class_<PauseObject>(module, "PauseDrawing",
                            "While its with block lasts no bar is drawn and the screen below the "
                            "text is free: for prompts.")
        .def(nb::init<>())
        .def("__enter__",
             [](nb::object self) {
                 auto& pause = nb::cast<PauseObject&>(self).pause;
                 const nb::gil_scoped_release released;
                 pause.emplace();
                 return self;
             })
        .def("__exit__", [](PauseObject& self, nb::args) {
            const nb::gil_scoped_release released;
            self.pause.reset();
        });
    module.def(
        "print_above",
        [](const std::string& said) {
            const nb::gil_scoped_release released;
            taffrail::print_above(said);
        },
        nb::arg("text"), "Writes a line above the bars.");
}

}  // namespace taffrail::python
