// What a Python Run holds, and the cache that makes a dict of numbers as cheap as a bound row.
#pragma once

#include <taffrail/config.h>
#include <taffrail/run.h>

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace taffrail::python {

namespace nb = nanobind;

/// Rows by the identity of their key objects. Programs log the same literals over and over: then a
/// row is found by comparing pointers, and no text is looked at. The keys are kept alive, so that a
/// pointer in the cache always means the text it meant. Used with the interpreter lock.
class RowCache {
  public:
    RowCache() = default;
    ~RowCache();
    RowCache(const RowCache&) = delete;
    RowCache& operator=(const RowCache&) = delete;

    struct Entry {
        std::vector<PyObject*> keys = {};
        Row row = {};
        bool bound = false;
        std::vector<double> last =
            {};  ///< as many as keys once it was logged: what log() was given
        Step last_step = kAutoStep;
        std::uint64_t last_call = 0;  ///< counts the calls of the run, for the order of rows
        std::uint64_t last_use = 0;   ///< likewise, of find(): what was used longest ago goes

        void keep(Step step, std::span<const double> values, std::uint64_t call) {
            std::copy(values.begin(), values.end(), last.begin());
            last_step = step;
            last_call = call;
        }
    };

    /// The row of these keys once they have been seen twice; null before, and for keys that are
    /// made anew for each call.
    Entry* find(Run& run, std::span<PyObject* const> keys, std::uint64_t hash);

    /// Rows that were logged by find(), the one of the last call first.
    [[nodiscard]] std::vector<const Entry*> logged() const;

    std::uint64_t calls = 0;

  private:
    // Several rows may have one place by their hash: each place has room for some, so that rows
    // that are logged in turn do not drive each other out.
    static constexpr std::size_t kPlaces = 32, kRowsOfPlace = 4;
    std::array<std::array<Entry, kRowsOfPlace>, kPlaces> entries_;
    std::uint64_t uses_ = 0;
};

/// A run of a Python program. Runs that nobody finished stay open until the process ends, whatever
/// becomes of the Python object: the exit then says how they ended.
struct RunObject {
    explicit RunObject(Run opened);

    std::shared_ptr<Run> run;
    RowCache rows;
    bool finished = false;
    /// Numbers of a device are on their way: Run._settle() is asked first. Shared with bound keys.
    std::shared_ptr<bool> arriving = std::make_shared<bool>(false);
};

struct ScalarObject {
    Scalar scalar = {};
    nb::object key;
    nb::object owner;  ///< a weak reference to the run: it may hold this
    std::shared_ptr<bool> arriving;
};

struct RowObject {
    Row row = {};
    nb::object keys;
    nb::object owner;  ///< as above
    std::shared_ptr<bool> arriving;
};

/// A composed configuration, for what is made of it later.
struct ComposedObject {
    Composed composed;
};

/// Takes the run off the list of those that the exit finishes.
void forget_open(const std::shared_ptr<Run>& run) noexcept;

/// Called with (key, value, step) when a value that is logged is not finite; None = nobody asks.
PyObject* not_finite_hook() noexcept;

void bind_fast_logging(nb::module_& module);
const PyType_Slot* run_slots();
const PyType_Slot* scalar_slots();
const PyType_Slot* row_slots();

void bind_run(nb::module_& module);
void bind_media(nb::class_<RunObject>& run);
/// "", "train", "validate", "test", "predict" or "sanity".
Phase phase_named(const std::string& said);
void bind_reader(nb::module_& module);
void bind_zones(nb::module_& module);
void bind_function_profiler(nb::module_& module);
void bind_summary_writer(nb::module_& module);
void bind_config(nb::module_& module);
void bind_progress(nb::module_& module);
void bind_logger(nb::module_& module);
void bind_profilers(nb::module_& module);

}  // namespace taffrail::python
