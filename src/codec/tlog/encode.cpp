#include "codec/tlog/encode.h"

#include "codec/tlog/columns.h"
#include "codec/tlog/sections.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace taffrail::tlog {
namespace {

// Columns of narrow types are widened through one buffer per thread: the encoder runs on the
// collector alone.
template <typename T>
void encode_as_integers(Bytes& to, std::span<const T> values) {
    thread_local std::vector<std::int64_t> wide;
    wide.assign(values.begin(), values.end());
    encode_integers(to, wide);
}

void encode_as_integers(Bytes& to, std::span<const std::uint64_t> values) {
    thread_local std::vector<std::int64_t> wide;
    wide.resize(values.size());
    std::ranges::transform(values, wide.begin(),
                           [](std::uint64_t value) { return static_cast<std::int64_t>(value); });
    encode_integers(to, wide);
}

template <typename T>
bool holds_only(std::span<const T> values, T expected) noexcept {
    return std::ranges::all_of(values, [expected](T value) { return value == expected; });
}

void encode_axes(Bytes& to, const Axes& axes) {
    encode_as_integers(to, axes.seq);
    encode_integers(to, axes.step);
    encode_integers(to, axes.time_ns);
    if (std::ranges::all_of(axes.epoch, [](double epoch) { return std::isnan(epoch); })) {
        encode_absent(to);
    } else {
        encode_numbers(to, axes.epoch);
    }
    if (holds_only(axes.samples, std::int64_t{INT64_MIN})) {
        encode_absent(to);
    } else {
        encode_integers(to, axes.samples);
    }
    if (holds_only(axes.phase, std::uint8_t{0})) {
        encode_absent(to);
    } else {
        encode_as_integers(to, axes.phase);
    }
    if (holds_only(axes.route, std::uint32_t{kAllSinks})) {
        encode_absent(to);
    } else {
        encode_as_integers(to, axes.route);
    }
}

void encode_blob(Bytes& to, const BlobPlace& blob) {
    append(to, ByteSpan(reinterpret_cast<const std::byte*>(blob.ref.sha256.data()), 32));
    append_varint(to, blob.ref.size);
    to.push_back(static_cast<std::byte>(blob.where));
    if (blob.where == BlobPlace::Where::Inline) {
        append(to, blob.bytes);
    } else if (blob.where == BlobPlace::Where::Pack) {
        append_varint(to, blob.pack);
        append_varint(to, blob.offset);
    }
}

void encode_value(Bytes& to, const ValueRecord& value) {
    const bool has_epoch = !std::isnan(value.epoch);
    const bool has_samples = value.samples != INT64_MIN;
    append_varint(to, value.seq);
    append_varint(to, value.key);
    to.push_back(static_cast<std::byte>(value.kind));
    append_zigzag(to, value.step);
    append_zigzag(to, value.time_ns);
    to.push_back(static_cast<std::byte>((has_epoch ? 1 : 0) | (has_samples ? 2 : 0)));
    if (has_epoch) {
        append(to, value.epoch);
    }
    if (has_samples) {
        append_zigzag(to, value.samples);
    }
    to.push_back(static_cast<std::byte>(value.phase));
    append_varint(to, value.route);
    append_text(to, as_text(value.metadata));
    append_varint(to, value.blobs.size());
    for (const BlobPlace& blob : value.blobs) {
        encode_blob(to, blob);
    }
}

// A section that is a count and that many items; nothing at all when there are none.
template <typename Items, typename EncodeItem>
void encode_list(Bytes& to, Section tag, const Items& items, EncodeItem encode_item) {
    if (items.empty()) {
        return;
    }
    Bytes body;
    append_varint(body, items.size());
    for (const auto& item : items) {
        encode_item(body, item);
    }
    append_section(to, tag, body);
}

void encode_keys(Bytes& to, const std::vector<KeyDefinition>& keys) {
    encode_list(to, Section::Keys, keys, [](Bytes& body, const KeyDefinition& key) {
        append_varint(body, key.id);
        body.push_back(static_cast<std::byte>(key.kind));
        append_text(body, key.name);
    });
}

void encode_schemas(Bytes& to, const std::vector<SchemaDefinition>& schemas) {
    encode_list(to, Section::Schemas, schemas, [](Bytes& body, const SchemaDefinition& schema) {
        append_varint(body, schema.id);
        append_varint(body, schema.keys.size());
        for (const std::uint32_t key : schema.keys) {
            append_varint(body, key);
        }
    });
}

void encode_meta(Bytes& to, const std::vector<MetaRecord>& meta) {
    encode_list(to, Section::Meta, meta, [](Bytes& body, const MetaRecord& record) {
        append_varint(body, static_cast<std::uint64_t>(record.type));
        append_varint(body, record.seq);
        append_zigzag(body, record.time_ns);
        append_text(body, as_text(record.payload));
    });
}

void encode_ring_positions(Bytes& to, const std::vector<RingPosition>& positions) {
    encode_list(to, Section::RingPositions, positions, [](Bytes& body, const RingPosition& place) {
        append_varint(body, place.ring);
        append(body, place.position);
    });
}

void identity_body(Bytes& body, const FileIdentity& identity) {
    append_text(body, identity.run_id);
    append(body, identity.writer);
    append_varint(body, identity.file_number);
    append_varint(body, identity.attempt);
    append_zigzag(body, identity.rank);
    append_varint(body, static_cast<std::uint64_t>(identity.world_size));
    append_zigzag(body, identity.start_time_ns);
    append_text(body, identity.host);
    append_varint(body, identity.process_id);
    append(body, identity.process_start);
    append_text(body, identity.boot_id);
    append_zigzag(body, identity.resume_step);
    append_text(body, identity.software);
    if (identity.forked_from != 0) {
        append(body, identity.forked_from);
    }
}

}  // namespace

