// Made-up training runs that look like real ones: for demonstrations, tests of the dashboard and
// benchmarks.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <string>

namespace taffrail::cli {

enum class DemoScene : std::uint8_t {
    Training,  ///< runs as people have them: every kind of record, ranks, attempts, failures
    Sweep,     ///< plain series in any number
    Pictures,  ///< one run with `points` pictures
    Meshes,    ///< one run with a cloud of `points` points and 39 meshes
};

struct DemoOptions {
    std::int64_t runs = 12;
    std::int64_t points = 2000;  ///< of each metric
    std::uint64_t seed = 1;
    std::int64_t now_ns = 0;  ///< the newest run ends here; the same options give the same runs
    bool media = true;
    bool seal = true;  ///< what ended, as a real run does when it ends
    DemoScene scene = DemoScene::Training;
    std::int64_t tags = 4;  ///< series of a run of the sweep
};

/// Writes the runs below `root`.
Result<void> generate_demo_runs(const std::string& root, const DemoOptions& options);

}  // namespace taffrail::cli
