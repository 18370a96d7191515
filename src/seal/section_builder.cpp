#include "seal/section_builder.h"

#include "base/crc32c.h"
#include "base/try.h"
#include "model/bin_stats.h"
#include "model/series_summary.h"
#include "seal/level_blocks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace taffrail::seal {
namespace {

using model::kBaseFanOut;
using model::node_points;

template <typename T>
std::span<T> part(std::span<T> all, std::size_t first, std::size_t count) {
    return all.empty() ? all : all.subspan(first, count);
}

Result<BlockPlace> write_block(parquet::Writer& writer, const Bytes& bytes) {
    TAFFRAIL_ASSIGN(const std::uint64_t offset, writer.write_foreign(bytes));
    return BlockPlace{offset, static_cast<std::uint32_t>(bytes.size()), crc32c(bytes)};
}

}  // namespace

RowAxes RowAxes::subspan(std::size_t first, std::size_t count) const {
    return {part(seq, first, count),   part(step, first, count),    part(time_ns, first, count),
            part(epoch, first, count), part(samples, first, count), part(phase, first, count)};
}

SectionBuilder::SectionBuilder(std::vector<std::string> keys, std::uint32_t first_column,
                               std::uint64_t first_row) {
    section_.first_row = first_row;
    for (AxisIndex& axis : section_.axes) {
        axis.rising = true;
    }
    before_.fill(-std::numeric_limits<double>::infinity());
    for (std::string& key : keys) {
        Series& series = series_.emplace_back();
        series.entry.key = std::move(key);
        series.entry.column = first_column++;
    }
}

template <typename T>
void SectionBuilder::add_axis_value(AxisIndex& axis, AxisNodes<T>& nodes, std::uint64_t row,
                                    T value, bool absent, double& before) {
    const auto position = static_cast<double>(value);
    // A zoom finds its place by bisection, and a series without a place in one row, or with a step
    // back, cannot be searched that way: one such row ends it for the section.
    axis.present = axis.present || !absent;
    axis.rising = axis.rising && !absent && position >= before && std::isfinite(position);
    before = position;
    if (row == 0) {
        axis.first_bits = std::bit_cast<std::uint64_t>(value);
    }
    axis.last_bits = std::bit_cast<std::uint64_t>(value);
    if (row % kBaseFanOut == 0) {
        nodes.first.push_back(value);
    } else if (row % kBaseFanOut == kBaseFanOut - 1) {
        nodes.last.push_back(value);
    }
}

void SectionBuilder::add_axis(AxisColumnId id, AxisNodes<std::int64_t>& nodes,
                              std::span<const std::int64_t> values, bool may_be_absent) {
    const auto at = static_cast<std::size_t>(id);
    for (std::size_t i = 0; i < values.size(); ++i) {
        add_axis_value(section_.axes[at], nodes, section_.rows + i, values[i],
                       may_be_absent && values[i] == INT64_MIN, before_[at]);
    }
}

void SectionBuilder::add_axis(AxisColumnId id, AxisNodes<double>& nodes,
                              std::span<const double> values) {
    const auto at = static_cast<std::size_t>(id);
    for (std::size_t i = 0; i < values.size(); ++i) {
        add_axis_value(section_.axes[at], nodes, section_.rows + i, values[i],
                       std::isnan(values[i]), before_[at]);
    }
}

