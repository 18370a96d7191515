// Plain values between Python and the library: cells, names with values, steps.
#pragma once

#include <taffrail/key.h>
#include <taffrail/options.h>
#include <taffrail/value.h>

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::python {

namespace nb = nanobind;

/// None, bool, int, float and str as they are; other numbers by __index__ or __float__, everything
/// else as its text. Whole numbers beyond 64 bits become texts, so that no digit is lost.
Cell to_cell(nb::handle object);
nb::object from_cell(const Cell& cell);

/// From a list of (name, value) pairs.
Hparams to_hparams(nb::handle pairs);
nb::dict from_hparams(const Hparams& hparams);

/// From a dict of options: lists become "[a, b]", truth values "true" and "false".
OptionMap to_options(nb::handle dict);

/// The step of a log call: None is the key's next one. False with a Python error set.
bool step_of(PyObject* object, Step& step) noexcept;

inline Step step_or_next(std::optional<std::int64_t> step) {
    return step.value_or(kAutoStep);
}

inline nb::str text(std::string_view utf8) {
    // Keys and captured output may hold any bytes.
    PyObject* made =
        PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "replace");
    if (made == nullptr) {
        throw nb::python_error();
    }
    return nb::steal<nb::str>(made);
}

nb::list texts(const std::vector<std::string>& all);
std::vector<std::string> to_texts(nb::handle sequence);
Table to_table(nb::handle columns, nb::handle rows);
std::vector<double> to_numbers(nb::handle sequence);
/// Bins that were counted elsewhere; their sums are those of the middles.
Histogram to_histogram(nb::handle edges, nb::handle counts);

}  // namespace taffrail::python
