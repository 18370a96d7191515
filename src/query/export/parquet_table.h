// The table of points as a Parquet file.
#pragma once

#include "codec/parquet/writer.h"
#include "query/export/point_table.h"

namespace taffrail::query {

/// A row group per series and 64k rows.
class ParquetTable final : public PointTable {
  public:
    explicit ParquetTable(ExportOutput output);

    Result<void> add(const ExportedRun& run, std::string_view key,
                     std::span<const Point> points) override;

    Result<void> finish() override { return writer_.finish(); }

  private:
    parquet::Writer writer_;
};

}  // namespace taffrail::query
