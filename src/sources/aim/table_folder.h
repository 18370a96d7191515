// A folder of RocksDB that is at rest, read from its table files without RocksDB itself: several
// times quicker, and where the library is not there.
//
// Only where nothing waits in a log of writes, every file is whole and all of it is known. What is
// told of the tables then is what RocksDB would tell; otherwise nothing is, and it is asked.
#pragma once

#include "codec/sst/table.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::aim {

class TableFolder {
  public:
    static std::optional<TableFolder> open(const std::string& repository,
                                           const std::string& folder);

    /// The tables, any order. Of equal keys the one with the highest sequence counts, unless a
    /// deleted range of a higher one holds it.
    [[nodiscard]] std::vector<sst::Table>& tables() noexcept { return tables_; }

    using Visit = std::function<void(std::string_view key, std::string_view value)>;

    /// What counts of the keys that begin with `prefix`, in order. Gathers all of it first: for
    /// small folders. False where that is too much or something is not known; `visit` was not
    /// called then.
    [[nodiscard]] bool scan(std::string_view prefix, const Visit& visit);

  private:
    std::vector<sst::Table> tables_;
};

}  // namespace taffrail::sources::aim
