// A series of a sealed file as a bin segment.
#pragma once

#include "model/axes.h"
#include "model/bin_segment.h"
#include "model/segment_search.h"
#include "seal/sealed_file.h"

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace taffrail::seal {

inline std::int64_t value_at(const PageValues& page, std::size_t row, std::int64_t) {
    return page.integer(row);
}

inline double value_at(const PageValues& page, std::size_t row, double) {
    return page.number(row);
}

template <typename T>
class SealedSegment final : public model::BinSegment {
  public:
    struct Parts {
        std::shared_ptr<SealedFile> file;
        const Section* section = nullptr;
        const SeriesEntry* entry = nullptr;
        AxisColumnId axis = AxisColumnId::Step;
        T origin{};
        std::shared_ptr<AxisLevels<T>> axis_levels;
        std::shared_ptr<ValueLevels> value_levels;
    };

    explicit SealedSegment(Parts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] std::uint64_t points() const override { return parts_.section->rows; }

    [[nodiscard]] double first_x() const override {
        return position(std::bit_cast<T>(axis_index().first_bits));
    }

    [[nodiscard]] double last_x() const override {
        return position(std::bit_cast<T>(axis_index().last_bits));
    }

    Result<void> place(std::span<const model::Boundary> boundaries, std::optional<unsigned> level,
                       std::span<model::Cut> cuts) const override {
        Source source(*this);
        model::SegmentSearch<Source>(source).place(boundaries, level, cuts);
        return source.outcome();
    }

    Result<void> accumulate(std::span<const std::uint64_t> ends,
                            std::span<model::BinStats> stats) const override {
        Source source(*this);
        model::SegmentSearch<Source>(source).accumulate(ends, stats);
        return source.outcome();
    }

    Result<void> copy(std::uint64_t first, std::uint64_t last, std::vector<double>& x,
                      std::vector<double>& value) const override {
        Source source(*this);
        for (std::uint64_t i = first; i < last; ++i) {
            x.push_back(source.point_x(i));
            value.push_back(source.point_value(i));
        }
        return source.outcome();
    }

  private:
    /// One query's view: what SegmentSearch asks for. Remembers the page it stands on and the first
    /// error.
    class Source {
      public:
        explicit Source(const SealedSegment& segment)
            : parts_(segment.parts_),
              segment_(segment),
              read_([this](const BlockPlace& place) { return parts_.file->block(place); }) {}

        [[nodiscard]] std::uint64_t points() const { return parts_.section->rows; }

        [[nodiscard]] unsigned levels() const { return parts_.value_levels->count(); }

        [[nodiscard]] std::uint64_t nodes(unsigned level) const {
            return parts_.value_levels->nodes(level);
        }

        double node_x(unsigned level, std::uint64_t node) {
            return ensure(*parts_.axis_levels, level, node, node + 1)
                       ? segment_.position(parts_.axis_levels->columns(level).first[node])
                       : 0;
        }

        double node_end_x(unsigned level, std::uint64_t node) {
            return ensure(*parts_.axis_levels, level, node, node + 1)
                       ? segment_.position(parts_.axis_levels->columns(level).last[node])
                       : 0;
        }

        double node_last(unsigned level, std::uint64_t node) {
            return ensure(*parts_.value_levels, level, node, node + 1)
                       ? parts_.value_levels->columns(level).last[node]
                       : 0;
        }

        void add_nodes(unsigned level, std::uint64_t first, std::uint64_t last,
                       model::BinStats& stats) {
            if (!ensure(*parts_.value_levels, level, first, last)) {
                return;
            }
            const ValueColumns& columns = parts_.value_levels->columns(level);
            for (std::uint64_t node = first; node < last; ++node) {
                stats.min = std::min(stats.min, columns.min[node]);
                stats.max = std::max(stats.max, columns.max[node]);
                stats.sum += columns.sum[node];
            }
            stats.count += (last - first) * model::node_points(level);
        }

        [[nodiscard]] std::span<const model::SpecialTotals> specials() const {
            return parts_.entry->specials;
        }

        double point_x(std::uint64_t index) {
            return segment_.position(
                find(x_page_, static_cast<std::size_t>(parts_.axis), index, T{}));
        }

        double point_value(std::uint64_t index) {
            return find(value_page_, parts_.entry->column, index, double{});
        }

        [[nodiscard]] Result<void> outcome() const {
            return error_ ? Result<void>(*error_) : Result<void>();
        }

      private:
        struct Page {
            std::shared_ptr<const PageValues> values;
            std::uint64_t first_row = 0, end_row = 0;
        };

        template <typename Levels>
        bool ensure(Levels& levels, unsigned level, std::uint64_t first, std::uint64_t last) {
            auto done = levels.ensure(level, first, last, read_);
            if (!done.ok() && !error_) {
                error_ = std::move(done).error();
            }
            return !error_;
        }

        template <typename V>
        V find(Page& page, std::size_t column, std::uint64_t index, V type) {
            const std::uint64_t row = parts_.section->first_row + index;
            if (row < page.first_row || row >= page.end_row) {
                const auto [number, first_row] = parts_.file->page_of(column, row);
                auto loaded = parts_.file->page(column, number);
                if (!loaded.ok()) {
                    if (!error_) {
                        error_ = std::move(loaded).error();
                    }
                    page = {};
                    return V{};
                }
                page = {*std::move(loaded), first_row, 0};
                page.end_row = first_row + page.values->size();
            }
            return value_at(*page.values, static_cast<std::size_t>(row - page.first_row), type);
        }

        const Parts& parts_;
        const SealedSegment& segment_;
        ReadBlock read_;
        Page x_page_, value_page_;
        std::optional<Error> error_;
    };

    [[nodiscard]] double position(T raw) const { return model::difference(raw, parts_.origin); }

    [[nodiscard]] const AxisIndex& axis_index() const {
        return parts_.section->axes[static_cast<std::size_t>(parts_.axis)];
    }

    Parts parts_;
};

}  // namespace taffrail::seal
