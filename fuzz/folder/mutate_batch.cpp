// What a batch of a log holds: definitions, rows, values with their blobs, metadata, console.
#include "base/sha256.h"
#include "codec/tlog/decode.h"
#include "mutate_parts.h"

#include <deque>

namespace taffrail::fuzzing {
namespace {

// The views of a changed batch point into what is kept here until it is encoded.
struct Keep {
    std::deque<Bytes> bytes;
    std::deque<std::vector<std::uint32_t>> numbers;
    std::deque<std::vector<std::int64_t>> steps;

    ByteSpan changed(ByteSpan from, Chance& chance, bool as_message) {
        Bytes& copy = bytes.emplace_back(from.begin(), from.end());
        as_message ? mutate_message(copy, chance) : chance.bytes(copy);
        return copy;
    }

    /// Other bytes under the name they then have, or nobody would look at them.
    void change_blob(tlog::ValueRecord& value, tlog::BlobPlace& blob, Chance& chance) {
        const BlobRef before = blob.ref;
        blob.where = tlog::BlobPlace::Where::Inline;
        blob.bytes = changed(blob.bytes, chance, false);
        blob.ref = {sha256(blob.bytes), blob.bytes.size()};
        Bytes& metadata = bytes.emplace_back(value.metadata.begin(), value.metadata.end());
        rename_blob(metadata, before, blob.ref);
        value.metadata = metadata;
    }
};

void mutate_value(tlog::ValueRecord& value, Chance& chance, Keep& keep) {
    switch (chance.below(8)) {
        case 0:
            chance.number(value.step);
            return;
        case 1:
            chance.number(value.key);
            return;
        case 2:
            value.kind = static_cast<Kind>(chance.below(24));
            return;
        case 3:
            chance.number(value.seq);
            return;
        case 4:
        case 5:
            if (!value.blobs.empty()) {
                tlog::BlobPlace& blob = chance.pick(value.blobs);
                switch (chance.below(8)) {
                    case 0:
                        chance.number(blob.ref.size);
                        return;
                    case 1:
                        blob.where = static_cast<tlog::BlobPlace::Where>(chance.below(3));
                        return;
                    case 2:
                        chance.number(blob.offset);
                        return;
                    case 3:
                        blob = chance.pick(value.blobs);
                        return;
                    default:
                        keep.change_blob(value, blob, chance);
                        return;
                }
            }
            [[fallthrough]];
        default:
            value.metadata = keep.changed(value.metadata, chance, true);
    }
}

void mutate_rows(tlog::Batch& batch, Chance& chance, Keep& keep) {
    if (!batch.wide.empty() && chance.one_in(2)) {
        tlog::WideRows& rows = chance.pick(batch.wide);
        if (chance.one_in(3)) {
            chance.number(rows.schema);
        } else if (!rows.columns.empty() && chance.one_in(3)) {
            rows.columns.pop_back();
        } else if (!rows.axes.step.empty()) {
            auto& steps = keep.steps.emplace_back(rows.axes.step.begin(), rows.axes.step.end());
            chance.number(chance.pick(steps));
            rows.axes.step = steps;
        }
    } else if (!batch.long_rows.empty()) {
        tlog::LongRows& rows = chance.pick(batch.long_rows);
        if (!rows.key.empty()) {
            auto& keys = keep.numbers.emplace_back(rows.key.begin(), rows.key.end());
            chance.number(chance.pick(keys));
            rows.key = keys;
        }
    }
}

void mutate_definitions(tlog::Batch& batch, Chance& chance, Keep& keep) {
    if (!batch.keys.empty() && chance.one_in(2)) {
        tlog::KeyDefinition& key = chance.pick(batch.keys);
        if (chance.one_in(3)) {
            chance.number(key.id);
        } else if (chance.one_in(2)) {
            key.kind = static_cast<Kind>(chance.below(24));
        } else {
            key.name = as_text(keep.changed(as_bytes(key.name), chance, false));
        }
    } else if (!batch.schemas.empty()) {
        tlog::SchemaDefinition& schema = chance.pick(batch.schemas);
        if (schema.keys.empty() || chance.one_in(3)) {
            chance.number(schema.id);
        } else {
            chance.number(chance.pick(schema.keys));
        }
    }
}

void mutate_rest(tlog::Batch& batch, Chance& chance, Keep& keep) {
    if (!batch.meta.empty() && chance.one_in(2)) {
        tlog::MetaRecord& meta = chance.pick(batch.meta);
        if (chance.one_in(4)) {
            meta.type = static_cast<tlog::MetaType>(chance.below(20));
        } else {
            meta.payload = keep.changed(meta.payload, chance, false);
        }
    } else if (!batch.console.empty()) {
        tlog::ConsoleChunk& chunk = chance.pick(batch.console);
        chunk.text = as_text(keep.changed(as_bytes(chunk.text), chance, false));
    } else {
        tlog::Gap gap;
        chance.number(gap.lost);
        batch.gaps.push_back(gap);
    }
}

}  // namespace

void mutate_sections(Bytes& payload, Chance& chance) {
    std::vector<std::pair<tlog::Section, Bytes>> sections;
    const bool divided = tlog::for_each_section(payload, [&](tlog::Section tag, ByteSpan body) {
        sections.emplace_back(tag, Bytes(body.begin(), body.end()));
    });
    if (!divided || sections.empty()) {
        chance.bytes(payload);
        return;
    }
    auto& [tag, body] = chance.pick(sections);
    if (chance.one_in(8)) {
        sections.push_back(sections[chance.below(sections.size())]);
    } else {
        chance.bytes(body);
    }
    payload.clear();
    for (const auto& [each, bytes] : sections) {
        append_section(payload, each, bytes);
    }
}

void mutate_batch(Bytes& payload, Chance& chance) {
    tlog::DecodedBatch decoded;
    if (!decoded.decode(payload, 1u << 16)) {
        mutate_sections(payload, chance);
        return;
    }
    tlog::Batch batch = decoded.batch();
    Keep keep;
    if (!batch.values.empty() && !chance.one_in(3)) {
        mutate_value(chance.pick(batch.values), chance, keep);
    } else if (chance.one_in(3)) {
        mutate_rows(batch, chance, keep);
    } else if (chance.one_in(2)) {
        mutate_definitions(batch, chance, keep);
    } else {
        mutate_rest(batch, chance, keep);
    }
    Bytes changed;
    encode_batch(changed, batch);
    payload = std::move(changed);
}

}  // namespace taffrail::fuzzing
