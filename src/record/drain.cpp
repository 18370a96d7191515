#include "record/drain.h"

#include <algorithm>

namespace taffrail::record {
namespace {

// A batch of byte entries stays small enough to be one frame.
constexpr std::size_t kMostRecords = 4096;

std::uint32_t store_route(std::uint64_t word0) noexcept {
    const bool hidden = (entry_flags(word0) & kHiddenFlag) != 0;
    return entry_route(word0) | (hidden ? tlog::kHidden : 0);
}

Step after(Step step) noexcept {
    return step == INT64_MAX ? step : step + 1;
}

}  // namespace

Drain::Drain(const DefinitionSource& definitions, TickClock clock, std::uint64_t next_seq,
             FirstStep first_step)
    : definitions_(definitions),
      clock_(clock),
      next_seq_(next_seq),
      first_step_(std::move(first_step)) {
    start_batch();
}

void Drain::start_batch() {
    builder_.clear(next_seq_);
    spooled_.clear();
    ++batch_number_;
}

Drain::KeyState* Drain::key(std::uint32_t id) {
    if (id < keys_.size() && keys_[id].definition != nullptr) {
        return &keys_[id];
    }
    const Definitions::Key* definition = definitions_.find_key(id);
    if (definition == nullptr) {
        return nullptr;
    }
    if (keys_.size() <= id) {
        keys_.resize(std::max<std::size_t>(id + 1, keys_.size() * 2));
    }
    keys_[id].definition = definition;
    return &keys_[id];
}

Drain::SchemaState* Drain::schema(std::uint32_t id) {
    if (id < schemas_.size() && schemas_[id].definition != nullptr) {
        return &schemas_[id];
    }
    const Definitions::Schema* definition = definitions_.find_schema(id);
    if (definition == nullptr) {
        return nullptr;
    }
    for (std::uint32_t key_id : definition->keys) {
        KeyState* state = key(key_id);
        if (state == nullptr) {
            return nullptr;
        }
        state->schemas.push_back(id);
    }
    if (schemas_.size() <= id) {
        schemas_.resize(std::max<std::size_t>(id + 1, schemas_.size() * 2));
    }
    schemas_[id].definition = definition;
    return &schemas_[id];
}

void Drain::define_key(std::uint32_t id) {
    KeyState* state = key(id);
    if (state != nullptr && !state->defined) {
        state->defined = true;
        builder_.batch().keys.push_back({id, state->definition->kind, state->definition->name});
    }
}

void Drain::define_schema(SchemaState& state) {
    const std::uint32_t id = state.definition->id;
    if (defined_schemas_.size() <= id) {
        defined_schemas_.resize(schemas_.size());
    }
    if (defined_schemas_[id]) {
        return;
    }
    defined_schemas_[id] = true;
    for (std::uint32_t key_id : state.definition->keys) {
        define_key(key_id);
    }
    // A lone scalar is stored by its key; its schema means nothing to readers.
    if (state.definition->keys.size() > 1) {
        builder_.batch().schemas.push_back({id, state.definition->keys});
    }
}

Step Drain::next_step_of_key(std::uint32_t id) {
    KeyState& state = *key(id);
    if (!state.asked) {
        state.asked = true;
        if (first_step_) {
            state.next_step = std::max(state.next_step, first_step_(*state.definition));
        }
    }
    Step next = state.next_step;
    for (std::uint32_t schema_id : state.schemas) {
        next = std::max(next, schemas_[schema_id].next_step);
    }
    return next;
}

Step Drain::resolve_step(SchemaState& state, Step given) {
    Step step = given;
    if (given == kAutoStep) {
        step = INT64_MIN;
        for (std::uint32_t key_id : state.definition->keys) {
            step = std::max(step, next_step_of_key(key_id));
        }
        step = step == INT64_MIN ? 0 : step;
    }
    state.next_step = std::max(state.next_step, after(step));
    return step;
}

Step Drain::resolve_step(KeyState& state, std::uint32_t id, Step given) {
    Step step = given;
    if (given == kAutoStep) {
        step = next_step_of_key(id);
        step = step == INT64_MIN ? 0 : step;
    }
    state.next_step = std::max(state.next_step, after(step));
    return step;
}

Drain::Outcome Drain::take(RingCursor& cursor, std::uint64_t head, std::uint64_t skip_before) {
    const std::uint64_t mask = cursor.capacity - 1;
    std::uint64_t position = cursor.position;
    Outcome outcome = Outcome::Done;
    while (position < head) {
        const std::uint64_t at = position & mask;
        const std::uint64_t* entry = cursor.words + at;
        const std::uint64_t word0 = entry[0];
        // What is left until the end of the lap or of the data: no entry is longer.
        const std::uint64_t room = std::min(head - position, cursor.capacity - at);
        const bool skip = position < skip_before;
        std::uint64_t length = 0;
        if (entry_type(word0) == EntryType::Row) {
            SchemaState* state = schema(entry_id(word0));
            if (state == nullptr || room < kRowWords + state->definition->keys.size()) {
                outcome = Outcome::Damaged;
                break;
            }
            const std::size_t width = state->definition->keys.size();
            length = kRowWords + width;
            if (!skip) {
                const bool lone = width == 1;
                if (!lone && state->batch != batch_number_) {
                    state->wide = &builder_.wide(state->definition->id, width);
                    state->batch = batch_number_;
                }
                if (lone ? !builder_.long_has_room() : !builder_.has_room(*state->wide)) {
                    outcome = Outcome::BatchFull;
                    break;
                }
                define_schema(*state);
                cursor.last_time_ns = std::max(cursor.last_time_ns, clock_.to_wall_ns(entry[2]));
                const RowAxes axes{next_seq_++, resolve_step(*state, static_cast<Step>(entry[1])),
                                   cursor.last_time_ns, store_route(word0)};
                if (lone) {
                    builder_.add_long(state->definition->keys.front(), axes, cursor.context,
                                      entry[3]);
                } else {
                    builder_.add(*state->wide, axes, cursor.context, entry + kRowWords);
                }
                builder_.count_values(width);
            }
        } else if (entry_type(word0) == EntryType::Pad) {
            length = entry_id(word0);
            if (length == 0 || length > room) {
                outcome = Outcome::Damaged;
                break;
            }
        } else if (entry_type(word0) == EntryType::Context && room >= kContextWords) {
            length = kContextWords;
            cursor.context = {std::bit_cast<double>(entry[1]), static_cast<std::int64_t>(entry[2]),
                              entry[3]};
        } else if (entry_type(word0) == EntryType::Bytes && room >= kBytesWords &&
                   entry[3] <= kMaxInlineBytes && room >= kBytesWords + (entry[3] + 7) / 8) {
            length = kBytesWords + (entry[3] + 7) / 8;
            const tlog::Batch& batch = builder_.batch();
            if (batch.values.size() + batch.meta.size() + batch.console.size() + spooled_.size() >=
                kMostRecords) {
                outcome = Outcome::BatchFull;
                break;
            }
            if (!take_bytes(entry, word0, entry[3], cursor, skip)) {
                outcome = Outcome::Damaged;
                break;
            }
        } else {
            outcome = Outcome::Damaged;
            break;
        }
        position += length;
    }
    cursor.position = position;
    return outcome;
}

bool Drain::take_bytes(const std::uint64_t* entry, std::uint64_t word0, std::uint64_t length,
                       RingCursor& cursor, bool skip) {
    if (skip) {
        return true;
    }
    const auto kind = static_cast<BytesKind>(entry_flags(word0) & ~kHiddenFlag);
    const ByteSpan bytes{reinterpret_cast<const std::byte*>(entry + kBytesWords),
                         static_cast<std::size_t>(length)};
    const std::uint32_t id = entry_id(word0);
    cursor.last_time_ns = std::max(cursor.last_time_ns, clock_.to_wall_ns(entry[2]));
    const std::int64_t time_ns = cursor.last_time_ns;
    tlog::Batch& batch = builder_.batch();
    switch (kind) {
        case BytesKind::Meta:
            batch.meta.push_back({static_cast<tlog::MetaType>(id), next_seq_++, time_ns, bytes});
            return true;
        case BytesKind::Console:
            batch.console.push_back({static_cast<std::uint8_t>(id), time_ns, as_text(bytes)});
            return true;
        case BytesKind::SpooledMeta:
            return take_spooled({.seq = next_seq_++,
                                 .key = id,
                                 .kind = kMetaKind,
                                 .step = 0,
                                 .time_ns = time_ns,
                                 .context = {},
                                 .route = 0},
                                bytes);
        case BytesKind::Value:
        case BytesKind::Spooled:
            break;
        default:
            return false;
    }
    KeyState* state = key(id);
    if (state == nullptr) {
        return false;
    }
    define_key(id);
    const Step step = resolve_step(*state, id, static_cast<Step>(entry[1]));
    const std::uint64_t seq = next_seq_++;
    builder_.count_values(1);
    if (kind == BytesKind::Value) {
        batch.values.push_back({.seq = seq,
                                .key = id,
                                .kind = state->definition->kind,
                                .step = step,
                                .time_ns = time_ns,
                                .epoch = cursor.context.epoch,
                                .samples = cursor.context.samples,
                                .phase = static_cast<Phase>(cursor.context.phase),
                                .route = store_route(word0),
                                .metadata = bytes,
                                .blobs = {}});
        return true;
    }
    return take_spooled({.seq = seq,
                         .key = id,
                         .kind = state->definition->kind,
                         .step = step,
                         .time_ns = time_ns,
                         .context = cursor.context,
                         .route = store_route(word0)},
                        bytes);
}

bool Drain::take_spooled(SpooledValue value, ByteSpan reference) {
    ByteCursor fields(reference);
    value.file = fields.read<std::uint32_t>();
    value.offset = fields.read<std::uint64_t>();
    value.length = fields.read<std::uint64_t>();
    if (!fields.ok()) {
        return false;
    }
    builder_.batch().spool_pending.push_back({value.seq, value.file, value.offset, value.length});
    spooled_.push_back(value);
    return true;
}

}  // namespace taffrail::record
