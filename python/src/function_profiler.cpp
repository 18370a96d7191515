// Counts and times every function of a Python program: the advanced profiler. Each thread has a
// stack and a table of its own, so that threads which take turns do not end up in one another's
// numbers.
//
// 3.12 and later: callbacks of sys.monitoring, which the Python half registers. Before: the profile
// hook of each thread.
#include "convert.h"
#include "errors.h"
#include "run_object.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace taffrail::python {
namespace {

std::int64_t now_ns() noexcept {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

struct Numbers {
    std::uint64_t calls = 0, recursive_calls = 0;
    std::int64_t total_ns = 0, self_ns = 0;
    std::uint32_t depth = 0;  ///< how many of its calls are open

    void leave(std::int64_t total, std::int64_t self) noexcept {
        if (--depth == 0) {
            total_ns += total;
        } else {
            ++recursive_calls;
        }
        self_ns += self;
        ++calls;
    }
};

struct Function {
    PyObject* key = nullptr;  ///< code object, method descriptor or built-in function; owned
    Numbers numbers = {};
    std::unordered_map<const Function*, Numbers> callers = {};
    // A function is mostly called from one place: that one is not looked up.
    const Function* last_caller = nullptr;
    Numbers* last_numbers = nullptr;
};

struct OpenCall {
    Function* function;
    Numbers* by_caller;
    std::int64_t since;
    std::int64_t inside_ns;  ///< what was spent in calls of it
};

/// What ran while the same actions were open, the outermost first. Without actions there is one.
struct Part {
    std::string actions = {};
    std::unordered_map<const void*, std::unique_ptr<Function>> functions = {};
};

struct ThreadTable {
    std::vector<std::unique_ptr<Part>> parts;  // few: walked from the front
    Part* part = nullptr;                      // where calls that begin now are counted
    std::vector<OpenCall> stack;
    std::vector<std::string> actions;  // open ones, the outermost first
    const void* last_key = nullptr;
    Function* last_function = nullptr;
    unsigned long thread = PyThread_get_thread_ident();

    ~ThreadTable() {
        for (const auto& each : parts) {
            for (auto& [key, function] : each->functions) {
                Py_DECREF(function->key);
            }
        }
    }

    ThreadTable() { select({}); }

    ThreadTable(const ThreadTable&) = delete;
    ThreadTable& operator=(const ThreadTable&) = delete;

    /// Calls that are open stay with the actions they began in.
    void select(std::string named) {
        last_key = nullptr;
        for (const auto& each : parts) {
            if (each->actions == named) {
                part = each.get();
                return;
            }
        }
        part = parts.emplace_back(std::make_unique<Part>()).get();
        part->actions = std::move(named);
    }

    void start_action(std::string name) {
        actions.push_back(std::move(name));
        select(joined());
    }

    /// The innermost of that name; none, where it began before the profiler.
    void stop_action(const std::string& name) {
        const auto found = std::find(actions.rbegin(), actions.rend(), name);
        if (found != actions.rend()) {
            actions.erase(std::next(found).base());
            select(joined());
        }
    }

    [[nodiscard]] std::string joined() const {
        std::string all;
        for (const std::string& name : actions) {
            all += (all.empty() ? "" : "\x1f") + name;
        }
        return all;
    }

    Function* find(const void* key, PyObject* object) {
        if (key == last_key) {
            return last_function;
        }
        auto& place = part->functions[key];
        if (place == nullptr) {
            place = std::make_unique<Function>();
            place->key = object;
            Py_INCREF(object);
        }
        last_key = key;
        last_function = place.get();
        return last_function;
    }

    void enter(const void* key, PyObject* object) {
        Function* function = find(key, object);
        Numbers* by_caller = nullptr;
        if (!stack.empty()) {
            const Function* caller = stack.back().function;
            if (function->last_caller != caller) {
                function->last_caller = caller;
                function->last_numbers = &function->callers[caller];  // stays in place
            }
            by_caller = function->last_numbers;
            ++by_caller->depth;
        }
        ++function->numbers.depth;
        stack.push_back({function, by_caller, now_ns(), 0});
    }

    void leave() noexcept {
        if (stack.empty()) {
            return;  // entered before the profiler began
        }
        const OpenCall call = stack.back();
        stack.pop_back();
        const std::int64_t total = now_ns() - call.since;
        call.function->numbers.leave(total, total - call.inside_ns);
        if (call.by_caller != nullptr) {
            call.by_caller->leave(total, total - call.inside_ns);
        }
        if (!stack.empty()) {
            stack.back().inside_ns += total;
        }
    }
};

struct Profiled {
    bool on = false;
    std::uint64_t generation = 0;
    std::vector<std::unique_ptr<ThreadTable>> threads;
};

Profiled& profiled() {
    static auto* one = new Profiled;  // threads may still report while statics end
    return *one;
}

ThreadTable& table_of_this_thread() {
    static thread_local ThreadTable* mine = nullptr;
    static thread_local std::uint64_t generation = 0;
    Profiled& all = profiled();
    if (mine == nullptr || generation != all.generation) {
        mine = all.threads.emplace_back(std::make_unique<ThreadTable>()).get();
        generation = all.generation;
    }
    return *mine;
}

PyTypeObject* method_descriptor_type = nullptr;

/// What stands for a function that is written in C, or null for callables that are none.
const void* c_function_key(PyObject* callable) noexcept {
    if (PyCFunction_Check(callable)) {
        return reinterpret_cast<const void*>(PyCFunction_GetFunction(callable));
    }
    return Py_IS_TYPE(callable, method_descriptor_type) ? callable : nullptr;
}

PyObject* on_start(PyObject*, PyObject* const* arguments, Py_ssize_t) {
    if (profiled().on) {
        table_of_this_thread().enter(arguments[0], arguments[0]);
    }
    Py_RETURN_NONE;
}

PyObject* on_return(PyObject*, PyObject* const*, Py_ssize_t) {
    if (profiled().on) {
        table_of_this_thread().leave();
    }
    Py_RETURN_NONE;
}

PyObject* on_c_call(PyObject*, PyObject* const* arguments, Py_ssize_t) {
    if (const void* key = c_function_key(arguments[2]); key != nullptr && profiled().on) {
        table_of_this_thread().enter(key, arguments[2]);
    }
    Py_RETURN_NONE;
}

PyObject* on_c_return(PyObject*, PyObject* const* arguments, Py_ssize_t) {
    if (c_function_key(arguments[2]) != nullptr && profiled().on) {
        table_of_this_thread().leave();
    }
    Py_RETURN_NONE;
}

#if PY_VERSION_HEX < 0x030C0000
int hook(PyObject*, PyFrameObject* frame, int what, PyObject* argument) {
    if (!profiled().on) {
        return 0;
    }
    ThreadTable& table = table_of_this_thread();
    switch (what) {
        case PyTrace_CALL: {
            PyCodeObject* code = PyFrame_GetCode(frame);
            table.enter(code, reinterpret_cast<PyObject*>(code));
            Py_DECREF(code);
            break;
        }
        case PyTrace_RETURN:
            table.leave();
            break;
        case PyTrace_C_CALL:
            if (const void* key = c_function_key(argument)) {
                table.enter(key, argument);
            }
            break;
        case PyTrace_C_RETURN:
        case PyTrace_C_EXCEPTION:
            if (c_function_key(argument) != nullptr) {
                table.leave();
            }
            break;
        default:
            break;
    }
    return 0;
}
#endif

nb::tuple numbers_tuple(const Numbers& numbers) {
    return nb::make_tuple(numbers.calls - numbers.recursive_calls, numbers.calls,
                          static_cast<double>(numbers.self_ns) * 1e-9,
                          static_cast<double>(numbers.total_ns) * 1e-9);
}

nb::list functions_of(const Part& part) {
    nb::list functions;
    for (const auto& [key, function] : part.functions) {
        nb::list callers;
        for (const auto& [caller, numbers] : function->callers) {
            if (numbers.calls > 0) {
                callers.append(nb::make_tuple(nb::borrow(caller->key), numbers_tuple(numbers)));
            }
        }
        if (function->numbers.calls > 0) {
            functions.append(nb::make_tuple(nb::borrow(function->key),
                                            numbers_tuple(function->numbers), callers));
        }
    }
    return functions;
}

/// [(thread, actions, [(key, (primitive calls, calls, self, total), [(caller, numbers)…])…])…]
nb::list collected() {
    nb::list all;
    for (const auto& table : profiled().threads) {
        for (const auto& part : table->parts) {
            all.append(nb::make_tuple(table->thread, text(part->actions), functions_of(*part)));
        }
    }
    return all;
}

using FastFunction = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);

void add_callback(nb::module_& module, PyMethodDef& definition, const char* name,
                  FastFunction function) {
    definition = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
                  METH_FASTCALL, nullptr};
    module.attr(name) = nb::steal(PyCFunction_NewEx(&definition, nullptr, nullptr));
}

}  // namespace

