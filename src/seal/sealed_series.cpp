#include "seal/sealed_series.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace taffrail::seal {
namespace {

constexpr std::size_t kStep = 0, kTime = 1, kEpoch = 2, kSamples = 3, kSeq = 5;

class SealedSeries final : public model::RowSource {
  public:
    SealedSeries(std::shared_ptr<SealedFile> file, const SeriesPlace& place)
        : file_(std::move(file)),
          section_(file_->index().sections[place.section]),
          value_column_(section_.series[place.series].column) {}

    [[nodiscard]] std::uint64_t rows() const override { return section_.rows; }

    [[nodiscard]] bool is_rising(Axis axis) const override {
        const auto rises = [&](AxisColumnId id) {
            return section_.axes[static_cast<std::size_t>(id)].rising;
        };
        switch (axis) {
            case Axis::Steps:
                return rises(AxisColumnId::Step);
            case Axis::Epoch:
                return rises(AxisColumnId::Epoch);
            case Axis::Samples:
                return rises(AxisColumnId::Samples);
            case Axis::Metric:
                return false;
            default:
                return rises(AxisColumnId::Time);
        }
    }

    // A step, a time, a row number or a value that cannot be read costs the row, where it is asked
    // for; an epoch or a sample count only itself.
    void read(std::uint64_t first, std::uint64_t count, model::ChunkBuilder& to,
              std::vector<Damage>& damage) override {
        const std::uint64_t first_row = section_.first_row + first;
        const auto rows = static_cast<std::size_t>(count);
        const std::size_t before = to.rows();
        lost_.clear();
        copy<std::int64_t>(Column::Step, kStep, first_row, rows, to, damage);
        copy<std::int64_t>(Column::Time, kTime, first_row, rows, to, damage);
        copy<double>(Column::Value, value_column_, first_row, rows, to, damage);
        copy<std::uint64_t>(Column::Seq, kSeq, first_row, rows, to, damage);
        copy<double>(Column::Epoch, kEpoch, first_row, rows, to, damage,
                     std::numeric_limits<double>::quiet_NaN());
        copy<std::int64_t>(Column::Samples, kSamples, first_row, rows, to, damage,
                           std::int64_t{INT64_MIN});
        fill_writers(first_row, rows, to);
        fill_phases(first_row, rows, to);
        to.grow(rows);
        if (!lost_.empty()) {
            to.keep(before, lost_);
        }
    }

  private:
    struct Page {
        std::size_t number = SIZE_MAX;
        std::uint64_t first_row = 0, end_row = 0;
        bool readable = false;
        parquet::DecodedColumn values;
    };

    /// Absent values are `absent`; without one the column is one that every row has.
    template <typename T>
    void copy(Column column, std::size_t file_column, std::uint64_t first_row, std::size_t rows,
              model::ChunkBuilder& to, std::vector<Damage>& damage,
              std::optional<T> absent = std::nullopt) {
        const std::span<T> room = to.next<T>(column);
        if (room.empty()) {
            return;
        }
        for (std::size_t done = 0; done < rows;) {
            const std::uint64_t row = first_row + done;
            const Page& page = find(file_column, row, damage);
            const auto count =
                static_cast<std::size_t>(std::min<std::uint64_t>(rows - done, page.end_row - row));
            const auto in_page = static_cast<std::size_t>(row - page.first_row);
            if (!page.readable) {
                std::fill_n(room.begin() + static_cast<std::ptrdiff_t>(done), count,
                            absent.value_or(T{}));
                if (!absent) {
                    lost_.resize(rows, 1);
                    std::fill_n(lost_.begin() + static_cast<std::ptrdiff_t>(done), count, 0);
                }
            } else {
                take(page.values, in_page, count, room.data() + done);
                for (std::size_t i = 0; absent && i < count; ++i) {
                    if (page.values.valid[in_page + i] == 0) {
                        room[done + i] = *absent;
                    }
                }
            }
            done += count;
        }
    }

    template <typename T>
    static void take(const parquet::DecodedColumn& values, std::size_t first, std::size_t count,
                     T* to) {
        if constexpr (std::is_same_v<T, double>) {
            std::copy_n(values.doubles.begin() + static_cast<std::ptrdiff_t>(first), count, to);
        } else {
            std::copy_n(values.int64s.begin() + static_cast<std::ptrdiff_t>(first), count, to);
        }
    }

