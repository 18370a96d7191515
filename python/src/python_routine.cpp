#include "python_routine.h"

#include "convert.h"
#include "data.h"
#include "errors.h"
#include "run_object.h"

#include <nanobind/stl/string.h>

#include <type_traits>

namespace taffrail::python {
namespace {

class PythonRoutine final : public Routine {
  public:
    explicit PythonRoutine(nb::object routine) : routine_(std::move(routine)) {}

    ~PythonRoutine() override {
        if (Py_IsInitialized() == 0) {
            static_cast<void>(routine_.release());  // its memory went with the interpreter
            return;
        }
        const nb::gil_scoped_acquire lock;
        routine_.reset();
    }

    PythonRoutine(const PythonRoutine&) = delete;
    PythonRoutine& operator=(const PythonRoutine&) = delete;

    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return call(context, [&](nb::handle said) {
            const LoggerCall& now = logger_call();
            routine_.attr("_log_iter")(
                now.values.is_valid() ? nb::borrow(now.values) : nb::object(nb::dict()),
                text(to_string(data.phase)), data.epoch, data.max_epochs, data.batch_size,
                data.batch_current, data.batch_total, data.total_iters, said);
        });
    }

    Result<void> log_epoch(std::int64_t epoch, Phase phase, RoutineContext& context) override {
        return call(context, [&](nb::handle said) {
            routine_.attr("_log_epoch")(epoch, text(to_string(phase)), said);
        });
    }

    Result<void> end_log(RoutineContext& context) override {
        return call(context, [&](nb::handle said) { routine_.attr("_end_log")(said); });
    }

  private:
    template <typename Work>
    Result<void> call(RoutineContext& context, Work&& work) {
        if (Py_IsInitialized() == 0) {
            return Error{ErrorCode::Closed, "the Python interpreter has ended"};
        }
        const nb::gil_scoped_acquire lock;
        try {
            nb::object said = nb::cast(ContextObject{&context});

            const struct Ended {
                nb::handle said;

                ~Ended() { nb::inst_ptr<ContextObject>(said)->context = nullptr; }
            } ended{said};

            const LoggerCall& now = logger_call();
            work(nb::make_tuple(said, now.run.is_valid() ? nb::borrow(now.run) : nb::none()));
            return {};
        } catch (nb::python_error& error) {
            return error_of(error);
        }
    }

    nb::object routine_;
};

/// Gives what a routine of the library makes of a picture or a mesh another key and step.
class Renamed final : public RoutineContext {
  public:
    Renamed(RoutineContext& outer, std::string key, Step step)
        : outer_(outer), tracked_{std::move(key)}, step_(step) {}

    Run& run() noexcept override { return outer_.run(); }

    Routing routing() const noexcept override { return outer_.routing(); }

    void log(std::span<const std::pair<std::string_view, double>> row, Step) override {
        outer_.log(row, step_);
    }

    void log_value(std::string_view, Value value, Step) override {
        outer_.log_value(tracked_.front(), std::move(value), step_);
    }

    const std::vector<std::string>& tracked() const noexcept override { return tracked_; }

  private:
    RoutineContext& outer_;
    std::vector<std::string> tracked_;
    Step step_;
};

RoutineContext& alive(const ContextObject& self) {
    if (self.context == nullptr) {
        raise(Error{ErrorCode::Closed,
                    "the context of a routine is of use only during the call it was given to"});
    }
    return *self.context;
}

void log_row(ContextObject& self, nb::handle pairs, Step step) {
    std::vector<std::string> names;
    std::vector<double> numbers;
    for (nb::handle pair : nb::iter(pairs)) {
        names.push_back(nb::cast<std::string>(nb::object(pair[0])));
        numbers.push_back(nb::cast<double>(nb::object(pair[1])));
    }
    std::vector<std::pair<std::string_view, double>> row;
    for (std::size_t i = 0; i < names.size(); ++i) {
        row.emplace_back(names[i], numbers[i]);
    }
    alive(self).log(row, step);
}

void log_by_routine(RoutineContext& context, const char* kind, const std::string& key,
                    const DataMap& data, Step step) {
    Renamed renamed(context, key, step);
    auto routine = take(make_routine(kind));
    take(routine->log_iter(data, renamed));
}

void log_datum(ContextObject& self, const std::string& key, nb::handle part, Step step) {
    RoutineContext& context = alive(self);
    HeldData held(key, part);
    std::visit(
        [&](auto& datum) {
            using T = std::remove_cvref_t<decltype(datum)>;
            if constexpr (std::is_same_v<T, ImageView>) {
                log_by_routine(context, "image", key, held.map, step);
            } else if constexpr (std::is_same_v<T, VideoView>) {
                log_by_routine(context, "video", key, held.map, step);
            } else if constexpr (std::is_same_v<T, AudioView>) {
                log_by_routine(context, "audio", key, held.map, step);
            } else if constexpr (std::is_same_v<T, MeshView>) {
                log_by_routine(context, "mesh", key, held.map, step);
            } else if constexpr (std::is_same_v<T, std::string>) {
                context.log_value(key, Text{std::move(datum)}, step);
            } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Histogram> ||
                                 std::is_same_v<T, Table> || std::is_same_v<T, Graph>) {
                context.log_value(key, std::move(datum), step);
            } else {
                raise_type_error("'" + key +
                                 "' is an array: say how it is meant, as in taffrail.Image(value) "
                                 "or taffrail.Histogram(value)");
            }
        },
        static_cast<Datum::Variant&>(held.map.values.at(key)));
}

}  // namespace

LoggerCall& logger_call() noexcept {
    static thread_local LoggerCall now;
    return now;
}

void register_python_routine(nb::handle routine_class, const std::string& key,
                             const std::string& class_name, const std::string& summary,
                             const std::vector<std::string>& options) {
    RoutineInfo info{.key = key, .class_name = class_name, .summary = summary};
    for (const std::string& name : options) {
        info.options.push_back({.name = name});
    }
    // The registry outlives the interpreter: the class is never given back.
    PyObject* kept = routine_class.ptr();
    Py_INCREF(kept);
    info.make = [kept](const OptionMap& given) -> Result<std::unique_ptr<Routine>> {
        const nb::gil_scoped_acquire lock;
        try {
            nb::dict said;
            for (const auto& [name, value] : given) {
                said[text(name)] = text(value);
            }
            return std::unique_ptr<Routine>(
                std::make_unique<PythonRoutine>(nb::handle(kept).attr("_make")(said)));
        } catch (nb::python_error& error) {
            Error failed = error_of(error);
            failed.code =
                failed.code == ErrorCode::Internal ? ErrorCode::InvalidArgument : failed.code;
            return failed;
        }
    };
    register_routine(std::move(info));
}

void bind_routine_context(nb::module_& module) {
    nb::class_<ContextObject>(module, "_RoutineContext")
        .def("_log", &log_row)
        .def("_log_datum", &log_datum)
        .def_prop_ro("tracked",
                     [](const ContextObject& self) { return texts(alive(self).tracked()); });
}

}  // namespace taffrail::python
