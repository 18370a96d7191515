// The calls of a training loop: Run.log, Scalar.log, Row.log as raw slots, without nanobind's
// dispatch. What is no plain number goes to Run._log_object, in Python.
#include "convert.h"
#include "run_object.h"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace taffrail::python {
namespace {

PyObject* hook_of_not_finite = nullptr;    // owned; null = nobody asks
PyObject* hook_of_number_types = nullptr;  // owned; is a type that of plain numbers?

/// Names that keyword arguments are compared with by pointer first: the compiler interns both.
struct Names {
    PyObject* key = PyUnicode_InternFromString("key");
    PyObject* value = PyUnicode_InternFromString("value");
    PyObject* values = PyUnicode_InternFromString("values");
    PyObject* step = PyUnicode_InternFromString("step");
    PyObject* log_object = PyUnicode_InternFromString("_log_object");
    PyObject* settle = PyUnicode_InternFromString("_settle");
    PyObject* bring = PyUnicode_InternFromString("_bring");
    PyObject* settle_row = PyUnicode_InternFromString("_settle_row");
};

const Names& names() {
    static const Names all;
    return all;
}

bool is_name(PyObject* given, PyObject* known) noexcept {
    return given == known || PyUnicode_Compare(given, known) == 0;
}

/// Types whose values are plain numbers although they are no float and no int: NumPy's scalars.
bool is_number_type(PyTypeObject* type) {
    constexpr std::size_t kTypes = 16;
    static std::array<PyTypeObject*, kTypes> numbers{}, others{};
    static std::size_t next_number = 0, next_other = 0;
    for (PyTypeObject* known : numbers) {
        if (known == type) {
            return true;
        }
    }
    for (PyTypeObject* known : others) {
        if (known == type) {
            return false;
        }
    }
    if (hook_of_number_types == nullptr) {
        return false;
    }
    PyObject* said = PyObject_CallFunctionObjArgs(hook_of_number_types,
                                                  reinterpret_cast<PyObject*>(type), nullptr);
    if (said == nullptr) {
        PyErr_Clear();
        return false;
    }
    const bool number = said == Py_True;
    Py_DECREF(said);
    Py_INCREF(reinterpret_cast<PyObject*>(type));  // a freed type's place may become another's
    auto& known = number ? numbers : others;
    auto& next = number ? next_number : next_other;
    Py_XDECREF(reinterpret_cast<PyObject*>(known[next % kTypes]));
    known[next++ % kTypes] = type;
    return number;
}

enum class Read : std::uint8_t { Number, Other, Failed };

Read number_of(PyObject* object, double& number) {
    if (PyFloat_CheckExact(object)) [[likely]] {
#ifdef Py_LIMITED_API
        number = PyFloat_AsDouble(object);
#else
        number = PyFloat_AS_DOUBLE(object);
#endif
        return Read::Number;
    }
    if (PyLong_Check(object)) {
        number = PyLong_AsDouble(object);
        if (number == -1.0 && PyErr_Occurred() != nullptr) {
            PyErr_Clear();  // beyond the range of a double: it is that large
            PyObject* zero = PyLong_FromLong(0);
            const int negative = PyObject_RichCompareBool(object, zero, Py_LT);
            Py_DECREF(zero);
            number = negative == 1 ? -std::numeric_limits<double>::infinity()
                                   : std::numeric_limits<double>::infinity();
        }
        return Read::Number;
    }
    if (PyFloat_Check(object) || is_number_type(Py_TYPE(object))) {
        number = PyFloat_AsDouble(object);
        return number == -1.0 && PyErr_Occurred() != nullptr ? Read::Failed : Read::Number;
    }
    return Read::Other;
}

bool ask_not_finite(PyObject* key, double value, PyObject* step) {
    if (hook_of_not_finite == nullptr || std::isfinite(value)) [[likely]] {
        return true;
    }
    PyObject* number = PyFloat_FromDouble(value);
    if (number == nullptr) {
        return false;
    }
    PyObject* said = PyObject_CallFunctionObjArgs(hook_of_not_finite, key, number, step, nullptr);
    Py_DECREF(number);
    Py_XDECREF(said);
    return said != nullptr;
}

bool log_other(PyObject* self, PyObject* key, PyObject* value, PyObject* step) {
    if (value == Py_None) {
        return true;
    }
    PyObject* said =
        PyObject_CallMethodObjArgs(self, names().log_object, key, value, step, nullptr);
    Py_XDECREF(said);
    return said != nullptr;
}

enum class Brought : std::uint8_t { Yes, No, Failed };

/// Has numbers of devices come by themselves, and leaves the others in `pairs`, a list of keys
/// and values.
bool bring(PyObject* run, nb::object& pairs, PyObject* step) {
    pairs = nb::steal(PyObject_CallMethodObjArgs(run, names().bring, pairs.ptr(), step, nullptr));
    return pairs.is_valid();
}

/// Whether a value comes from a device by itself.
Brought bring(PyObject* run, PyObject* key, PyObject* value, PyObject* step) {
    nb::object pairs = nb::steal(Py_BuildValue("[(OO)]", key, value));
    if (!pairs.is_valid() || !bring(run, pairs, step)) {
        return Brought::Failed;
    }
    return PyList_Size(pairs.ptr()) == 0 ? Brought::Yes : Brought::No;
}

bool append_pair(const nb::object& pairs, PyObject* key, PyObject* value) {
    const nb::object pair = nb::steal(PyTuple_Pack(2, key, value));
    return pair.is_valid() && PyList_Append(pairs.ptr(), pair.ptr()) == 0;
}

/// What is no plain number: what comes by itself from a device, and all else.
bool log_others(PyObject* self, nb::object pairs, PyObject* step) {
    if (!bring(self, pairs, step)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(pairs.ptr()); ++i) {
        PyObject* pair = PyList_GetItem(pairs.ptr(), i);
        if (!log_other(self, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1), step)) {
            return false;
        }
    }
    return true;
}

