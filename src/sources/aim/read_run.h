// A run of a repository, gathered from its two folders and its row.
#pragma once

#include "model/gathered_run.h"

#include <memory>
#include <string>

namespace taffrail::sources::aim {

/// `repository` is a `.aim` folder. Null where the run's folders cannot be opened.
std::shared_ptr<model::GatheredContent> read_run(const std::string& repository,
                                                 const std::string& hash);

}  // namespace taffrail::sources::aim
