// Points as a Parquet file: the columns of the tidy CSV, one row group per series and 128k rows.
#pragma once

#include <taffrail/reader.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::server {

class ParquetExport {
  public:
    /// `write` returns false when nobody reads any more.
    explicit ParquetExport(std::function<bool(std::string_view)> write);
    ~ParquetExport();

    static constexpr std::size_t kGroupRows = 128 * 1024;

    Result<void> add(std::string_view run_id, std::string_view run, std::string_view key,
                     std::span<const Point> points);
    Result<void> finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace taffrail::server