bool name_of(PyObject* key, std::string_view& name) {
    if (!PyUnicode_Check(key)) {
        PyErr_Format(PyExc_TypeError, "keys of logged values are texts, not %R", key);
        return false;
    }
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(key, &size);
    if (bytes == nullptr) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError,
                     "keys of logged values are texts, %R is none: it is no Unicode", key);
        return false;
    }
    name = {bytes, static_cast<std::size_t>(size)};
    return true;
}

/// A dict of any width and of values of any kind.
bool log_wide(PyObject* self, RunObject& object, PyObject* dict, PyObject* step_given, Step step) {
    std::vector<std::pair<std::string_view, double>> row;
    std::vector<std::pair<nb::object, nb::object>> numbers;
    nb::object others;
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    std::vector<double> values;
    while (PyDict_Next(dict, &position, &key, &value) != 0) {
        std::string_view name;
        if (!name_of(key, name)) {
            return false;
        }
        const nb::object kept_key = nb::borrow(key), kept_value = nb::borrow(value);
        double number = 0;
        switch (number_of(value, number)) {
            case Read::Number:
                row.emplace_back(name, number);
                numbers.emplace_back(kept_key, kept_value);
                break;
            case Read::Other:
                if (!others.is_valid()) {
                    others = nb::steal(PyList_New(0));
                }
                if (!others.is_valid() || !append_pair(others, key, value)) {
                    return false;
                }
                break;
            case Read::Failed:
                return false;
        }
    }
    object.run->log(std::span<const std::pair<std::string_view, double>>(row), step);
    if (hook_of_not_finite != nullptr) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (!ask_not_finite(numbers[i].first.ptr(), row[i].second, step_given)) {
                return false;
            }
        }
    }
    return !others.is_valid() || log_others(self, std::move(others), step_given);
}

bool log_dict(PyObject* self, RunObject& object, PyObject* dict, PyObject* step_given) {
    Step step = kAutoStep;
    if (!step_of(step_given, step)) {
        return false;
    }
    constexpr std::size_t kMost = 64;
    if (PyDict_Size(dict) > static_cast<Py_ssize_t>(kMost)) {
        return log_wide(self, object, dict, step_given, step);
    }
    std::array<PyObject*, kMost> keys;
    std::array<double, kMost> values;
    std::size_t count = 0;
    std::uint64_t hash = 0;
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &key, &value) != 0) {
        double& number = values[count];
        if (PyFloat_CheckExact(value)) [[likely]] {
#ifdef Py_LIMITED_API
            number = PyFloat_AsDouble(value);
#else
            number = PyFloat_AS_DOUBLE(value);
#endif
        } else {
            const Read read = number_of(value, number);
            if (read != Read::Number) {
                return read == Read::Other && log_wide(self, object, dict, step_given, step);
            }
        }
        keys[count++] = key;
        hash = (hash ^ reinterpret_cast<std::uintptr_t>(key) >> 4) * 0x9E3779B97F4A7C15u;
    }
    if (count == 0) {
        return true;
    }
    RowCache::Entry* row = object.rows.find(*object.run, {keys.data(), count}, hash >> 40);
    if (row != nullptr) {
        const std::span<const double> numbers(values.data(), count);
        row->keep(step, numbers, ++object.rows.calls);
        if (hook_of_not_finite == nullptr) [[likely]] {
            row->row.log(step, numbers);
            return true;
        }
    }
    return log_wide(self, object, dict, step_given, step);
}

