#include "seal/scalar_sorter.h"

#include "base/names.h"
#include "base/sha256.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace taffrail::seal {
namespace {

/// "train-1f0c…": the part of the names before their last slash that all keys share, and a digest
/// of the keys.
std::string label_of(std::span<const std::string> keys) {
    Bytes all;
    for (const std::string& key : keys) {
        append_text(all, key);
    }
    const std::string& first = keys.front();
    std::size_t shared = first.size();
    for (const std::string& key : keys) {
        shared = std::min<std::size_t>(
            shared, static_cast<std::size_t>(
                        std::mismatch(first.begin(), first.end(), key.begin(), key.end()).first -
                        first.begin()));
    }
    std::string label =
        folder_safe(keys.size() == 1 ? first : first.substr(0, first.substr(0, shared).rfind('/')));
    if (label.empty() ||
        (keys.size() > 1 && first.substr(0, shared).find('/') == std::string::npos)) {
        label = "rows";
    }
    return label.substr(0, 24) + "-" + to_hex(sha256(all)).substr(0, 12);
}

/// What one row takes in a RowBuffer.
std::size_t row_bytes(std::size_t keys) {
    return 4 * sizeof(std::int64_t) + sizeof(double) + 1 + keys * sizeof(double);
}

template <typename T>
void append_rows(std::vector<T>& to, std::span<const T> from, std::span<const std::uint32_t> rows,
                 T absent) {
    if (from.empty()) {
        to.resize(to.size() + rows.size(), absent);
        return;
    }
    if (rows.size() == from.size()) {  // all of them, which is the rule
        to.insert(to.end(), from.begin(), from.end());
        return;
    }
    for (const std::uint32_t row : rows) {
        to.push_back(from[row]);
    }
}

}  // namespace

ScalarSorter::ScalarSorter(std::string folder, std::string run_id, std::string name_suffix,
                           TableOptions options)
    : folder_(std::move(folder)),
      run_id_(std::move(run_id)),
      name_suffix_(std::move(name_suffix)),
      options_(options) {}

std::string ScalarSorter::path_of(const std::string& name) const {
    return folder_ + "/." + name + "." + std::to_string(random_u64()) + ".tmp";
}

Result<void> ScalarSorter::add(const RowWriter& writer, const std::vector<std::string_view>& keys,
                               const tlog::Axes& axes,
                               std::span<const std::span<const double>> columns,
                               std::span<const std::uint32_t> rows) {
    if (rows.empty()) {
        return {};
    }
    // Writers may name the same keys in another order: the sorted set is the group.
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    std::vector<std::string> sorted;
    for (const std::size_t i : order) {
        sorted.emplace_back(keys[i]);
    }
    Group& group = groups_[sorted];
    if (group.keys.empty()) {
        group.keys = sorted;
    }
    RowBuffer& buffer = group.buffer;
    points_ += rows.size() * sorted.size();
    const std::size_t all = axes.step.size();
    const bool whole = rows.size() == all && axes.seq.size() == all && axes.time_ns.size() == all;
    if (whole && buffer.rows() == 0 && !group.tables.empty()) {
        // Its file is open and nothing waits: no copy in between.
        std::vector<std::span<const double>> in_order;
        for (const std::size_t i : order) {
            in_order.push_back(columns[i]);
        }
        TAFFRAIL_TRY(add_to_tables(
            group, writer,
            {axes.seq, axes.step, axes.time_ns, axes.epoch, axes.samples, axes.phase}, in_order));
        return keep_tables_small();
    }
    buffer.columns.resize(sorted.size());
    buffer.note_writer(writer);
    append_rows(buffer.seq, axes.seq, rows, std::uint64_t{0});
    append_rows(buffer.step, axes.step, rows, std::int64_t{0});
    append_rows(buffer.time_ns, axes.time_ns, rows, std::int64_t{0});
    append_rows(buffer.epoch, axes.epoch, rows, std::nan(""));
    append_rows(buffer.samples, axes.samples, rows, std::int64_t{INT64_MIN});
    append_rows(buffer.phase, axes.phase, rows, std::uint8_t{0});
    for (std::size_t i = 0; i < order.size(); ++i) {
        append_rows(buffer.columns[i], columns[order[i]], rows, 0.0);
    }
    waiting_bytes_ += rows.size() * row_bytes(sorted.size());
    const bool may_stream = !group.tables.empty() || tables_ < kMaxTables;
    const bool worth_it =
        buffer.rows() >= kStreamRows ||
        (is_worth_a_file(group) && buffer.rows() * row_bytes(sorted.size()) >= kStreamBytes);
    if (may_stream && worth_it) {
        TAFFRAIL_TRY(drain(group));
    }
    return keep_memory_small();
}

