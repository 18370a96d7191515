#include "store/log_state.h"

#include "model/series_summary.h"

#include <algorithm>

namespace taffrail::store {
namespace {

// Ids are dense but for what damage took: what lies far beyond those that are known is no id but
// bad bytes, and must not make us allocate for it.
constexpr std::uint32_t kMaxId = 1u << 24;
constexpr std::size_t kFreeIds = 1u << 16;
constexpr std::size_t kMaxGap = 16;  ///< ids for each one that is defined

bool is_plausible(std::uint32_t id, std::size_t defined) noexcept {
    return id < kMaxId && id < kFreeIds + kMaxGap * defined;
}

}  // namespace

LogState::Key* LogState::find(std::uint32_t id) noexcept {
    return id < keys_.size() && keys_[id].defined ? &keys_[id] : nullptr;
}

const LogState::Key* LogState::key(std::uint32_t id) const noexcept {
    return id < keys_.size() && keys_[id].defined ? &keys_[id] : nullptr;
}

const std::vector<std::uint32_t>* LogState::schema(std::uint32_t id) const noexcept {
    return id < schemas_.size() && schema_defined_[id] ? &schemas_[id] : nullptr;
}

void LogState::seen_at(std::int64_t time_ns) noexcept {
    last_time_ns_ = std::max(last_time_ns_, time_ns);
}

void LogState::define(const std::vector<tlog::KeyDefinition>& keys,
                      const std::vector<tlog::SchemaDefinition>& schemas) {
    for (const tlog::KeyDefinition& definition : keys) {
        if (!is_plausible(definition.id, defined_keys_)) {
            continue;
        }
        if (definition.id >= keys_.size()) {
            keys_.resize(definition.id + 1);
        }
        Key& slot = keys_[definition.id];
        if (!slot.defined) {
            slot.name = definition.name;
            slot.kind = definition.kind;
            slot.defined = true;
            ++defined_keys_;
        }
    }
    for (const tlog::SchemaDefinition& definition : schemas) {
        if (!is_plausible(definition.id, defined_schemas_)) {
            continue;
        }
        if (definition.id >= schemas_.size()) {
            schemas_.resize(definition.id + 1);
            schema_defined_.resize(definition.id + 1);
        }
        schemas_[definition.id] = definition.keys;
        defined_schemas_ += schema_defined_[definition.id] ? 0 : 1;
        schema_defined_[definition.id] = true;
    }
}

void LogState::apply(const tlog::Batch& batch) {
    define(batch.keys, batch.schemas);
    for (const tlog::WideRows& rows : batch.wide) {
        const auto* members = schema(rows.schema);
        if (members == nullptr || members->size() != rows.columns.size() || rows.axes.rows() == 0) {
            continue;
        }
        const RowRange range = range_of(rows.axes);
        for (std::size_t column = 0; column < members->size(); ++column) {
            if (Key* target = find((*members)[column])) {
                target->totals.add(rows.columns[column], rows.axes, range);
            }
        }
        seen_at(rows.axes.time_ns.back());
    }
    for (const tlog::LongRows& rows : batch.long_rows) {
        for (std::size_t row = 0; row < rows.axes.rows(); ++row) {
            Key* target = find(rows.key[row]);
            const bool hidden =
                !rows.axes.route.empty() && (rows.axes.route[row] & tlog::kHidden) != 0;
            if (target != nullptr && !hidden) {
                target->totals.add(rows.value[row], rows.axes.step[row], rows.axes.time_ns[row],
                                   rows.axes.seq[row]);
            }
        }
        if (rows.axes.rows() > 0) {
            seen_at(rows.axes.time_ns.back());
        }
    }
    for (const tlog::ValueRecord& value : batch.values) {
        if ((value.route & tlog::kHidden) == 0) {
            if (Key* target = find(value.key)) {
                target->totals.add(0, value.step, value.time_ns, value.seq);
            }
            if (value.kind == Kind::Hparams) {
                KeptValue& kept = hparams_.emplace_back();
                kept.record = value;
                kept.record.blobs.clear();
                kept.metadata.assign(value.metadata.begin(), value.metadata.end());
            }
        }
        seen_at(value.time_ns);
    }
    for (const tlog::MetaRecord& record : batch.meta) {
        meta_.apply(record);
        seen_at(record.time_ns);
    }
    for (const tlog::RingPosition& place : batch.ring_positions) {
        ring_positions_[place.ring] = place.position;
    }
    for (const tlog::ConsoleChunk& chunk : batch.console) {
        seen_at(chunk.time_ns);
    }
}

void LogState::restore(const tlog::Checkpoint& checkpoint) {
    keys_.clear();
    defined_keys_ = 0;
    define(checkpoint.keys, checkpoint.schemas);
    for (const tlog::SeriesState& series : checkpoint.series) {
        if (Key* target = find(series.key)) {
            target->totals = {series.summary, 0, 0};
            model::clear_numbers_of_nothing(target->totals.summary);
        }
        seen_at(series.summary.last_time_ns);
    }
    restore_description(checkpoint);
    for (const tlog::RingPosition& place : checkpoint.ring_positions) {
        ring_positions_[place.ring] = place.position;
    }
    seen_at(checkpoint.heartbeat_ns);
}

void LogState::restore_description(const tlog::Checkpoint& checkpoint) {
    for (const tlog::MetaRecord& record : checkpoint.meta) {
        meta_.apply(record);
    }
    hparams_.clear();
    for (const tlog::ValueRecord& value : checkpoint.hparams) {
        hparams_.push_back({value, {value.metadata.begin(), value.metadata.end()}});
    }
}

tlog::Checkpoint LogState::checkpoint(MetaState::Environment environment) const {
    tlog::Checkpoint result;
    for (std::uint32_t id = 0; id < keys_.size(); ++id) {
        const Key& slot = keys_[id];
        if (!slot.defined) {
            continue;
        }
        result.keys.push_back({id, slot.kind, slot.name});
        if (slot.totals.summary.count > 0) {
            result.series.push_back({id, slot.totals.summary});
        }
    }
    for (std::uint32_t id = 0; id < schemas_.size(); ++id) {
        if (schema_defined_[id]) {
            result.schemas.push_back({id, schemas_[id]});
        }
    }
    result.meta = meta_.in_force(environment);
    for (const KeptValue& kept : hparams_) {
        result.hparams.push_back(kept.record);
        result.hparams.back().metadata = kept.metadata;
    }
    for (const auto& [ring, position] : ring_positions_) {
        result.ring_positions.push_back({ring, position});
    }
    return result;
}

}  // namespace taffrail::store
