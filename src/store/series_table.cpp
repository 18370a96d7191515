#include "store/series_table.h"

#include "store/series_totals.h"

#include <algorithm>
#include <limits>

namespace taffrail::store {
namespace {

// Rows of a section in the order of their numbers, hidden ones left out.
void visible_rows(const tlog::Axes& axes, std::vector<std::size_t>& out) {
    out.clear();
    for (std::size_t row = 0; row < axes.rows(); ++row) {
        if (axes.route.empty() || (axes.route[row] & tlog::kHidden) == 0) {
            out.push_back(row);
        }
    }
    auto seq_of = [&axes](std::size_t row) { return axes.seq[row]; };
    if (!std::ranges::is_sorted(out, {}, seq_of)) {
        std::ranges::stable_sort(out, {}, seq_of);
    }
}

template <typename T>
std::span<const T> gather(std::span<const T> from, const std::vector<std::size_t>& rows,
                          std::vector<T>& buffer) {
    buffer.clear();
    if (!from.empty()) {
        for (const std::size_t row : rows) {
            buffer.push_back(from[row]);
        }
    }
    return buffer;
}

struct Buffers {
    std::vector<std::int64_t> step, time_ns, samples;
    std::vector<double> epoch, values;
};

void append_axes(SeriesTable& table, const tlog::Axes& axes, const std::vector<std::size_t>& rows,
                 Buffers& buffers) {
    for (const std::size_t row : rows) {
        table.phase.push_back(
            axes.phase.empty() ? Phase::None : static_cast<Phase>(axes.phase[row]),
            table.seq.size());
        table.seq.push_back(axes.seq[row]);
    }
    table.axes->append(
        {gather(axes.step, rows, buffers.step), gather(axes.time_ns, rows, buffers.time_ns),
         gather(axes.epoch, rows, buffers.epoch), gather(axes.samples, rows, buffers.samples)});
}

/// Views of the columns: a few pointers and the newest rows of each.
class LiveRows final : public model::RowSource {
  public:
    LiveRows(const SeriesPiece& piece, const tlog::FileIdentity& identity)
        : rows_(piece.series->points()),
          attempt_(identity.attempt),
          rank_(identity.rank),
          writer_(identity.writer),
          step_(piece.table->axes->step().values.view()),
          time_(piece.table->axes->time().values.view()),
          samples_(piece.table->axes->samples().values.view()),
          epoch_(piece.table->axes->epoch().values.view()),
          value_(piece.series->values().view()),
          seq_(piece.table->seq.view()),
          phase_(piece.table->phase) {
        const model::AxisTable& axes = *piece.table->axes;
        rising_[0] = axes.step().rising;
        rising_[1] = axes.time().rising;
        rising_[2] = axes.epoch().rising && !axes.epoch().values.empty();
        rising_[3] = axes.samples().rising && !axes.samples().values.empty();
    }

    [[nodiscard]] std::uint64_t rows() const override { return rows_; }

    [[nodiscard]] bool is_rising(Axis axis) const override {
        switch (axis) {
            case Axis::Steps:
                return rising_[0];
            case Axis::Epoch:
                return rising_[2];
            case Axis::Samples:
                return rising_[3];
            case Axis::Metric:
                return false;
            default:
                return rising_[1];
        }
    }

    void read(std::uint64_t first, std::uint64_t count, model::ChunkBuilder& to,
              std::vector<Damage>& /*damage*/) override {
        const auto rows = static_cast<std::size_t>(count);
        const auto copy = [&]<typename T>(Column column,
                                          const typename model::PackedColumn<T>::View& view,
                                          T absent) {
            if (const std::span<T> room = to.next<T>(column); room.empty()) {
                return;
            } else if (view.size() == 0) {
                std::fill_n(room.begin(), rows, absent);
            } else {
                view.copy(static_cast<std::size_t>(first), rows, room.data());
            }
        };
        copy.operator()<std::int64_t>(Column::Step, step_, 0);
        copy.operator()<std::int64_t>(Column::Time, time_, 0);
        copy.operator()<std::int64_t>(Column::Samples, samples_, INT64_MIN);
        copy.operator()<double>(Column::Epoch, epoch_, std::numeric_limits<double>::quiet_NaN());
        copy.operator()<double>(Column::Value, value_, 0);
        copy.operator()<std::uint64_t>(Column::Seq, seq_, 0);
        const auto fill = [&]<typename T>(Column column, T value) {
            if (const std::span<T> room = to.next<T>(column); !room.empty()) {
                std::fill_n(room.begin(), rows, value);
            }
        };
        fill(Column::Rank, rank_);
        fill(Column::Attempt, attempt_);
        fill(Column::Writer, writer_);
        if (const std::span<Phase> room = to.next<Phase>(Column::Phase); !room.empty()) {
            phase_.copy(static_cast<std::size_t>(first), rows, room.data());
        }
        to.grow(rows);
    }