    const Page& find(std::size_t column, std::uint64_t row, std::vector<Damage>& damage) {
        Page& page = pages_[column];
        if (row >= page.first_row && row < page.end_row) {
            return page;
        }
        const auto [number, first_row] = file_->page_of(column, row);
        page.number = number;
        page.first_row = first_row;
        page.end_row = first_row + file_->index().pages[column][number].rows;
        const auto decoded = file_->decode(column, number, page.values);
        page.readable = decoded.ok();
        if (!decoded.ok()) {
            damage.push_back(file_->note_page(column, number, decoded.error().message));
        }
        return page;
    }

    void fill_writers(std::uint64_t first_row, std::size_t rows, model::ChunkBuilder& to) const {
        const auto writer = to.next<std::uint64_t>(Column::Writer);
        const auto attempt = to.next<std::uint32_t>(Column::Attempt);
        const auto rank = to.next<std::int32_t>(Column::Rank);
        if (writer.empty() && attempt.empty() && rank.empty()) {
            return;
        }
        const std::vector<WriterSpan>& spans = file_->index().writers;
        auto span = std::ranges::upper_bound(spans, first_row, {}, &WriterSpan::first_row);
        for (std::size_t done = 0; done < rows;) {
            const WriterSpan& who = *std::prev(span);
            const std::uint64_t end = who.first_row + who.rows;
            const auto count = static_cast<std::size_t>(
                std::min<std::uint64_t>(rows - done, end - (first_row + done)));
            const auto at = static_cast<std::ptrdiff_t>(done);
            if (!writer.empty()) {
                std::fill_n(writer.begin() + at, count, who.writer);
            }
            if (!attempt.empty()) {
                std::fill_n(attempt.begin() + at, count, who.attempt);
            }
            if (!rank.empty()) {
                std::fill_n(rank.begin() + at, count, who.rank);
            }
            done += count;
            ++span;
        }
    }

    void fill_phases(std::uint64_t first_row, std::size_t rows, model::ChunkBuilder& to) {
        const auto phase = to.next<Phase>(Column::Phase);
        if (phase.empty()) {
            return;
        }
        if (phase_ends_.empty()) {
            std::uint64_t row = 0;
            for (const PhaseSpan& span : file_->index().phases) {
                phase_ends_.push_back(row += span.rows);
            }
        }
        auto span = std::ranges::upper_bound(phase_ends_, first_row);
        for (std::size_t done = 0; done < rows;) {
            const auto count = static_cast<std::size_t>(
                std::min<std::uint64_t>(rows - done, *span - (first_row + done)));
            std::fill_n(
                phase.begin() + static_cast<std::ptrdiff_t>(done), count,
                file_->index().phases[static_cast<std::size_t>(span - phase_ends_.begin())].phase);
            done += count;
            ++span;
        }
    }

    const std::shared_ptr<SealedFile> file_;
    const Section& section_;
    const std::size_t value_column_;
    std::map<std::size_t, Page> pages_;
    std::vector<std::uint64_t> phase_ends_;
    std::vector<std::uint8_t> lost_;  ///< 0 where a row is; empty = none
};

}  // namespace

std::unique_ptr<model::RowSource> make_rows(std::shared_ptr<SealedFile> file,
                                            const SeriesPlace& place) {
    return std::make_unique<SealedSeries>(std::move(file), place);
}

std::vector<std::size_t> file_columns(const SealedFile& file, const SeriesPlace& place,
                                      Columns columns) {
    std::vector<std::size_t> found;
    const auto take = [&](Column column, std::size_t number) {
        if (columns.contains(column)) {
            found.push_back(number);
        }
    };
    take(Column::Step, kStep);
    take(Column::Time, kTime);
    take(Column::Epoch, kEpoch);
    take(Column::Samples, kSamples);
    take(Column::Seq, kSeq);
    take(Column::Value, file.index().sections[place.section].series[place.series].column);
    return found;
}

}  // namespace taffrail::seal
