// The sealed rows of one writer in the order of their numbers, out of all files: what a walk over a
// whole run needs.
#pragma once

#include <taffrail/reader.h>

#include "seal/sealed_file.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace taffrail::seal {

/// One row: its axes (value unused) and the keys logged in it, by name. Views live as long as the
/// files.
struct SealedRow {
    Point axes;
    std::vector<std::pair<std::string_view, double>> values;
};

/// One thread at a time. Memory: one chunk of rows a file, and the whole long table.
class SealedRows {
  public:
    SealedRows(const std::vector<std::shared_ptr<SealedFile>>& files, std::uint64_t writer);
    ~SealedRows();

    /// The next row with a number below `end_seq`; false when there is none. Rows and values in
    /// unreadable pages are left out and noted by their file.
    bool next(std::uint64_t end_seq, SealedRow& row);

  private:
    class Stream;
    std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace taffrail::seal
