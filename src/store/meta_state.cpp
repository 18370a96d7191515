#include "store/meta_state.h"

#include "codec/tlog/meta.h"

#include <algorithm>

namespace taffrail::store {
namespace {

using tlog::MetaType;

// A removed tag and an added one are the same entry: the newer decides.
MetaType slot_of(MetaType type) {
    return type == MetaType::TagRemoved ? MetaType::TagAdded : type;
}

}  // namespace

void MetaState::put(MetaType type, std::string_view part, Entry entry) {
    auto [found, fresh] = entries_.try_emplace({slot_of(type), std::string(part)});
    const bool newer =
        std::pair(entry.time_ns, entry.seq) >= std::pair(found->second.time_ns, found->second.seq);
    if (fresh || newer) {
        entry.order = fresh ? next_order_++ : found->second.order;
        found->second = std::move(entry);
    }
}

void MetaState::apply(const tlog::MetaRecord& record) {
    const Entry entry{
        record.type, record.seq, record.time_ns, {record.payload.begin(), record.payload.end()}, 0};
    switch (record.type) {
        case MetaType::TagAdded:
        case MetaType::TagRemoved:
            put(record.type, as_text(record.payload), entry);
            break;
        case MetaType::Summary:
        case MetaType::Environment:
            for (const auto& cell : tlog::decode_cells(record.payload)) {
                Entry one = entry;
                one.payload = tlog::encode_cells({cell});
                put(record.type, cell.first, std::move(one));
            }
            break;
        case MetaType::MetricDefinition:
            for (const MetricDefinition& metric : tlog::decode_metric_definitions(record.payload)) {
                Entry one = entry;
                one.payload = tlog::encode_metric_definition(metric.pattern, metric.options);
                put(record.type, metric.pattern, std::move(one));
            }
            break;
        case MetaType::SavedView:
            put(record.type, tlog::decode_named_text(record.payload).first, entry);
            break;
        case MetaType::SinkCursor:
            put(record.type, as_text(record.payload), entry);
            break;
        default:
            put(record.type, "", entry);
            break;
    }
}

void MetaState::merge(const MetaState& other) {
    for (const auto& [name, entry] : other.entries_) {
        put(entry.type, name.second, entry);
    }
}

std::vector<tlog::MetaRecord> MetaState::in_force(Environment environment) const {
    std::vector<const Entry*> kept;
    for (const auto& [name, entry] : entries_) {
        if (environment == Environment::Include || entry.type != MetaType::Environment) {
            kept.push_back(&entry);
        }
    }
    std::ranges::sort(kept, {}, [](const Entry* entry) {
        return std::tuple(entry->time_ns, entry->seq, entry->order);
    });
    std::vector<tlog::MetaRecord> records;
    for (const Entry* entry : kept) {
        records.push_back({entry->type, entry->seq, entry->time_ns, entry->payload});
    }
    return records;
}

model::MetricDefinitions MetaState::metric_definitions() const {
    model::MetricDefinitions all;
    for (const tlog::MetaRecord& record : in_force(Environment::Leave)) {
        if (record.type == MetaType::MetricDefinition) {
            for (MetricDefinition& metric : tlog::decode_metric_definitions(record.payload)) {
                all.emplace_back(std::move(metric.pattern),
                                 std::make_shared<const MetricOptions>(std::move(metric.options)));
            }
        }
    }
    return all;
}

void MetaState::describe(RunInfo& info) const {
    std::vector<std::pair<std::int64_t, std::string>> tags;
    for (const auto& [name, entry] : entries_) {
        const std::string_view text = as_text(entry.payload);
        switch (entry.type) {
            case MetaType::Name:
                info.name = text;
                break;
            case MetaType::Project:
                info.project = text;
                break;
            case MetaType::Group:
                info.group = text;
                break;
            case MetaType::JobType:
                info.job_type = text;
                break;
            case MetaType::Notes:
                info.notes = text;
                break;
            case MetaType::Colour:
                info.color = text;
                break;
            case MetaType::Archived:
                info.archived = tlog::decode_flag(entry.payload);
                break;
            case MetaType::Tombstone:
                info.deleted = tlog::decode_flag(entry.payload);
                break;
            case MetaType::TagAdded:
                tags.emplace_back(entry.time_ns, text);
                break;
            case MetaType::Summary:
                for (auto& [key, cell] : tlog::decode_cells(entry.payload)) {
                    info.summary[key] = cell;
                }
                break;
            default:
                break;
        }
    }
    std::ranges::sort(tags);
    info.tags.clear();
    for (auto& [time_ns, tag] : tags) {
        info.tags.push_back(std::move(tag));
    }
}

Hparams MetaState::environment() const {
    std::vector<const Entry*> kept;
    for (const auto& [name, entry] : entries_) {
        if (entry.type == MetaType::Environment) {
            kept.push_back(&entry);
        }
    }
    std::ranges::sort(kept, {}, [](const Entry* entry) { return entry->order; });
    Hparams cells;
    for (const Entry* entry : kept) {
        for (auto& cell : tlog::decode_cells(entry->payload)) {
            cells.push_back(std::move(cell));
        }
    }
    return cells;
}

std::string MetaState::state_message() const {
    const auto found = entries_.find({MetaType::State, ""});
    if (found == entries_.end()) {
        return {};
    }
    const auto state = tlog::decode_state(found->second.payload);
    return state ? state->message : std::string();
}

}  // namespace taffrail::store
