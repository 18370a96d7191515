// The points of metrics as Aim keeps them: four columns each, whose cells are found by a place, the
// hash of the step (in old repositories the step itself).
#pragma once

#include "rocksdb/store.h"
#include "sources/aim/table_folder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::sources::aim {

template <typename T>
struct Spot {
    std::uint64_t at = 0;
    T held{};
    std::uint64_t sequence = 0;  ///< while tables are joined
};

/// Cells in the order of their places.
struct MetricColumns {
    std::vector<Spot<double>> value, time, epoch;
    std::vector<Spot<std::int64_t>> step;
};

/// By context and name.
using Metrics = std::map<std::pair<std::int64_t, std::string>, MetricColumns>;

/// All metrics of a run whose folder is at rest; nothing where RocksDB must be asked.
std::optional<Metrics> read_metrics(TableFolder& folder, const std::string& hash);

/// One metric, whose columns stand below `base`. What was read before a failure stays in `to`.
Result<void> read_columns(rocksdb::Store& store, const std::string& base, MetricColumns& to);

}  // namespace taffrail::sources::aim
