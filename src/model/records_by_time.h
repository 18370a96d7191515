// The log of a run whose source keeps it key by key: what was logged at one time and step stands
// together again, so that a tracker that is given the run makes one row of it.
#pragma once

#include <taffrail/reader.h>

#include <functional>

namespace taffrail::model {

/// Every record of every key. Those of a key come in the order that its points and entries have;
/// among keys, attempt by attempt, the earlier time first, then the lower step. What the
/// cursors of all series hold is in memory at once, and the entries.
Result<void> visit_by_time(const RecordedRun& run, const std::function<bool(const Record&)>& visit);

}  // namespace taffrail::model
