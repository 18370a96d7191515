// Results of the library as Python values and exceptions.
#pragma once

#include <taffrail/result.h>

#include <nanobind/nanobind.h>

namespace taffrail::python {

namespace nb = nanobind;

/// Makes one exception class for each ErrorCode in `module`: NotFoundError, ClosedError, …; each is
/// an Error, and also what Python itself calls such a failure (LookupError, TimeoutError, …).
void bind_errors(nb::module_& module);

/// Raises the exception of the error's code.
[[noreturn]] void raise(const Error& error);

template <typename T>
T take(Result<T> result) {
    if (!result.ok()) {
        raise(result.error());
    }
    return *std::move(result);
}

inline void take(Result<void> result) {
    if (!result.ok()) {
        raise(result.error());
    }
}

/// A failure of the caller's words, as TypeError or ValueError.
[[noreturn]] void raise_type_error(const std::string& message);
[[noreturn]] void raise_value_error(const std::string& message);

/// The Error that a Python exception, which has just been caught, comes to.
Error error_of(nb::python_error& caught);

}  // namespace taffrail::python
