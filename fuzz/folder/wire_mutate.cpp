#include "wire_mutate.h"

#include "codec/protobuf_wire.h"
#include "codec/tlog/decode.h"
#include "seal/index.h"

#include <deque>

namespace taffrail::fuzzing {
namespace {

struct Field {
    std::uint64_t key = 0, number = 0;
    Bytes bytes;

    [[nodiscard]] WireType type() const { return static_cast<WireType>(key & 7); }
};

/// Nothing for bytes that are no message.
std::vector<Field> fields_of(ByteSpan message) {
    std::vector<Field> fields;
    ByteCursor from(message);
    while (from.remaining() > 0 && from.ok() && fields.size() < 10000) {
        Field field;
        field.key = from.varint();
        ByteSpan taken;
        switch (field.type()) {
            case WireType::Varint:
                field.number = from.varint();
                break;
            case WireType::Fixed64:
                taken = from.take(8);
                break;
            case WireType::Fixed32:
                taken = from.take(4);
                break;
            case WireType::Length:
                taken = from.take(from.varint());
                break;
            default:
                return {};
        }
        field.bytes.assign(taken.begin(), taken.end());
        fields.push_back(std::move(field));
    }
    return from.ok() ? fields : std::vector<Field>();
}

Bytes message_of(const std::vector<Field>& fields) {
    Bytes message;
    for (const Field& field : fields) {
        append_varint(message, field.key);
        if (field.type() == WireType::Varint) {
            append_varint(message, field.number);
            continue;
        }
        if (field.type() == WireType::Length) {
            append_varint(message, field.bytes.size());
        }
        append(message, field.bytes);
    }
    return message;
}

void mutate_field(Field& field, Chance& chance, unsigned depth) {
    if (field.type() == WireType::Varint) {
        chance.number(field.number);
    } else if (field.type() == WireType::Length) {
        if (depth < 8 && !chance.one_in(4) && !fields_of(field.bytes).empty()) {
            mutate_message(field.bytes, chance, depth + 1);
        } else {
            chance.bytes(field.bytes);
        }
    } else {
        const std::size_t size = field.bytes.size();
        chance.bytes(field.bytes);
        field.bytes.resize(size);
    }
}

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
                switch (chance.below(5)) {
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
                        blob.bytes = keep.changed(blob.bytes, chance, false);
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

void mutate_axis(seal::AxisIndex& axis, Chance& chance) {
    switch (chance.below(4)) {
        case 0:
            axis.present = !axis.present;
            return;
        case 1:
            axis.rising = !axis.rising;
            return;
        case 2:
            chance.number(axis.first_bits);
            return;
        default:
            chance.number(axis.last_bits);
    }
}

void mutate_levels(seal::LevelBlocks& levels, Chance& chance) {
    if (levels.empty() || chance.one_in(4)) {
        levels.resize(chance.below(8));
        return;
    }
    auto& level = chance.pick(levels);
    if (level.empty() || chance.one_in(4)) {
        level.resize(chance.below(4));
    } else {
        seal::BlockPlace& place = chance.pick(level);
        chance.one_in(2) ? chance.number(place.offset) : chance.number(place.bytes);
    }
}

void mutate_series(seal::SeriesEntry& series, Chance& chance) {
    switch (chance.below(5)) {
        case 0:
            chance.number(series.column);
            return;
        case 1:
            chance.number(series.summary.count);
            return;
        case 2:
            mutate_levels(series.levels, chance);
            return;
        case 3:
            series.key += '/';
            return;
        default:
            series.specials.resize(chance.below(4));
    }
}

void mutate_section(seal::Section& section, Chance& chance) {
    switch (chance.below(6)) {
        case 0:
            chance.number(section.first_row);
            return;
        case 1:
            chance.number(section.rows);
            return;
        case 2:
            mutate_axis(section.axes[chance.below(seal::kAxes)], chance);
            return;
        case 3:
            if (!section.attempts.empty()) {
                chance.number(chance.pick(section.attempts).first_step);
            }
            return;
        default:
            if (!section.series.empty()) {
                mutate_series(chance.pick(section.series), chance);
            }
    }
}

}  // namespace

void mutate_message(Bytes& message, Chance& chance, unsigned depth) {
    std::vector<Field> fields = fields_of(message);
    if (fields.empty() || chance.one_in(12)) {
        chance.bytes(message);
        return;
    }
    switch (chance.below(10)) {
        case 0:
            fields.push_back(chance.pick(fields));
            break;
        case 1:
            fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(chance.below(fields.size())));
            break;
        case 2:
            chance.pick(fields).key = chance.below(32) << 3 | chance.below(3);
            break;
        default:
            mutate_field(chance.pick(fields), chance, depth);
    }
    message = message_of(fields);
}

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

void mutate_index(Bytes& bytes, Chance& chance) {
    auto index = seal::decode_index(bytes);
    if (!index.ok() || chance.one_in(5)) {
        chance.bytes(bytes, bytes.size() + 64);
        return;
    }
    switch (chance.below(8)) {
        case 0:
            if (!index->pages.empty()) {
                index->pages.resize(chance.below(index->pages.size() + 2));
            }
            break;
        case 1:
            if (!index->pages.empty() && !chance.pick(index->pages).empty()) {
                for (auto& page : chance.pick(index->pages)) {
                    chance.one_in(2) ? chance.number(page.rows) : chance.number(page.bytes);
                    break;
                }
            }
            break;
        case 2:
            chance.number(index->rows);
            break;
        case 3:
            if (!index->writers.empty()) {
                chance.number(chance.pick(index->writers).rows);
            }
            break;
        case 4:
            if (!index->phases.empty()) {
                chance.number(chance.pick(index->phases).rows);
            }
            break;
        default:
            if (!index->sections.empty()) {
                mutate_section(chance.pick(index->sections), chance);
            }
    }
    bytes = seal::encode_index(*index);
}

void mutate_footer(Bytes& bytes, Chance& chance) {
    auto metadata = parquet::decode_metadata(bytes);
    if (!metadata.ok() || metadata->row_groups.empty() || chance.one_in(4)) {
        chance.bytes(bytes, bytes.size() + 64);
        return;
    }
    parquet::RowGroup& group = chance.pick(metadata->row_groups);
    switch (chance.below(6)) {
        case 0:
            chance.number(group.rows);
            break;
        case 1:
            chance.number(metadata->rows);
            break;
        case 2:
            if (!metadata->columns.empty()) {
                parquet::Column& column = chance.pick(metadata->columns);
                column.type = static_cast<parquet::Type>(chance.below(8));
                column.shape = static_cast<parquet::Shape>(chance.below(3));
            }
            break;
        case 3:
            metadata->row_groups.push_back(group);
            break;
        default:
            if (!group.columns.empty()) {
                parquet::ColumnChunk& chunk = chance.pick(group.columns);
                switch (chance.below(4)) {
                    case 0:
                        chance.number(chunk.values);
                        break;
                    case 1:
                        chance.number(chunk.compressed_bytes);
                        break;
                    case 2:
                        chance.number(chunk.data_page_offset);
                        break;
                    default:
                        chance.number(chunk.dictionary_page_offset);
                }
            }
    }
    bytes = parquet::encode(*metadata);
}

}  // namespace taffrail::fuzzing