void bind_function_profiler(nb::module_& module) {
    const nb::object join = nb::str("").type().attr("join");
    method_descriptor_type = Py_TYPE(join.ptr());
    Py_INCREF(reinterpret_cast<PyObject*>(method_descriptor_type));
    static PyMethodDef definitions[4];
    add_callback(module, definitions[0], "_profile_start", &on_start);
    add_callback(module, definitions[1], "_profile_return", &on_return);
    add_callback(module, definitions[2], "_profile_c_call", &on_c_call);
    add_callback(module, definitions[3], "_profile_c_return", &on_c_return);
    module.def("_profile_switch", [](bool on) { profiled().on = on; });
    module.def("_profile_clear", [] {
        Profiled& all = profiled();
        ++all.generation;
        all.threads.clear();
    });
    module.def("_profile_collect", &collected);
    module.def("_profile_start_action", [](std::string name) {
        if (profiled().on) {
            table_of_this_thread().start_action(std::move(name));
        }
    });
    module.def("_profile_stop_action", [](const std::string& name) {
        if (profiled().on) {
            table_of_this_thread().stop_action(name);
        }
    });
#if PY_VERSION_HEX < 0x030C0000
    module.def("_profile_hook_thread",
               [](bool on) { PyEval_SetProfile(on ? &hook : nullptr, nullptr); });
#endif
}

}  // namespace taffrail::python
