#include "store/series_table.h"

#include "store/series_totals.h"

#include <algorithm>
#include <limits>

namespace taffrail::storage {
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
        table.phase.push_back(axes.phase.empty() ? std::uint8_t{0} : axes.phase[row],
                              table.seq.size());
        table.seq.push_back(axes.seq[row]);
    }
    table.axes->append(
        {gather(axes.step, rows, buffers.step), gather(axes.time_ns, rows, buffers.time_ns),
         gather(axes.epoch, rows, buffers.epoch), gather(axes.samples, rows, buffers.samples)});
}

}  // namespace

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
    std::ranges::stable_sort(kept, {}, [&rows](std::size_t row) { return rows.key[row]; });
    Buffers buffers;
    std::vector<std::size_t> group;
    for (std::size_t begin = 0; begin < kept.size();) {
        const std::uint32_t id = rows.key[kept[begin]];
        group.clear();
        while (begin < kept.size() && rows.key[kept[begin]] == id) {
            group.push_back(kept[begin++]);
        }
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

}  // namespace taffrail::storage
