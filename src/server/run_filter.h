// The run filter language over what the server knows of a run.
#pragma once

#include "query/filter.h"
#include "server/workspace.h"

#include <string_view>

namespace taffrail::server {

class RunFilter {
  public:
    /// Empty text matches everything. Text that does not parse, a name that none of `runs` has, and
    /// a number compared with a text throw ApiError with the place and what to write instead.
    RunFilter(std::string_view text, const RunList& runs);

    [[nodiscard]] bool operator()(const RunDetails& run) const;

  private:
    query::Filter filter_;
};

}  // namespace taffrail::server