bool log_one(PyObject* self, RunObject& object, PyObject* key, PyObject* value,
             PyObject* step_given) {
    Step step = kAutoStep;
    double number = 0;
    if (!step_of(step_given, step)) {
        return false;
    }
    switch (number_of(value, number)) {
        case Read::Failed:
            return false;
        case Read::Other: {
            const Brought brought = bring(self, key, value, step_given);
            return brought == Brought::Yes ||
                   (brought == Brought::No && log_other(self, key, value, step_given));
        }
        case Read::Number:
            break;
    }
    const std::uint64_t hash =
        (reinterpret_cast<std::uintptr_t>(key) >> 4) * 0x9E3779B97F4A7C15u >> 40;
    if (RowCache::Entry* row = object.rows.find(*object.run, {&key, 1}, hash)) {
        row->keep(step, std::span<const double>(&number, 1), ++object.rows.calls);
        row->row.log(step, std::span<const double>(&number, 1));
    } else {
        std::string_view name;
        if (!name_of(key, name)) {
            return false;
        }
        object.run->log(name, number, step);
    }
    return ask_not_finite(key, number, step_given);
}

/// Numbers that were logged before and come from a device only now: those of these keys go first.
bool log_what_arrived(PyObject* self, PyObject* what, PyObject* value) {
    PyObject* said = PyObject_CallMethodObjArgs(self, names().settle, what,
                                                value == nullptr ? Py_None : value, nullptr);
    Py_XDECREF(said);
    return said != nullptr;
}

PyObject* none_or_error(bool ok) {
    if (!ok) {
        return nullptr;
    }
    Py_RETURN_NONE;
}

PyObject* run_log(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                  PyObject* keywords) {
    PyObject *what = count > 0 ? arguments[0] : nullptr, *value = nullptr, *step = Py_None;
    const bool by_key = what != nullptr && PyUnicode_Check(what);
    if (by_key) {
        value = count > 1 ? arguments[1] : nullptr;
        step = count > 2 ? arguments[2] : Py_None;
    } else if (count > 1) {
        step = arguments[1];
    }
    if (count > (by_key ? 3 : 2)) {
        PyErr_SetString(PyExc_TypeError, "log() takes (values, step) or (key, value, step)");
        return nullptr;
    }
    const Py_ssize_t named = keywords != nullptr ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* name = PyTuple_GetItem(keywords, i);
        PyObject* given = arguments[count + i];
        if (is_name(name, names().step)) {
            step = given;
        } else if (is_name(name, names().value)) {
            value = given;
        } else if ((is_name(name, names().values) || is_name(name, names().key)) &&
                   what == nullptr) {
            what = given;
        } else {
            PyErr_Format(PyExc_TypeError,
                         "log() has no argument %R; it takes values or key, value, "
                         "and step",
                         name);
            return nullptr;
        }
    }
    RunObject* object = nb::inst_ptr<RunObject>(nb::handle(self));
    if (*object->arriving && what != nullptr) [[unlikely]] {
        if (!log_what_arrived(self, what, value)) {
            return nullptr;
        }
    }
    if (what != nullptr && PyDict_Check(what)) [[likely]] {
        return none_or_error(log_dict(self, *object, what, step));
    }
    if (what != nullptr && PyUnicode_Check(what) && value != nullptr) {
        return none_or_error(log_one(self, *object, what, value, step));
    }
    if (what != nullptr && PyMapping_Check(what) && PyObject_HasAttrString(what, "keys")) {
        PyObject* dict = PyDict_New();
        const bool ok = dict != nullptr && PyDict_Update(dict, what) == 0 &&
                        log_dict(self, *object, dict, step);
        Py_XDECREF(dict);
        return none_or_error(ok);
    }
    PyErr_SetString(
        PyExc_TypeError,
        "log() takes a dict of values, or a key and its value: run.log({\"loss\": 0.3}, "
        "step=7), run.log(\"loss\", 0.3, step=7)");
    return nullptr;
}