void encode_identity(Bytes& to, const FileIdentity& identity) {
    Bytes body;
    identity_body(body, identity);
    append_section(to, Section::Identity, body);
}

void encode_batch(Bytes& to, const Batch& batch) {
    thread_local Bytes body;
    encode_keys(to, batch.keys);
    encode_schemas(to, batch.schemas);
    for (const WideRows& rows : batch.wide) {
        if (rows.axes.rows() == 0) {
            continue;
        }
        body.clear();
        append_varint(body, rows.schema);
        append_varint(body, rows.axes.rows());
        encode_axes(body, rows.axes);
        for (const std::span<const double> column : rows.columns) {
            encode_numbers(body, column);
        }
        append_section(to, Section::Wide, body);
    }
    for (const LongRows& rows : batch.long_rows) {
        if (rows.axes.rows() == 0) {
            continue;
        }
        body.clear();
        append_varint(body, rows.axes.rows());
        encode_as_integers(body, rows.key);
        encode_axes(body, rows.axes);
        encode_numbers(body, rows.value);
        append_section(to, Section::Long, body);
    }
    encode_list(to, Section::Values, batch.values, encode_value);
    encode_meta(to, batch.meta);
    for (const ConsoleChunk& chunk : batch.console) {
        body.clear();
        append(body, chunk.stream);
        append_zigzag(body, chunk.time_ns);
        append_text(body, chunk.text);
        append_section(to, Section::Console, body);
    }
    encode_ring_positions(to, batch.ring_positions);
    encode_list(to, Section::Gaps, batch.gaps, [](Bytes& list, const Gap& gap) {
        append_varint(list, gap.ring);
        append_varint(list, gap.lost);
        append_zigzag(list, gap.first_time_ns);
        append_zigzag(list, gap.last_time_ns);
    });
    encode_list(to, Section::SpoolPending, batch.spool_pending,
                [](Bytes& list, const SpoolEntry& entry) {
                    append_varint(list, entry.seq);
                    append_varint(list, entry.file);
                    append(list, entry.offset);
                    append(list, entry.length);
                });
    encode_list(to, Section::SpoolDone, batch.spool_done,
                [](Bytes& list, std::uint64_t seq) { append_varint(list, seq); });
}

void encode_checkpoint(Bytes& to, const Checkpoint& checkpoint) {
    Bytes body;
    identity_body(body, checkpoint.identity);
    append_section(to, Section::CheckpointIdentity, body);
    encode_keys(to, checkpoint.keys);
    encode_schemas(to, checkpoint.schemas);
    encode_list(to, Section::Values, checkpoint.hparams, encode_value);
    encode_meta(to, checkpoint.meta);
    encode_ring_positions(to, checkpoint.ring_positions);
    encode_list(to, Section::SeriesState, checkpoint.series,
                [](Bytes& list, const SeriesState& state) {
                    const SeriesSummary& summary = state.summary;
                    append_varint(list, state.key);
                    append_varint(list, summary.count);
                    append_varint(list, summary.nan_count);
                    append(list, summary.min);
                    append(list, summary.max);
                    append(list, summary.sum);
                    append(list, summary.last);
                    append_zigzag(list, summary.first_step);
                    append_zigzag(list, summary.last_step);
                    append_zigzag(list, summary.first_time_ns);
                    append_zigzag(list, summary.last_time_ns);
                });
    std::vector<SeriesState> infinite;
    std::ranges::copy_if(
        checkpoint.series, std::back_inserter(infinite),
        [](const SeriesState& state) { return state.summary.infinity_count() > 0; });
    encode_list(to, Section::SeriesInfinities, infinite, [](Bytes& list, const SeriesState& state) {
        append_varint(list, state.key);
        append_varint(list, state.summary.positive_infinity_count);
        append_varint(list, state.summary.negative_infinity_count);
    });
    body.clear();
    append_zigzag(body, checkpoint.heartbeat_ns);
    append_section(to, Section::Heartbeat, body);
}

void encode_end(Bytes& to, const EndMark& end) {
    Bytes body;
    append(body, end.reason);
    append(body, end.state);
    append_zigzag(body, end.time_ns);
    append_section(to, Section::End, body);
}

std::uint64_t cells_of(const Batch& batch) noexcept {
    constexpr std::uint64_t kAxes = 7;
    std::uint64_t cells = 0;
    for (const WideRows& rows : batch.wide) {
        cells += rows.axes.rows() * (kAxes + rows.columns.size());
    }
    for (const LongRows& rows : batch.long_rows) {
        cells += rows.axes.rows() * (kAxes + 2);
    }
    return cells;
}

}  // namespace taffrail::tlog
