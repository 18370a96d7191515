// A series as a stream of Arrow record batches, by Arrow's C data interface: no copy, no library.
#pragma once

#include <taffrail/read.h>

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace taffrail::python {

namespace nb = nanobind;

struct SeriesObject {
    std::string key = {};
    Columns columns = {};
    std::vector<Chunk> chunks = {};
    std::size_t rows = 0;
    std::vector<Damage> damage = {};
};

const char* column_name(Column column) noexcept;

/// Capsules as the PyCapsule protocol of Arrow wants them. They own what they show; the series may
/// go.
nb::object arrow_stream(const SeriesObject& series);
nb::object arrow_schema(const SeriesObject& series);

}  // namespace taffrail::python