bool ScalarSorter::is_worth_a_file(const Group& group) {
    return group.keys.size() > 1 && group.buffer.rows() >= kWideRows;
}

Result<void> ScalarSorter::keep_memory_small() {
    if (waiting_bytes_ > kWaitingBytes) {
        for (Group* group : streaming_) {
            if (group->buffer.rows() > 0) {
                TAFFRAIL_TRY(drain(*group));
            }
        }
    }
    if (waiting_bytes_ > kWaitingBytes) {
        TAFFRAIL_TRY(write_long(files_));
        for (auto& [keys, group] : groups_) {
            group.buffer.clear();
        }
        waiting_bytes_ = 0;
    }
    return {};
}

Result<void> ScalarSorter::keep_tables_small() {
    std::size_t waiting = 0;
    for (const Group* group : streaming_) {
        for (const auto& table : group->tables) {
            waiting += table->waiting_bytes();
        }
    }
    if (waiting <= kTableBytes) {
        return {};
    }
    for (const Group* group : streaming_) {
        for (const auto& table : group->tables) {
            TAFFRAIL_TRY(table->write_waiting());
        }
    }
    return {};
}

Result<void> ScalarSorter::start_streaming(Group& group) {
    group.first_file = files_.size();
    for (std::size_t first = 0; first < group.keys.size(); first += kMaxWidth) {
        const std::size_t last = std::min(group.keys.size(), first + kMaxWidth);
        std::vector<std::string> keys(group.keys.begin() + static_cast<std::ptrdiff_t>(first),
                                      group.keys.begin() + static_cast<std::ptrdiff_t>(last));
        const std::string name = label_of(keys) + "-" + name_suffix_ + ".parquet";
        const std::string path = path_of(name);
        TAFFRAIL_ASSIGN(auto table,
                        TableWriter::create_wide(path, run_id_, std::move(keys), options_));
        group.tables.push_back(std::move(table));
        ++tables_;
        files_.push_back({path, name});
    }
    return {};
}

Result<void> ScalarSorter::add_to_tables(const Group& group, const RowWriter& writer,
                                         const RowAxes& axes,
                                         std::span<const std::span<const double>> columns) {
    for (std::size_t table = 0; table < group.tables.size(); ++table) {
        const std::size_t first = table * kMaxWidth;
        TAFFRAIL_TRY(group.tables[table]->add(
            writer, axes, columns.subspan(first, std::min(kMaxWidth, columns.size() - first))));
    }
    return {};
}

Result<void> ScalarSorter::drain(Group& group) {
    if (group.tables.empty()) {
        TAFFRAIL_TRY(start_streaming(group));
        streaming_.push_back(&group);
    }
    const RowBuffer& buffer = group.buffer;
    const auto add = [&](const RowWriter& writer, std::size_t first, std::size_t last) {
        std::vector<std::span<const double>> columns;
        for (const auto& column : buffer.columns) {
            columns.push_back(std::span(column).subspan(first, last - first));
        }
        return add_to_tables(group, writer, buffer.axes(first, last), columns);
    };
    TAFFRAIL_TRY(buffer.for_each_writer(add));
    waiting_bytes_ -= buffer.rows() * row_bytes(group.keys.size());
    group.buffer.clear();
    return keep_tables_small();
}

