// Logger: routines × interface, from Python. Its routines are those of the library and classes
// written in Python (python_routine.cpp).
#include <taffrail/logger.h>

#include "convert.h"
#include "data.h"
#include "errors.h"
#include "python_routine.h"
#include "run_object.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>

namespace taffrail::python {
namespace {

/// The run lives as long as what logs into it. One thread at a time, as in C++.
struct LoggerObject {
    std::shared_ptr<Run> run;
    nb::object python_run;
    std::shared_ptr<Logger> logger;
};

/// What routines in Python see of the call they stand in.
class CallOfLogger {
  public:
    CallOfLogger(const LoggerObject& self, nb::handle values) : before_(logger_call()) {
        logger_call() = {values, self.python_run};
    }

    ~CallOfLogger() { logger_call() = before_; }

    CallOfLogger(const CallOfLogger&) = delete;
    CallOfLogger& operator=(const CallOfLogger&) = delete;

  private:
    LoggerCall before_;
};

template <typename Work>
void call(LoggerObject& self, nb::handle values, Work&& work) {
    const CallOfLogger now(self, values);
    const std::shared_ptr<Logger> logger = self.logger;
    const nb::gil_scoped_release released;
    work(*logger);
}

LoggerOptions options_of(const nb::dict& given) {
    LoggerOptions options;
    options.name = nb::cast<std::string>(given["name"]);
    options.interface = nb::cast<std::string>(given["interface"]);
    options.interface_options = to_options(given["interface_options"]);
    options.routines = to_texts(given["routines"]);
    for (nb::handle item : nb::iter(given["tracked_variables"].attr("items")())) {
        options.tracked_variables[nb::cast<std::string>(nb::object(item[0]))] =
            to_texts(nb::object(item[1]));
    }
    for (nb::handle item : nb::iter(given["routine_options"].attr("items")())) {
        options.routine_options[nb::cast<std::string>(nb::object(item[0]))] =
            to_options(nb::object(item[1]));
    }
    options.log_every_n_iter = nb::cast<std::int64_t>(given["log_every_n_iter"]);
    options.log_every_n_epochs = nb::cast<std::int64_t>(given["log_every_n_epochs"]);
    options.print_every_n_seconds = nb::cast<double>(given["print_every_n_seconds"]);
    options.print_epochs = nb::cast<bool>(given["print_epochs"]);
    options.gpu_summarize = nb::cast<bool>(given["gpu_summarize"]);
    options.version = nb::cast<std::string>(given["version"]);
    return options;
}

void make(LoggerObject* self, nb::object run, const nb::dict& given) {
    std::shared_ptr<Run> target = nb::cast<RunObject&>(run).run;
    LoggerOptions options = options_of(given);
    std::optional<Result<std::unique_ptr<Logger>>> made;
    {
        const nb::gil_scoped_release released;
        made.emplace(Logger::make(*target, std::move(options)));
    }
    std::shared_ptr<Logger> logger = take(*std::move(made));
    new (self) LoggerObject{std::move(target), std::move(run), std::move(logger)};
}

void log_iter(LoggerObject& self, nb::handle values, nb::handle parts, const std::string& phase,
              std::int64_t epoch, std::int64_t max_epochs, std::int64_t batch_size,
              std::int64_t batch_current, std::int64_t batch_total, std::int64_t total_iters) {
    HeldData held(parts);
    held.map.phase = phase_named(phase);
    held.map.epoch = epoch;
    held.map.max_epochs = max_epochs;
    held.map.batch_size = batch_size;
    held.map.batch_current = batch_current;
    held.map.batch_total = batch_total;
    held.map.total_iters = total_iters;
    call(self, values, [&](Logger& logger) { logger.log_iter(held.map); });
}

nb::dict dict_of(const LoggerOptions& options) {
    const auto named = [](const OptionMap& map) {
        nb::dict said;
        for (const auto& [name, value] : map) {
            said[text(name)] = text(value);
        }
        return said;
    };
    nb::dict tracked, for_routines, said;
    for (const auto& [routine, names] : options.tracked_variables) {
        tracked[text(routine)] = texts(names);
    }
    for (const auto& [routine, map] : options.routine_options) {
        for_routines[text(routine)] = named(map);
    }
    said["name"] = text(options.name);
    said["interface"] = text(options.interface);
    said["interface_options"] = named(options.interface_options);
    said["routines"] = texts(options.routines);
    said["tracked_variables"] = tracked;
    said["routine_options"] = for_routines;
    said["log_every_n_iter"] = options.log_every_n_iter;
    said["log_every_n_epochs"] = options.log_every_n_epochs;
    said["print_every_n_seconds"] = options.print_every_n_seconds;
    said["print_epochs"] = options.print_epochs;
    said["gpu_summarize"] = options.gpu_summarize;
    said["version"] = text(options.version);
    return said;
}

RunState state_named(const std::string& said) {
    for (const RunState state :
         {RunState::Finished, RunState::Failed, RunState::Crashed, RunState::Aborted}) {
        if (to_string(state) == said) {
            return state;
        }
    }
    raise_value_error("state must be 'finished', 'failed', 'crashed' or 'aborted', not '" + said +
                      "'");
}

}  // namespace

void bind_logger(nb::module_& module) {
    bind_routine_context(module);
    nb::class_<LoggerObject>(module, "_Logger")
        .def("__init__", &make, nb::arg("run"), nb::arg("options"))
        .def("_log_iter", &log_iter)
        .def(
            "_log_epoch",
            [](LoggerObject& self, std::optional<std::int64_t> epoch, const std::string& phase) {
                const Phase named = phase_named(phase);
                call(self, {}, [&](Logger& logger) {
                    epoch ? logger.log_epoch(*epoch, named) : logger.log_epoch();
                });
            },
            nb::arg("epoch").none(), nb::arg("phase"))
        .def("_log_hparams",
             [](LoggerObject& self, nb::handle pairs) {
                 const Hparams hparams = to_hparams(pairs);
                 call(self, {}, [&](Logger& logger) { logger.log_hparams(hparams); });
             })
        .def("_end_log",
             [](LoggerObject& self, const std::string& state, const std::string& why) {
                 const RunState named = state_named(state);
                 call(self, {}, [&](Logger& logger) { logger.end_log(named, why); });
             })
        .def(
            "iterations",
            [](const LoggerObject& self, const std::string& phase) {
                return self.logger->iterations(phase_named(phase));
            },
            nb::arg("phase") = "train", "Iterations seen in a phase.")
        .def(
            "tracks",
            [](const LoggerObject& self, const std::string& name) {
                return self.logger->tracks(name);
            },
            nb::arg("name"), "Whether a routine tracks this name.")
        .def_prop_ro("route", [](const LoggerObject& self) { return self.logger->route(); })
        .def_prop_ro("run", [](const LoggerObject& self) { return self.python_run; })
        .def(
            "check", [](const LoggerObject& self) { take(self.logger->check()); },
            "Raises the first failure of a routine.");
    module.def("_register_routine", [](nb::handle routine_class, const std::string& key,
                                       const std::string& class_name, const std::string& summary,
                                       nb::handle options) {
        register_python_routine(routine_class, key, class_name, summary, to_texts(options));
    });
    module.def("_logger_options", [](nb::handle composed) {
        nb::list all;
        for (const LoggerOptions& options :
             take(logger_options(nb::cast<const ComposedObject&>(composed).composed))) {
            all.append(dict_of(options));
        }
        return all;
    });
    module.def(
        "registered_routines",
        [] {
            nb::list list;
            for (const RoutineInfo& info : taffrail::registered_routines()) {
                nb::dict said;
                said["key"] = text(info.key);
                said["class_name"] = text(info.class_name);
                said["summary"] = text(info.summary);
                list.append(said);
            }
            return list;
        },
        "Routines by key, those of the library first.");
}

}  // namespace taffrail::python