PyObject* scalar_log(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                     PyObject* keywords) {
    PyObject *value = count > 0 ? arguments[0] : nullptr, *step_given = Py_None;
    if (count > 1) {
        step_given = arguments[1];
    }
    const Py_ssize_t named = keywords != nullptr ? PyTuple_Size(keywords) : 0;
    for (Py_ssize_t i = 0; i < named; ++i) {
        PyObject* name = PyTuple_GetItem(keywords, i);
        if (is_name(name, names().step)) {
            step_given = arguments[count + i];
        } else if (is_name(name, names().value)) {
            value = arguments[count + i];
        } else {
            PyErr_Format(PyExc_TypeError, "log() has no argument %R; it takes value and step",
                         name);
            return nullptr;
        }
    }
    if (value == nullptr || count > 2) {
        PyErr_SetString(PyExc_TypeError, "log() takes a value and a step");
        return nullptr;
    }
    Step step = kAutoStep;
    double number = 0;
    if (!step_of(step_given, step)) {
        return nullptr;
    }
    const ScalarObject* object = nb::inst_ptr<ScalarObject>(nb::handle(self));
    Read read = number_of(value, number);
    if (read == Read::Failed) {
        return nullptr;
    }
    if (*object->arriving || read == Read::Other) [[unlikely]] {
        const nb::object run = nb::steal(PyObject_CallNoArgs(object->owner.ptr()));
        if (!run.is_valid()) {
            return nullptr;
        }
        const bool gone = run.is_none();
        if (!gone && *object->arriving && !log_what_arrived(run.ptr(), object->key.ptr(), value)) {
            return nullptr;
        }
        if (!gone && read == Read::Other) {
            const Brought brought = bring(run.ptr(), object->key.ptr(), value, step_given);
            if (brought != Brought::No) {
                return none_or_error(brought == Brought::Yes);
            }
        }
    }
    if (read == Read::Other) {
        number = PyFloat_AsDouble(value);  // a tensor of one element
        read = number == -1.0 && PyErr_Occurred() != nullptr ? Read::Failed : Read::Number;
    }
    if (read != Read::Number) {
        return nullptr;
    }
    object->scalar.log(number, step);
    return none_or_error(ask_not_finite(object->key.ptr(), number, step_given));
}

/// Numbers of devices before and in this row: those of its keys that were logged before go first,
/// and a row with one of its own comes as a whole, by itself.
Brought bring_row(PyObject* self, const RowObject& object, PyObject* const* arguments,
                  Py_ssize_t count) {
    const nb::object run = nb::steal(PyObject_CallNoArgs(object.owner.ptr()));
    if (!run.is_valid() || run.is_none()) {
        return run.is_valid() ? Brought::No : Brought::Failed;
    }
    const nb::object values = nb::steal(PyTuple_New(count - 1));
    if (!values.is_valid()) {
        return Brought::Failed;
    }
    for (Py_ssize_t i = 1; i < count; ++i) {
        Py_INCREF(arguments[i]);
        PyTuple_SetItem(values.ptr(), i - 1, arguments[i]);
    }
    PyObject* said = PyObject_CallMethodObjArgs(run.ptr(), names().settle_row, self, values.ptr(),
                                                arguments[0], nullptr);
    Py_XDECREF(said);
    return said == nullptr ? Brought::Failed : said == Py_True ? Brought::Yes : Brought::No;
}