Result<void> ScalarSorter::write_long(std::vector<NewFile>& files) {
    // Key → the groups it is in. A key logged alone and in several row sets has its points side by
    // side.
    std::map<std::string_view, std::vector<std::pair<const Group*, std::size_t>>> by_key;
    for (const auto& [keys, group] : groups_) {
        for (std::size_t column = 0; group.buffer.rows() > 0 && column < group.keys.size();
             ++column) {
            by_key[group.keys[column]].emplace_back(&group, column);
        }
    }
    if (by_key.empty()) {
        return {};
    }
    const std::string number = long_tables_ > 0 ? std::to_string(long_tables_) + "-" : "";
    ++long_tables_;
    const std::string name = "long-" + number + name_suffix_ + ".parquet";
    const std::string path = path_of(name);
    files.push_back({path, name});
    TAFFRAIL_ASSIGN(const auto table, TableWriter::create_long(path, run_id_, options_));
    for (const auto& [key, places] : by_key) {
        TAFFRAIL_TRY(table->begin_series(std::string(key)));

        // Writers in the order of their first row; within one, groups one after the other, then by
        // row number.
        struct Row {
            RowWriter writer;
            const Group* group;
            std::size_t column, row;
        };

        std::vector<Row> rows;
        for (const auto& place : places) {
            const Group* group = place.first;
            TAFFRAIL_TRY(group->buffer.for_each_writer(
                [&](const RowWriter& writer, std::size_t first, std::size_t last) -> Result<void> {
                    for (std::size_t row = first; row < last; ++row) {
                        rows.push_back({writer, group, place.second, row});
                    }
                    return {};
                }));
        }
        if (places.size() > 1) {
            std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
                const auto rank = [](const Row& row) {
                    return std::tuple(row.writer.attempt, row.writer.rank, row.writer.writer,
                                      row.group->buffer.seq[row.row]);
                };
                return rank(a) < rank(b);
            });
        }
        for (std::size_t first = 0; first < rows.size();) {
            RowBuffer out;
            out.columns.resize(1);
            std::size_t last = first;
            for (; last < rows.size() && rows[last].writer == rows[first].writer; ++last) {
                const RowBuffer& from = rows[last].group->buffer;
                const std::size_t row = rows[last].row;
                out.seq.push_back(from.seq[row]);
                out.step.push_back(from.step[row]);
                out.time_ns.push_back(from.time_ns[row]);
                out.epoch.push_back(from.epoch[row]);
                out.samples.push_back(from.samples[row]);
                out.phase.push_back(from.phase[row]);
                out.columns[0].push_back(from.columns[rows[last].column][row]);
            }
            const std::span<const double> column = out.columns[0];
            TAFFRAIL_TRY(table->add(rows[first].writer, out.axes(0, out.rows()), {&column, 1}));
            first = last;
        }
    }
    TAFFRAIL_TRY(finish(*table, files.back()));
    files.back().rows = table->rows();
    return {};
}

Result<void> ScalarSorter::finish(TableWriter& table, NewFile& file) {
    TAFFRAIL_TRY(table.finish());
    file.bytes = table.bytes();
    file.crc = table.crc();
    return {};
}

Result<std::vector<NewFile>> ScalarSorter::finish() {
    std::vector<NewFile> finished;
    for (auto& [keys, group] : groups_) {
        if (group.buffer.rows() > 0 && (is_worth_a_file(group) || !group.tables.empty())) {
            TAFFRAIL_TRY(drain(group));
        }
        for (std::size_t i = 0; i < group.tables.size(); ++i) {
            TAFFRAIL_TRY(finish(*group.tables[i], files_[group.first_file + i]));
        }
    }
    TAFFRAIL_TRY(write_long(files_));
    return std::move(files_);
}

}  // namespace taffrail::seal
