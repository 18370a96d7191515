// The results as JSON, the same for the command line, the server and the page.
#pragma once

#include "codec/json_writer.h"
#include "profile/analysis/analysis.h"
#include "profile/analysis/difference.h"
#include "profile/analysis/workers.h"

#include <cstddef>

namespace taffrail::profile::analysis {

/// What to write, and how much of it; 0 rows = all.
struct JsonOptions {
    std::size_t rows = 0;
    std::size_t curve_points = 2000;  ///< of memory; extremes stay
    bool stacks = true;
    bool tables = true;  ///< false: overview only (steps, devices, advice)
};

/// One object each. Times are whole numbers of nanoseconds (`…_ns`), shares 0 to 1.
void write_json(JsonWriter& json, const Analysis& analysis, const JsonOptions& options = {});
void write_json(JsonWriter& json, const Workers& workers);
void write_json(JsonWriter& json, const Difference& difference);

/// Parts of an analysis, for a page that wants one of them.
void write_steps(JsonWriter& json, const Analysis& analysis);
void write_devices(JsonWriter& json, const Analysis& analysis);
void write_advice(JsonWriter& json, const Analysis& analysis);
void write_operators(JsonWriter& json, const Analysis& analysis, const JsonOptions& options);
void write_kernels(JsonWriter& json, const Analysis& analysis, const JsonOptions& options);
void write_memory(JsonWriter& json, const Analysis& analysis, const JsonOptions& options);
void write_modules(JsonWriter& json, const Analysis& analysis);

}  // namespace taffrail::profile::analysis
