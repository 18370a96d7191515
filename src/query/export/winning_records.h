// Which records of a run count, for who reads it in log order.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace taffrail::query {

/// Until which step the scalars of each process win. Made in one pass over the series; holds a few
/// numbers for each of them.
class WinningRecords {
  public:
    static Result<WinningRecords> of(const RecordedRun& run);

    /// Values other than scalars always count.
    [[nodiscard]] bool wins(const Record& record) const;

  private:
    using Process = std::pair<std::int32_t, std::uint32_t>;  ///< rank and attempt

    bool all_win_ = true;
    /// A process that is absent has nothing left.
    std::map<std::string, std::map<Process, Step>, std::less<>> last_;
};

}  // namespace taffrail::query
