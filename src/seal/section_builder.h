// Gathers, row by row, what the index says about a section: summaries, pyramids, which axes rise,
// who logged what.
#pragma once

#include <taffrail/result.h>

#include "codec/parquet/writer.h"
#include "model/pyramid.h"
#include "seal/index.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taffrail::seal {

/// Axes of some rows of one writer, as columns. epoch and samples are empty when no row has one.
struct RowAxes {
    std::span<const std::uint64_t> seq;
    std::span<const std::int64_t> step, time_ns;
    std::span<const double> epoch;
    std::span<const std::int64_t> samples;
    std::span<const std::uint8_t> phase;

    [[nodiscard]] std::size_t rows() const noexcept { return step.size(); }

    [[nodiscard]] RowAxes subspan(std::size_t first, std::size_t count) const;
};

class SectionBuilder {
  public:
    /// One series per entry of `keys`, in the Parquet columns from `first_column` on.
    SectionBuilder(std::vector<std::string> keys, std::uint32_t first_column,
                   std::uint64_t first_row);

    /// columns[i] belongs to the i-th key.
    void add(const RowAxes& axes, std::span<const std::span<const double>> columns,
             std::uint32_t attempt);

    /// Writes the pyramid before the footer and returns the index entry.
    Result<Section> finish(parquet::Writer& writer);

  private:
    template <typename T>
    struct AxisNodes {
        std::vector<T> first, last;
    };

    struct Series {
        SeriesEntry entry;
        model::Pyramid pyramid;
        std::vector<double> last;     ///< of each base node
        std::vector<double> pending;  ///< points of the unfinished node, in no sum yet
    };

    void add_values(Series& series, std::span<const double> values);
    void add_axis(AxisColumnId id, AxisNodes<std::int64_t>& nodes,
                  std::span<const std::int64_t> values, bool may_be_absent);
    void add_axis(AxisColumnId id, AxisNodes<double>& nodes, std::span<const double> values);
    template <typename T>
    void add_axis_value(AxisIndex& axis, AxisNodes<T>& nodes, std::uint64_t row, T value,
                        bool absent, double& before);
    template <typename T>
    Result<void> write_axis(parquet::Writer& writer, AxisIndex& axis, const AxisNodes<T>& nodes);
    Result<void> write_series(parquet::Writer& writer, Series& series);

    Section section_;
    std::vector<Series> series_;
    AxisNodes<std::int64_t> step_, time_, samples_;
    AxisNodes<double> epoch_;
    std::array<double, kAxes> before_{};
};

}  // namespace taffrail::seal
