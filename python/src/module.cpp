// taffrail._core: the library for the Python package above it.
#include <taffrail/sink.h>
#include <taffrail/version.h>

#include "convert.h"
#include "errors.h"
#include "run_object.h"

NB_MODULE(_core, module) {
    namespace python = taffrail::python;
    // Runs and zones that a program still holds when it ends are no mistake of it.
    nanobind::set_leak_warnings(false);
    module.doc() = "The recording and reading library behind the package taffrail.";
    module.attr("version") = taffrail::version();
    python::bind_errors(module);
    python::bind_fast_logging(module);
    python::bind_run(module);
    python::bind_reader(module);
    python::bind_zones(module);
    python::bind_function_profiler(module);
    python::bind_summary_writer(module);
    python::bind_config(module);
    python::bind_progress(module);
    python::bind_logger(module);
    python::bind_profilers(module);
}