PyObject* row_log(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    const RowObject* object = nb::inst_ptr<RowObject>(nb::handle(self));
    constexpr std::size_t kMost = 256;
    std::array<double, kMost> small;
    std::vector<double> large;
    Step step = kAutoStep;
    if (count < 1 || static_cast<std::size_t>(count - 1) != object->row.size()) {
        if (object->row.size() == 0) {
            Py_RETURN_NONE;  // a row of a run that is off
        }
        PyErr_Format(PyExc_TypeError, "log() takes a step and %zu values, one for each key",
                     object->row.size());
        return nullptr;
    }
    if (!step_of(arguments[0], step)) {
        return nullptr;
    }
    const auto width = static_cast<std::size_t>(count - 1);
    double* values = small.data();
    if (width > kMost) {
        large.resize(width);
        values = large.data();
    }
    bool are_numbers = true;
    for (std::size_t i = 0; i < width; ++i) {
        const Read read = number_of(arguments[i + 1], values[i]);
        if (read == Read::Failed) {
            return nullptr;
        }
        are_numbers = are_numbers && read == Read::Number;
    }
    if (!are_numbers || *object->arriving) [[unlikely]] {
        const Brought brought = bring_row(self, *object, arguments, count);
        if (brought != Brought::No) {
            return none_or_error(brought == Brought::Yes);
        }
        for (std::size_t i = 0; i < width && !are_numbers; ++i) {
            const Read read = number_of(arguments[i + 1], values[i]);
            if (read == Read::Other) {
                values[i] = PyFloat_AsDouble(arguments[i + 1]);  // a tensor of one element
            }
            if (read == Read::Failed || (values[i] == -1.0 && PyErr_Occurred() != nullptr)) {
                return nullptr;
            }
        }
    }
    object->row.log(step, std::span<const double>(values, width));
    if (hook_of_not_finite != nullptr) {
        for (std::size_t i = 0; i < width; ++i) {
            const nb::object key = object->keys[i];
            if (!ask_not_finite(key.ptr(), values[i], arguments[0])) {
                return nullptr;
            }
        }
    }
    Py_RETURN_NONE;
}

template <typename Function>
PyCFunction as_method(Function function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

constexpr const char* kRunLogDoc =
    "log(values, step=None)\nlog(key, value, step=None)\n--\n\n"
    "Records values under their keys. Numbers of one call share a row and a time; pictures, "
    "sound,\n"
    "tables and other values may stand among them. Without a step each key takes its next one.\n"
    "None as a value is left out.";
constexpr const char* kScalarLogDoc =
    "log(value, step=None)\n--\n\nRecords a number at a step; without one, at the key's next step.";
constexpr const char* kRowLogDoc =
    "log(step, *values)\n--\n\nRecords one number for each key of the row, in their order.";

}  // namespace

PyObject* not_finite_hook() noexcept {
    return hook_of_not_finite;
}

const PyType_Slot* run_slots() {
    static PyMethodDef methods[] = {
        {"log", as_method(run_log), METH_FASTCALL | METH_KEYWORDS, kRunLogDoc},
        {nullptr, nullptr, 0, nullptr}};
    static const PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
    return slots;
}

const PyType_Slot* scalar_slots() {
    static PyMethodDef methods[] = {
        {"log", as_method(scalar_log), METH_FASTCALL | METH_KEYWORDS, kScalarLogDoc},
        {nullptr, nullptr, 0, nullptr}};
    static const PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
    return slots;
}

const PyType_Slot* row_slots() {
    static PyMethodDef methods[] = {{"log", as_method(row_log), METH_FASTCALL, kRowLogDoc},
                                    {nullptr, nullptr, 0, nullptr}};
    static const PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
    return slots;
}

void bind_fast_logging(nb::module_& module) {
    static_cast<void>(names());
    module.def("_ask_number_types", [](nb::object hook) {
        Py_XDECREF(hook_of_number_types);
        hook_of_number_types = hook.release().ptr();
    });
    module.def(
        "_ask_not_finite",
        [](nb::object hook) {
            Py_XDECREF(hook_of_not_finite);
            hook_of_not_finite = hook.is_none() ? nullptr : hook.release().ptr();
        },
        nb::arg("hook").none());
    nb::class_<ScalarObject>(module, "Scalar", nb::type_slots(scalar_slots()),
                             "A bound key of numbers: the fastest lone call.")
        .def_prop_ro("key", [](const ScalarObject& self) { return self.key; });
    nb::class_<RowObject>(module, "Row", nb::type_slots(row_slots()),
                          "Several bound keys that share one time and one record.")
        .def_prop_ro("keys", [](const RowObject& self) { return self.keys; })
        .def("__len__", [](const RowObject& self) { return self.row.size(); });
}

}  // namespace taffrail::python
