// The data pages of one column of a row group, encoded as their rows come. A column stands in one
// piece in the file, so a row group waits in memory: as pages it takes a third of the room, and its
// numbers are still in the cache when their turn comes.
#pragma once

#include "codec/parquet/format.h"
#include "codec/parquet/page.h"

#include <cstddef>
#include <vector>

namespace taffrail::parquet {

class ColumnPages {
  public:
    struct Page {
        Bytes bytes;
        PageResult result;
        std::size_t rows = 0;
    };

    /// Encodes `rows` values as the next page. Texts become plain pages, without a dictionary.
    void add(const Column& column, const ColumnValues& values, std::size_t rows, Profile profile);
    void clear();

    [[nodiscard]] const std::vector<Page>& pages() const noexcept { return pages_; }

    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  private:
    std::vector<Page> pages_;
    std::size_t bytes_ = 0;
};

}  // namespace taffrail::parquet