void SectionBuilder::add_values(Series& series, std::span<const double> values) {
    SeriesSummary& summary = series.entry.summary;
    std::size_t at = 0;
    // Whole nodes only: each is added up once, for the pyramid and for the summary, and sums do not
    // depend on how the rows were handed over. What is left waits for the next ones.
    const auto add_block = [&](std::span<const double, kBaseFanOut> block) {
        model::add_values(summary, block, series.pyramid.add_block(block));
        series.last.push_back(block.back());
    };
    if (!series.pending.empty()) {
        at = std::min<std::size_t>(kBaseFanOut - series.pending.size(), values.size());
        series.pending.insert(series.pending.end(), values.begin(),
                              values.begin() + static_cast<std::ptrdiff_t>(at));
        if (series.pending.size() < kBaseFanOut) {
            return;
        }
        add_block(std::span(series.pending).first<kBaseFanOut>());
        series.pending.clear();
    }
    for (; values.size() - at >= kBaseFanOut; at += kBaseFanOut) {
        add_block(values.subspan(at).first<kBaseFanOut>());
    }
    series.pending.assign(values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
}

void SectionBuilder::add(const RowAxes& axes, std::span<const std::span<const double>> columns,
                         std::uint32_t attempt) {
    if (axes.rows() == 0) {
        return;
    }
    add_axis(AxisColumnId::Step, step_, axes.step, false);
    add_axis(AxisColumnId::Time, time_, axes.time_ns, false);
    if (axes.epoch.empty()) {
        section_.axes[static_cast<std::size_t>(AxisColumnId::Epoch)].rising = false;
    }
    if (axes.samples.empty()) {
        section_.axes[static_cast<std::size_t>(AxisColumnId::Samples)].rising = false;
    }
    add_axis(AxisColumnId::Epoch, epoch_, axes.epoch);
    add_axis(AxisColumnId::Samples, samples_, axes.samples, true);
    const auto [low, high] = std::minmax_element(axes.step.begin(), axes.step.end());
    if (section_.attempts.empty() || section_.attempts.back().attempt != attempt) {
        section_.attempts.push_back({attempt, *low, *high});
    } else {
        AttemptRange& range = section_.attempts.back();
        range.first_step = std::min(range.first_step, *low);
        range.last_step = std::max(range.last_step, *high);
    }
    for (std::size_t i = 0; i < series_.size(); ++i) {
        SeriesSummary& summary = series_[i].entry.summary;
        if (section_.rows == 0) {  // the summary counts a node at a time
            summary.first_step = *low;
            summary.last_step = *high;
            summary.first_time_ns = axes.time_ns.front();
        }
        summary.first_step = std::min(summary.first_step, *low);
        summary.last_step = std::max(summary.last_step, *high);
        summary.last_time_ns = axes.time_ns.back();
        add_values(series_[i], columns[i]);
    }
    section_.rows += axes.rows();
}

template <typename T>
Result<void> SectionBuilder::write_axis(parquet::Writer& writer, AxisIndex& axis,
                                        const AxisNodes<T>& nodes) {
    if (!axis.rising) {
        return {};
    }
    for (unsigned level = 0; level < stored_levels(section_.rows); ++level) {
        const std::uint64_t stride = node_points(level) / kBaseFanOut,
                            count = section_.rows / node_points(level);
        auto& blocks = axis.levels.emplace_back();
        for (std::uint64_t start = 0; start < count; start += kBlockNodes) {
            std::vector<T> first, last;
            for (std::uint64_t node = start; node < std::min(count, start + kBlockNodes); ++node) {
                first.push_back(nodes.first[node * stride]);
                last.push_back(nodes.last[(node + 1) * stride - 1]);
            }
            TAFFRAIL_ASSIGN(const BlockPlace place,
                            write_block(writer, encode_axis_nodes(std::span<const T>(first),
                                                                  std::span<const T>(last))));
            blocks.push_back(place);
        }
    }
    return {};
}

Result<void> SectionBuilder::write_series(parquet::Writer& writer, Series& series) {
    SeriesEntry& entry = series.entry;
    model::add_values(entry.summary, series.pending);
    if (stored_levels(section_.rows) == 0) {
        return {};
    }
    entry.specials = series.pyramid.specials();
    for (unsigned level = 0; level < stored_levels(section_.rows); ++level) {
        const model::PyramidLevel& nodes = series.pyramid.levels()[level];
        const std::uint64_t stride = node_points(level) / kBaseFanOut;
        auto& blocks = entry.levels.emplace_back();
        for (std::uint64_t start = 0; start < nodes.nodes(); start += kBlockNodes) {
            const std::uint64_t count = std::min(kBlockNodes, nodes.nodes() - start);
            std::vector<double> last;
            for (std::uint64_t node = start; node < start + count; ++node) {
                last.push_back(series.last[(node + 1) * stride - 1]);
            }
            TAFFRAIL_ASSIGN(
                const BlockPlace place,
                write_block(writer, encode_value_nodes({std::span(nodes.min).subspan(start, count),
                                                        std::span(nodes.max).subspan(start, count),
                                                        std::span(nodes.sum).subspan(start, count),
                                                        last})));
            blocks.push_back(place);
        }
    }
    return {};
}

Result<Section> SectionBuilder::finish(parquet::Writer& writer) {
    TAFFRAIL_TRY(write_axis(writer, section_.axes[0], step_));
    TAFFRAIL_TRY(write_axis(writer, section_.axes[1], time_));
    TAFFRAIL_TRY(write_axis(writer, section_.axes[2], epoch_));
    TAFFRAIL_TRY(write_axis(writer, section_.axes[3], samples_));
    for (Series& series : series_) {
        TAFFRAIL_TRY(write_series(writer, series));
        section_.series.push_back(std::move(series.entry));
    }
    return std::move(section_);
}

}  // namespace taffrail::seal
