// Tables, histograms and graphs as the JSON documents of the tracker.
#pragma once

#include <taffrail/value.h>

#include <string>

namespace taffrail::sinks::wandb {

/// {"columns": …, "data": …}; numbers that JSON lacks as the bare words the tracker takes
std::string table_document(const Table& table);
/// {"_type": "histogram", …} with at most 512 bins; neighbours are joined where there are more.
std::string histogram_document(const Histogram& histogram);
/// {"format": "keras", "nodes": …, "edges": …}
std::string graph_document(const Graph& graph);

}  // namespace taffrail::sinks::wandb
