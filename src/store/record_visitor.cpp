#include "store/record_visitor.h"

#include "codec/value_codec.h"

#include <algorithm>
#include <numeric>

namespace taffrail::store {

Value value_of(const tlog::ValueRecord& record) {
    auto value = decode_value(record.metadata);
    if (value.ok()) {
        return *std::move(value);
    }
    return Text{"this value cannot be read: " + value.error().message, true};
}

void RecordVisitor::take(const tlog::Batch& batch, const WriterLog& log) {
    if (stopped_) {
        return;
    }
    order_rows(batch, rows_);
    for (const RowPlace& place : rows_) {
        if (has_places_) {
            if (place.section == RowPlace::Section::Values) {
                continue;
            }
            show_values(place.seq, log);
        }
        if (visited_ != nullptr) {
            RowSet& seen =
                place.section == RowPlace::Section::Values ? visited_->values : visited_->scalars;
            // A row may stand in a log and in the sealed files: its number says that it was shown.
            if (seen.contains(place.seq)) {
                continue;
            }
            seen.insert(place.seq, place.seq);
        }
        switch (place.section) {
            case RowPlace::Section::Wide:
                wide(batch.wide[place.index], place.row, log);
                break;
            case RowPlace::Section::Long:
                lone(batch.long_rows[place.index], place.row, log);
                break;
            case RowPlace::Section::Values:
                value(batch.values[place.index], log);
                break;
        }
        if (stopped_) {
            return;
        }
    }
}

void RecordVisitor::show(Record& record, const LogState::Key* key) {
    if (key != nullptr && !stopped_) {
        record.key = key->name;
        stopped_ = !visit_(record);
    }
}

void RecordVisitor::wide(const tlog::WideRows& rows, std::size_t row, const WriterLog& log) {
    const auto* members = log.state().schema(rows.schema);
    if (members == nullptr || members->size() != rows.columns.size() ||
        (route_of(rows.axes, row) & tlog::kHidden) != 0) {
        return;
    }
    Record record = record_of(rows.axes, row, log.identity());
    for (const std::size_t column : order_of(rows.schema, *members, log.state())) {
        record.scalar = rows.columns[column][row];
        show(record, log.state().key((*members)[column]));
    }
}

const std::vector<std::size_t>& RecordVisitor::order_of(std::uint32_t schema,
                                                        const std::vector<std::uint32_t>& members,
                                                        const LogState& state) {
    std::vector<std::size_t>& order = orders_[schema];
    if (order.size() != members.size()) {
        order.resize(members.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t column) {
            const LogState::Key* key = state.key(members[column]);
            return key != nullptr ? std::string_view(key->name) : std::string_view();
        });
    }
    return order;
}

void RecordVisitor::show_values(std::uint64_t end, const WriterLog& log) {
    for (; next_place_ < places_.size() && places_[next_place_].seq < end && !stopped_;
         ++next_place_) {
        const ValuePlace& place = places_[next_place_];
        const FramePlace& frame = place.frame;
        if (!loaded_at_ || loaded_at_->file != frame.file || loaded_at_->offset != frame.offset) {
            loaded_at_.reset();
            if (!load_value(log, place, loaded_).ok()) {
                continue;  // its frame went bad since it was first read; verify names it
            }
            loaded_at_ = frame;
        }
        if (place.index < loaded_.decoded.batch().values.size()) {
            value(loaded_.decoded.batch().values[place.index], log);
        }
    }
}

void RecordVisitor::lone(const tlog::LongRows& rows, std::size_t row, const WriterLog& log) {
    if ((route_of(rows.axes, row) & tlog::kHidden) == 0) {
        Record record = record_of(rows.axes, row, log.identity());
        record.scalar = rows.value[row];
        show(record, log.state().key(rows.key[row]));
    }
}

void RecordVisitor::value(const tlog::ValueRecord& stored, const WriterLog& log) {
    if ((stored.route & tlog::kHidden) == 0) {
        Record record = record_of(stored, log.identity());
        const Value decoded = value_of(stored);
        record.value = &decoded;
        record.kind = kind_of(decoded);
        show(record, log.state().key(stored.key));
    }
}

}  // namespace taffrail::store
