// Made-up runs for measuring: many runs with many plain series, thousands of pictures, dozens of
// meshes.
#pragma once

#include "cli/demo_data.h"

namespace taffrail::cli::demo {

/// `options.tags` series of `options.points` points in each of `options.runs` runs. The learning
/// rate drives the losses; nothing else does.
Result<void> write_sweep(const std::string& root, const DemoOptions& options);

/// One run with `options.points` pictures, each showing its number.
Result<void> write_pictures(const std::string& root, const DemoOptions& options);

/// One run with a cloud of `options.points` points, a cube and 38 spheres.
Result<void> write_meshes(const std::string& root, const DemoOptions& options);

}  // namespace taffrail::cli::demo
