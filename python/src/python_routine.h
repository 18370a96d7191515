// A routine written in Python, as the library sees it.
#pragma once

#include <taffrail/routine.h>

#include <nanobind/nanobind.h>

namespace taffrail::python {

namespace nb = nanobind;

/// What Python is calling a Logger with, for routines in Python: they get the objects themselves,
/// not what was made of them. Null outside of such a call.
struct LoggerCall {
    nb::handle values = {};
    nb::handle run = {};
};

LoggerCall& logger_call() noexcept;

/// Adds a class to the registry; its objects are made by the Logger, with the options as texts.
void register_python_routine(nb::handle routine_class, const std::string& key,
                             const std::string& class_name, const std::string& summary,
                             const std::vector<std::string>& options);

/// Where a routine in Python sends what it makes; of use during the call it was given to.
struct ContextObject {
    RoutineContext* context = nullptr;
};

void bind_routine_context(nb::module_& module);

}  // namespace taffrail::python
