// Profilers of the library by name, and the schedule of a tracer. What they measure are actions and
// zones; functions of Python have function_profiler.cpp.
#include <taffrail/profiler.h>

#include "convert.h"
#include "errors.h"
#include "run_object.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>

namespace taffrail::python {
namespace {

struct ProfilerObject {
    std::shared_ptr<Profiler> profiler;
};

struct ScheduleObject {
    ScheduleOptions options;
    Schedule action;
};

const char* name_of(TraceAction action) {
    switch (action) {
        case TraceAction::WarmUp:
            return "warmup";
        case TraceAction::Record:
            return "record";
        case TraceAction::RecordAndSave:
            return "record_and_save";
        case TraceAction::None:
            break;
    }
    return "none";
}

template <typename Work>
auto released(Work&& work) {
    const nb::gil_scoped_release lock_is_free;
    return work();
}

ProfilerOptions options_of(const nb::dict& given) {
    ProfilerOptions options;
    for (auto [name, value] : given) {
        const std::string said = nb::cast<std::string>(name);
        if (value.is_none()) {
            continue;
        }
        if (said == "dirpath") {
            options.dirpath = nb::cast<std::string>(nb::str(value));
        } else if (said == "filename") {
            options.filename = nb::cast<std::string>(value);
        } else if (said == "extended") {
            options.extended = nb::cast<bool>(value);
        } else if (said == "line_count_restriction") {
            options.line_count_restriction = nb::cast<double>(value);
        } else if (said == "sort_by") {
            options.sort_by = nb::cast<std::string>(value);
        } else if (said == "dump_stats") {
            options.dump_stats = nb::cast<bool>(value);
        } else if (said == "schedule") {
            options.schedule = nb::cast<const ScheduleObject&>(value).options;
        } else if (said == "max_bytes") {
            options.max_bytes = nb::cast<std::uint64_t>(value);
        } else if (said == "worker") {
            options.worker = nb::cast<std::string>(value);
        } else if (said == "use_gzip") {
            options.use_gzip = nb::cast<bool>(value);
        } else {
            raise_type_error("a profiler has no option '" + said +
                             "'; there are dirpath, filename, extended, line_count_restriction, "
                             "sort_by, dump_stats, schedule, max_bytes, worker and use_gzip");
        }
    }
    return options;
}

}  // namespace

void bind_profilers(nb::module_& module) {
    nb::class_<ScheduleObject>(module, "Schedule",
                               "Which steps a tracer records; what schedule() gives. Called with a "
                               "step, counted from 0, it names the action.")
        .def("__call__", [](const ScheduleObject& self,
                            std::int64_t step) { return name_of(self.action(step)); })
        .def_prop_ro("skip_first",
                     [](const ScheduleObject& self) { return self.options.skip_first; })
        .def_prop_ro("wait", [](const ScheduleObject& self) { return self.options.wait; })
        .def_prop_ro("warmup", [](const ScheduleObject& self) { return self.options.warmup; })
        .def_prop_ro("active", [](const ScheduleObject& self) { return self.options.active; })
        .def_prop_ro("repeat", [](const ScheduleObject& self) { return self.options.repeat; });
    module.def(
        "schedule",
        [](std::int64_t wait, std::int64_t warmup, std::int64_t active, std::int64_t repeat,
           std::int64_t skip_first) {
            const ScheduleOptions options{.skip_first = skip_first,
                                          .wait = wait,
                                          .warmup = warmup,
                                          .active = active,
                                          .repeat = repeat};
            return ScheduleObject{options, take(taffrail::schedule(options))};
        },
        nb::kw_only(), nb::arg("wait") = 1, nb::arg("warmup") = 1, nb::arg("active") = 3,
        nb::arg("repeat") = 0, nb::arg("skip_first") = 0,
        "Steps before `skip_first` are not traced; then cycles of `wait` steps without, `warmup` "
        "to "
        "get ready and `active` with recording, `repeat` times or for ever when it is 0.");
    nb::class_<ProfilerObject>(
        module, "Profiler",
        "A profiler of the library: 'none', 'basic', 'simple', 'advanced' or "
        "'trace'. It measures actions that are started and stopped, and zones.")
        .def(
            "__init__",
            [](ProfilerObject* self, const std::string& name, const nb::kwargs& options) {
                std::shared_ptr<Profiler> made =
                    take(taffrail::make_profiler(name, options_of(options)));
                new (self) ProfilerObject{std::move(made)};
            },
            nb::arg("name"), nb::arg("options"))
        .def(
            "setup",
            [](ProfilerObject& self, const std::string& stage, const std::string& folder,
               std::optional<int> rank) {
                take(released([&] { return self.profiler->setup(stage, rank, folder); }));
            },
            nb::arg("stage"), nb::arg("folder") = "", nb::arg("rank") = nb::none(),
            "A stage begins; files go to `folder`, none when it is empty.")
        .def(
            "start",
            [](ProfilerObject& self, const std::string& action) {
                take(self.profiler->start(action));
            },
            nb::arg("action"))
        .def(
            "stop",
            [](ProfilerObject& self, const std::string& action) {
                take(self.profiler->stop(action));
            },
            nb::arg("action"))
        .def(
            "step",
            [](ProfilerObject& self, Step step) { released([&] { self.profiler->step(step); }); },
            nb::arg("step"), "A training step begins.")
        .def(
            "summary", [](const ProfilerObject& self) { return text(self.profiler->summary()); },
            "The report as text.")
        .def(
            "teardown",
            [](ProfilerObject& self) { take(released([&] { return self.profiler->teardown(); })); },
            "The stage is over: the report goes to its files.");
    module.def(
        "registered_profilers",
        [] {
            nb::list names;
            for (const ProfilerInfo& info : taffrail::registered_profilers()) {
                names.append(text(info.name));
            }
            return names;
        },
        "The names of the profilers of this build.");
}

}  // namespace taffrail::python
