#include "store/batch_records.h"

#include <algorithm>
#include <cmath>

namespace taffrail::store {

void order_rows(const tlog::Batch& batch, std::vector<RowPlace>& out) {
    out.clear();
    auto add_rows = [&out](RowPlace::Section section, std::size_t index, const tlog::Axes& axes) {
        for (std::size_t row = 0; row < axes.rows(); ++row) {
            out.push_back({section, static_cast<std::uint32_t>(index),
                           static_cast<std::uint32_t>(row), axes.seq[row]});
        }
    };
    for (std::size_t i = 0; i < batch.wide.size(); ++i) {
        add_rows(RowPlace::Section::Wide, i, batch.wide[i].axes);
    }
    for (std::size_t i = 0; i < batch.long_rows.size(); ++i) {
        add_rows(RowPlace::Section::Long, i, batch.long_rows[i].axes);
    }
    for (std::size_t i = 0; i < batch.values.size(); ++i) {
        out.push_back(
            {RowPlace::Section::Values, static_cast<std::uint32_t>(i), 0, batch.values[i].seq});
    }
    if (!std::ranges::is_sorted(out, {}, &RowPlace::seq)) {
        std::ranges::stable_sort(out, {}, &RowPlace::seq);
    }
}

Record record_of(const tlog::Axes& axes, std::size_t row, const tlog::FileIdentity& identity) {
    Record record;
    record.kind = Kind::Scalar;
    record.phase = axes.phase.empty() ? Phase::None : static_cast<Phase>(axes.phase[row]);
    record.step = axes.step[row];
    record.time_ns = axes.time_ns[row];
    if (!axes.epoch.empty() && !std::isnan(axes.epoch[row])) {
        record.epoch = axes.epoch[row];
    }
    if (!axes.samples.empty() && axes.samples[row] != INT64_MIN) {
        record.samples = axes.samples[row];
    }
    record.rank = identity.rank;
    record.attempt = identity.attempt;
    record.writer = identity.writer;
    record.seq = axes.seq[row];
    record.route = static_cast<RouteMask>(route_of(axes, row));
    return record;
}

Record record_of(const tlog::ValueRecord& value, const tlog::FileIdentity& identity) {
    Record record;
    record.kind = value.kind;
    record.phase = value.phase;
    record.step = value.step;
    record.time_ns = value.time_ns;
    if (!std::isnan(value.epoch)) {
        record.epoch = value.epoch;
    }
    if (value.samples != INT64_MIN) {
        record.samples = value.samples;
    }
    record.rank = identity.rank;
    record.attempt = identity.attempt;
    record.writer = identity.writer;
    record.seq = value.seq;
    record.route = static_cast<RouteMask>(value.route);
    return record;
}

}  // namespace taffrail::store
