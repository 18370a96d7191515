#include "store/sealed_records.h"

#include <algorithm>

namespace taffrail::store {
namespace {

bool take(RowSet* seen, std::uint64_t seq) {
    if (seen == nullptr) {
        return true;
    }
    if (seen->contains(seq)) {
        return false;
    }
    seen->insert(seq, seq);
    return true;
}

}  // namespace

SealedRecords::SealedRecords(const seal::SealedRun& sealed, std::uint64_t writer)
    : rows_(sealed.files(), writer), values_(sealed.values()) {
    std::erase_if(values_, [writer](const seal::SealedValue* value) {
        return value->writer.writer != writer;
    });
}

bool SealedRecords::visit_until(std::uint64_t end, const std::function<bool(const Record&)>& visit,
                                VisitedRows* visited) {
    for (; next_value_ < values_.size() && values_[next_value_]->record.seq < end; ++next_value_) {
        const seal::SealedValue& value = *values_[next_value_];
        if (!visit_rows(value.record.seq, visit, visited)) {
            return false;
        }
        if (take(visited == nullptr ? nullptr : &visited->values, value.record.seq) &&
            !visit_value(value, visit)) {
            return false;
        }
    }
    return visit_rows(end, visit, visited);
}

bool SealedRecords::visit_rows(std::uint64_t end, const std::function<bool(const Record&)>& visit,
                               VisitedRows* visited) {
    seal::SealedRow row;
    while (rows_.next(end, row)) {
        const Point& axes = row.axes;
        if (!take(visited == nullptr ? nullptr : &visited->scalars, axes.seq)) {
            continue;
        }
        Record record;
        record.step = axes.step;
        record.time_ns = axes.time_ns;
        record.epoch = axes.epoch == axes.epoch ? std::optional(axes.epoch) : std::nullopt;
        record.samples = axes.samples != INT64_MIN ? std::optional(axes.samples) : std::nullopt;
        record.phase = axes.phase;
        record.rank = axes.rank;
        record.attempt = axes.attempt;
        record.writer = axes.writer;
        record.seq = axes.seq;
        for (const auto& [key, value] : row.values) {
            record.key = key;
            record.scalar = value;
            if (!visit(record)) {
                return false;
            }
        }
    }
    return true;
}

bool SealedRecords::visit_value(const seal::SealedValue& value,
                                const std::function<bool(const Record&)>& visit) {
    tlog::FileIdentity identity;
    identity.writer = value.writer.writer;
    identity.attempt = value.writer.attempt;
    identity.rank = value.writer.rank;
    Record record = record_of(value.record, identity);
    record.key = value.name;
    const Value content = value_of(value.record);
    record.value = &content;
    return visit(record);
}

}  // namespace taffrail::store