  private:
    const std::uint64_t rows_;
    const std::uint32_t attempt_;
    const std::int32_t rank_;
    const std::uint64_t writer_;
    const model::PackedColumn<std::int64_t>::View step_, time_, samples_;
    const model::PackedColumn<double>::View epoch_, value_;
    const model::PackedColumn<std::uint64_t>::View seq_;
    const PhaseRuns phase_;
    bool rising_[4] = {};
};

}  // namespace

void PhaseRuns::copy(std::size_t first, std::size_t count, Phase* to) const {
    auto run = std::ranges::upper_bound(runs_, first, {}, &Run::first_row);
    Phase phase = run == runs_.begin() ? Phase::None : std::prev(run)->phase;
    for (std::size_t row = first; row < first + count; ++row) {
        if (run != runs_.end() && run->first_row == row) {
            phase = (run++)->phase;
        }
        *to++ = phase;
    }
}

std::unique_ptr<model::RowSource> rows_of(const SeriesPiece& piece,
                                          const tlog::FileIdentity& identity) {
    return std::make_unique<LiveRows>(piece, identity);
}

void WriterTables::add(const tlog::Batch& batch, const LogState& state) {
    for (const tlog::WideRows& rows : batch.wide) {
        add_wide(rows, state);
    }
    for (const tlog::LongRows& rows : batch.long_rows) {
        add_long(rows, state);
    }
}

void WriterTables::add_wide(const tlog::WideRows& rows, const LogState& state) {
    const auto* members = state.schema(rows.schema);
    if (members == nullptr || members->size() != rows.columns.size()) {
        return;
    }
    std::unique_ptr<SeriesTable>& table = wide_[rows.schema];
    if (table == nullptr) {
        table = std::make_unique<SeriesTable>();
        for (const std::uint32_t id : *members) {
            const LogState::Key* key = state.key(id);
            table->keys.push_back(key != nullptr ? key->name : std::string());
            table->columns.push_back(std::make_unique<model::SeriesIndex>(table->axes));
            if (key != nullptr) {
                by_key_.emplace(key->name, SeriesPiece{table.get(), table->columns.back().get()});
            }
        }
    }
    std::vector<std::size_t> kept;
    visible_rows(rows.axes, kept);
    Buffers buffers;
    append_axes(*table, rows.axes, kept, buffers);
    for (std::size_t column = 0; column < rows.columns.size(); ++column) {
        table->columns[column]->append_values(gather(rows.columns[column], kept, buffers.values));
    }
    points_ += kept.size() * rows.columns.size();
}

SeriesTable& WriterTables::lone_table(std::uint32_t key, const std::string& name) {
    std::unique_ptr<SeriesTable>& table = lone_[key];
    if (table == nullptr) {
        table = std::make_unique<SeriesTable>();
        table->keys = {name};
        table->columns.push_back(std::make_unique<model::SeriesIndex>(table->axes));
        by_key_.emplace(name, SeriesPiece{table.get(), table->columns.back().get()});
    }
    return *table;
}

void WriterTables::add_long(const tlog::LongRows& rows, const LogState& state) {
    std::vector<std::size_t> kept;
    visible_rows(rows.axes, kept);
    // Keys of single calls take turns; each has a table of its own, which wants its rows together.
    std::ranges::stable_sort(kept, {}, [&rows](std::size_t row) { return rows.key[row]; });
    Buffers buffers;
    std::vector<std::size_t> group;
    for (std::size_t begin = 0; begin < kept.size();) {
        const std::uint32_t id = rows.key[kept[begin]];
        group.clear();
        while (begin < kept.size() && rows.key[kept[begin]] == id) {
            group.push_back(kept[begin++]);
        }
        // Damage took the definition: nobody could ask for these rows.
        const LogState::Key* key = state.key(id);
        if (key == nullptr) {
            continue;
        }
        SeriesTable& table = lone_table(id, key->name);
        append_axes(table, rows.axes, group, buffers);
        table.columns[0]->append_values(gather(rows.value, group, buffers.values));
        points_ += group.size();
    }
}

std::vector<SeriesPiece> WriterTables::pieces(std::string_view key) const {
    std::vector<SeriesPiece> found;
    for (auto [at, end] = by_key_.equal_range(key); at != end; ++at) {
        if (at->second.series->points() > 0) {
            found.push_back(at->second);
        }
    }
    return found;
}

}  // namespace taffrail::store
