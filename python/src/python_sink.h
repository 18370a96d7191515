// A sink written in Python, as the library sees it.
#pragma once

#include <taffrail/sink.h>

#include <nanobind/nanobind.h>

#include <memory>

namespace taffrail::python {

namespace nb = nanobind;

/// Wraps an object with open, write, flush, close and accepts. Its methods are called by the thread
/// of the sink's runner with the interpreter lock; exceptions become errors, and the batch comes
/// again.
std::unique_ptr<Sink> make_python_sink(nb::object sink);

/// A record as a tuple, in the order of taffrail.Record.
nb::tuple from_record(const Record& record);
nb::object from_value(const Value& value);

}  // namespace taffrail::python
