// Made-up training runs that look like real ones: for demonstrations, tests of the dashboard and
// benchmarks.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <string>

namespace taffrail::cli {

struct DemoOptions {
    std::int64_t runs = 12;
    std::int64_t points = 2000;  ///< of each metric
    std::uint64_t seed = 1;
    std::int64_t now_ns = 0;  ///< the newest run ends here; the same options give the same runs
    bool media = true;
};

/// Writes the runs below `root`.
Result<void> generate_demo_runs(const std::string& root, const DemoOptions& options);

}  // namespace taffrail::cli
