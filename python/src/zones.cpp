// Zones in Python: `with taffrail.zone("step"):`. The object of a name is made once; entering and
// leaving it are raw slots.
#include <taffrail/zone.h>

#include "convert.h"
#include "errors.h"
#include "run_object.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <vector>

namespace taffrail::python {
namespace {

struct ZoneObject {
    ZoneSite* site = nullptr;  ///< lives as long as the process
    nb::object name;
};

struct Entered {
    const ZoneObject* zone;
    detail::OpenZone open;
};

thread_local std::vector<Entered> entered;

PyObject* enter(PyObject* self, PyObject*) {
    const ZoneObject* zone = nb::inst_ptr<ZoneObject>(nb::handle(self));
    entered.push_back(
        {zone, detail::zones_are_on() ? detail::enter_zone(*zone->site) : detail::OpenZone()});
    Py_INCREF(self);
    return self;
}

// Coroutines of one thread may leave in another order than they entered: what stands inside the
// zone that is left ends with it, and its own end then finds nothing.
void leave(const ZoneObject* zone) {
    std::size_t place = entered.size();
    while (place > 0 && entered[place - 1].zone != zone) {
        --place;
    }
    if (place == 0) {
        return;
    }
    while (entered.size() >= place) {
        const Entered last = entered.back();
        entered.pop_back();
        if (last.open.node != nullptr) {
            detail::leave_zone(last.open.node, last.open.since);
        }
    }
}

PyObject* exit_zone(PyObject* self, PyObject* const*, Py_ssize_t) {
    leave(nb::inst_ptr<ZoneObject>(nb::handle(self)));
    Py_RETURN_FALSE;
}

PyObject* zones_by_name = nullptr;  // dict, owned

PyObject* zone_of(PyObject*, PyObject* name) {
    PyObject* known = PyDict_GetItemWithError(zones_by_name, name);
    if (known != nullptr) {
        Py_INCREF(known);
        return known;
    }
    if (PyErr_Occurred() != nullptr) {
        return nullptr;
    }
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "the name of a zone is a text, not %R", name);
        return nullptr;
    }
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(name, &size);
    if (bytes == nullptr) {
        return nullptr;
    }
    try {
        ZoneSite& site = detail::named_site({bytes, static_cast<std::size_t>(size)});
        nb::object made = nb::cast(ZoneObject{&site, nb::borrow(name)});
        constexpr Py_ssize_t kMostNames = 65536;  // names beyond share a place in the tree anyway
        if (PyDict_Size(zones_by_name) < kMostNames &&
            PyDict_SetItem(zones_by_name, name, made.ptr()) != 0) {
            return nullptr;
        }
        return made.release().ptr();
    } catch (nb::python_error& error) {
        error.restore();
        return nullptr;
    }
}

nb::list rows_list(const std::vector<ZoneRow>& rows) {
    nb::list list;
    for (const ZoneRow& row : rows) {
        nb::dict said;
        said["name"] = text(row.name);
        said["calls"] = row.calls;
        said["total"] = row.total;
        said["self"] = row.self;
        said["mean"] = row.mean;
        said["least"] = row.least;
        said["most"] = row.most;
        said["p50"] = row.p50;
        said["p99"] = row.p99;
        said["share"] = row.share;
        said["depth"] = row.depth;
        said["span"] = row.span;
        said["open"] = row.open;
        said["values"] = row.values;
        said["value_sum"] = row.value_sum;
        list.append(said);
    }
    return list;
}

ZoneReport report_named(const std::string& name) {
    if (name == "none") {
        return ZoneReport::None;
    }
    if (name == "table") {
        return ZoneReport::Table;
    }
    if (name == "tree") {
        return ZoneReport::Tree;
    }
    if (name == "both") {
        return ZoneReport::Both;
    }
    raise_value_error("report must be 'none', 'table', 'tree' or 'both', not '" + name + "'");
}

const PyType_Slot* zone_slots() {
    static PyMethodDef methods[] = {
        {"__enter__", enter, METH_NOARGS, "The zone begins."},
        {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(exit_zone)),
         METH_FASTCALL, "The zone ends."},
        {nullptr, nullptr, 0, nullptr}};
    static const PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
    return slots;
}

}  // namespace

void bind_zones(nb::module_& module) {
    zones_by_name = PyDict_New();
    nb::class_<ZoneObject>(module, "Zone", nb::type_slots(zone_slots()),
                           "A zone of a name, for a with statement; what zone() gives.")
        .def_prop_ro("name", [](const ZoneObject& self) { return self.name; });
    static PyMethodDef zone_function = {
        "zone", zone_of, METH_O,
        "zone(name)\n--\n\nThe zone of that name, for a with statement: the block is measured."};
    module.attr("zone") = nb::steal(PyCFunction_NewEx(&zone_function, nullptr, nullptr));
    nb::class_<ZoneSpan>(module, "ZoneSpan",
                         "A stretch that does not follow the stack: a coroutine, a request handed "
                         "between threads. Begun here, ended anywhere, counted beside the tree.")
        .def(
            "__init__", [](ZoneSpan* self, const std::string& name) { new (self) ZoneSpan(name); },
            nb::arg("name"))
        .def("end", &ZoneSpan::end, "Once; what holds the span no longer ends it too.")
        .def("__enter__", [](nb::object self) { return self; })
        .def("__exit__", [](ZoneSpan& self, nb::args) { self.end(); });
    module.def(
        "zone_value", [](double value) { detail::add_zone_value(value); }, nb::arg("value"),
        "A number about the innermost zone of this thread: summed up.");
    module.def(
        "zone_rows", [] { return rows_list(taffrail::zone_rows()); },
        "What all zones of one name came to, in seconds, largest total first: a list of dicts.");
    module.def(
        "zone_tree", [] { return rows_list(taffrail::zone_tree()); },
        "The same as a tree in depth-first order: a row for each way from a root.");
    module.def(
        "zone_table_text", [] { return text(taffrail::zone_table_text()); },
        "What all zones came to, as printed at the end.");
    module.def(
        "zone_tree_text", [] { return text(taffrail::zone_tree_text()); }, "The same as a tree.");
    module.def(
        "enable_zones", [](bool on) { taffrail::enable_zones(on); }, nb::arg("on"),
        "Off: a zone costs next to nothing. Those open at that moment still end.");
    module.def(
        "reset_zones", [] { taffrail::reset_zones(); },
        "Forgets every number; open zones count from now on.");
    module.def(
        "print_zones_at_exit",
        [](const std::string& report) { taffrail::print_zones_at_exit(report_named(report)); },
        nb::arg("report"), "'none', 'table', 'tree' or 'both' on stderr when the program ends.");
    module.def(
        "mark_step", [](Step step) { taffrail::mark_step(step); }, nb::arg("step"),
        "Says that a new step begins now.");
    module.def(
        "start_zone_trace",
        [](const std::string& path, std::uint64_t max_bytes) {
            take(taffrail::start_zone_trace({.path = path, .max_bytes = max_bytes}));
        },
        nb::arg("path") = "", nb::arg("max_bytes") = std::uint64_t{1} << 30,
        "From now on zones are also kept one by one: into the open run, or the file at `path`.");
    module.def(
        "stop_zone_trace",
        [] {
            std::optional<Result<void>> done;
            {
                const nb::gil_scoped_release released;
                done.emplace(taffrail::stop_zone_trace());
            }
            take(*std::move(done));
        },
        "Returns when everything is in the file.");
}

}  // namespace taffrail::python
