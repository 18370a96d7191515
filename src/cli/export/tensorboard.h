// Runs as a logdir: the one export that needs a writer of event files.
#pragma once

#include "query/export/exporters.h"

#include <functional>
#include <string>
#include <string_view>

namespace taffrail::cli {

/// A logdir run below `folder` for each run, none of which may be there yet. What event files have
/// no place for is said by `warn`, with its number.
Result<void> export_tensorboard(const query::ExportRequest& request, const std::string& folder,
                                const std::function<void(std::string_view)>& warn);

}  // namespace taffrail::cli
