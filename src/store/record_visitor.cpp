#include "store/record_visitor.h"

#include "codec/value_codec.h"

namespace taffrail::storage {

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
        if (visited_ != nullptr) {
            RowSet& seen =
                place.section == RowPlace::Section::Values ? visited_->values : visited_->scalars;
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
    for (std::size_t column = 0; column < members->size(); ++column) {
        record.scalar = rows.columns[column][row];
        show(record, log.state().key((*members)[column]));
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

}  // namespace taffrail::storage
