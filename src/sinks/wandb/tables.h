// Tables, histograms and graphs as the JSON documents of the tracker.
#pragma once

#include <taffrail/value.h>

#include <string>

namespace taffrail::sinks::wandb {

/// {"columns": …, "data": …}
std::string table_json(const Table& table);
/// The counts and rates of a precision-recall curve, one threshold a row.
Table table_of(const PrCurve& curve);
/// {"_type": "histogram", …} with at most 512 bins; neighbours are joined where there are more.
std::string histogram_json(const Histogram& histogram);
/// {"format": "keras", "nodes": …, "edges": …}
std::string graph_json(const Graph& graph);

}  // namespace taffrail::sinks::wandb
