#include "convert.h"

#include "errors.h"

#include <utility>

namespace taffrail::python {
namespace {

std::string text_of(nb::handle object) {
    const nb::str said(object);
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(said.ptr(), &size);
    if (bytes != nullptr) {
        return {bytes, static_cast<std::size_t>(size)};
    }
    // A lone surrogate, as file names have them.
    PyErr_Clear();
    const nb::object encoded =
        nb::steal(PyUnicode_AsEncodedString(said.ptr(), "utf-8", "surrogatepass"));
    if (!encoded.is_valid()) {
        throw nb::python_error();
    }
    const auto& raw = static_cast<const nb::bytes&>(encoded);
    return {raw.c_str(), raw.size()};
}

}  // namespace

Cell to_cell(nb::handle object) {
    PyObject* it = object.ptr();
    if (it == Py_None) {
        return std::monostate();
    }
    if (PyBool_Check(it)) {
        return it == Py_True;
    }
    if (PyFloat_Check(it)) {
        return PyFloat_AsDouble(it);
    }
    if (PyUnicode_Check(it)) {
        return text_of(object);
    }
    if (PyLong_Check(it) || (PyIndex_Check(it) && !nb::hasattr(object, "__len__"))) {
        int overflow = 0;
        const nb::object whole = nb::steal(PyNumber_Index(it));
        if (!whole.is_valid()) {
            PyErr_Clear();
            return text_of(object);
        }
        const long long number = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
        if (overflow != 0) {
            return text_of(object);
        }
        return static_cast<std::int64_t>(number);
    }
    if (nb::hasattr(object, "__float__") && !nb::hasattr(object, "__len__")) {
        const double number = PyFloat_AsDouble(it);
        if (!(number == -1.0 && PyErr_Occurred() != nullptr)) {
            return number;
        }
        PyErr_Clear();
    }
    return text_of(object);
}

nb::object from_cell(const Cell& cell) {
    return std::visit(
        [](const auto& value) -> nb::object {
            using T = std::remove_cvref_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::monostate>) {
                return nb::none();
            } else if constexpr (std::is_same_v<T, std::string>) {
                return text(value);
            } else {
                return nb::cast(value);
            }
        },
        cell);
}

Hparams to_hparams(nb::handle pairs) {
    Hparams all;
    for (nb::handle pair : nb::iter(pairs)) {
        all.emplace_back(text_of(pair[0]), to_cell(pair[1]));
    }
    return all;
}

nb::dict from_hparams(const Hparams& hparams) {
    nb::dict all;
    for (const auto& [name, value] : hparams) {
        all[text(name)] = from_cell(value);
    }
    return all;
}

OptionMap to_options(nb::handle dict) {
    OptionMap all;
    for (nb::handle item : nb::iter(dict.attr("items")())) {
        const nb::object value = nb::borrow(item[1]);
        std::string said;
        if (value.is_none()) {
            continue;
        }
        if (nb::isinstance<nb::bool_>(value)) {
            said = value.ptr() == Py_True ? "true" : "false";
        } else if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
            said = "[";
            for (nb::handle part : nb::iter(value)) {
                said += (said.size() > 1 ? ", " : "") + text_of(part);
            }
            said += "]";
        } else {
            said = text_of(value);
        }
        all.emplace_back(text_of(item[0]), std::move(said));
    }
    return all;
}

namespace {

bool refuse_step(PyObject* object, const char* said) noexcept {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, said, object);
    return false;
}

}  // namespace

bool step_of(PyObject* object, Step& step) noexcept {
    constexpr const char* kTooLarge = "step must be a whole number of 64 bits, not %R";
    if (object == Py_None) {
        step = kAutoStep;
        return true;
    }
    if (PyLong_CheckExact(object)) {
        step = PyLong_AsLongLong(object);
        return step != -1 || PyErr_Occurred() == nullptr || refuse_step(object, kTooLarge);
    }
    PyObject* whole = PyNumber_Index(object);
    if (whole == nullptr) {
        return refuse_step(object, "step must be a whole number or None, not %R");
    }
    step = PyLong_AsLongLong(whole);
    Py_DECREF(whole);
    return step != -1 || PyErr_Occurred() == nullptr || refuse_step(object, kTooLarge);
}

nb::list texts(const std::vector<std::string>& all) {
    nb::list list;
    for (const std::string& one : all) {
        list.append(text(one));
    }
    return list;
}

std::vector<std::string> to_texts(nb::handle sequence) {
    std::vector<std::string> all;
    if (sequence.is_none()) {
        return all;
    }
    if (nb::isinstance<nb::str>(sequence)) {
        raise_type_error("a list of texts is wanted, not one text");
    }
    for (nb::handle one : nb::iter(sequence)) {
        all.push_back(text_of(one));
    }
    return all;
}

Table to_table(nb::handle columns, nb::handle rows) {
    Table table;
    table.columns = to_texts(columns);
    for (nb::handle row : nb::iter(rows)) {
        auto& cells = table.rows.emplace_back();
        for (nb::handle cell : nb::iter(row)) {
            cells.push_back(to_cell(cell));
        }
        if (cells.size() != table.columns.size()) {
            raise_value_error("row " + std::to_string(table.rows.size() - 1) +
                              " of the table has " + std::to_string(cells.size()) +
                              " cells, its columns are " + std::to_string(table.columns.size()));
        }
    }
    return table;
}

std::vector<double> to_numbers(nb::handle sequence) {
    std::vector<double> all;
    for (nb::handle one : nb::iter(sequence)) {
        const double number = PyFloat_AsDouble(one.ptr());
        if (number == -1.0 && PyErr_Occurred() != nullptr) {
            throw nb::python_error();
        }
        all.push_back(number);
    }
    return all;
}

Histogram to_histogram(nb::handle edges, nb::handle counts) {
    Histogram bins;
    bins.edges = to_numbers(edges);
    bins.counts = to_numbers(counts);
    if (bins.edges.size() != bins.counts.size() + 1 || bins.counts.empty()) {
        raise_value_error("a histogram has one edge more than counts, and at least one count");
    }
    bins.min = bins.edges.front();
    bins.max = bins.edges.back();
    for (std::size_t i = 0; i < bins.counts.size(); ++i) {
        const double middle = (bins.edges[i] + bins.edges[i + 1]) / 2;
        bins.sum += middle * bins.counts[i];
        bins.sum_squares += middle * middle * bins.counts[i];
    }
    return bins;
}

}  // namespace taffrail::python
