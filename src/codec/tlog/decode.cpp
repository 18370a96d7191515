#include "codec/tlog/decode.h"

#include "codec/tlog/budget.h"
#include "codec/tlog/columns.h"
#include "codec/tlog/decode_items.h"

#include <algorithm>
#include <limits>
#include <map>

namespace taffrail::tlog {
namespace {

constexpr std::uint64_t kAxisColumns = 7;

bool read_identity(ByteCursor cursor, FileIdentity& identity) {
    identity.run_id = cursor.text();
    identity.writer = cursor.read<std::uint64_t>();
    identity.file_number = static_cast<std::uint32_t>(cursor.varint());
    identity.attempt = static_cast<std::uint32_t>(cursor.varint());
    identity.rank = static_cast<std::int32_t>(cursor.zigzag());
    identity.world_size = static_cast<std::int32_t>(cursor.varint());
    identity.start_time_ns = cursor.zigzag();
    identity.host = cursor.text();
    identity.process_id = cursor.varint();
    identity.process_start = cursor.read<std::uint64_t>();
    identity.boot_id = cursor.text();
    identity.resume_step = cursor.zigzag();
    identity.software = cursor.text();
    if (cursor.ok() && cursor.remaining() > 0) {
        identity.forked_from = cursor.read<std::uint64_t>();
    }
    return cursor.ok();
}

SeriesState read_series_state(ByteCursor& from) {
    SeriesState state;
    SeriesSummary& summary = state.summary;
    state.key = static_cast<std::uint32_t>(from.varint());
    summary.count = from.varint();
    summary.nan_count = from.varint();
    summary.min = from.read<double>();
    summary.max = from.read<double>();
    summary.sum = from.read<double>();
    summary.last = from.read<double>();
    summary.first_step = from.zigzag();
    summary.last_step = from.zigzag();
    summary.first_time_ns = from.zigzag();
    summary.last_time_ns = from.zigzag();
    return state;
}

/// Key id and how many of its points were infinities.
SeriesState read_series_infinities(ByteCursor& from) {
    SeriesState state;
    state.key = static_cast<std::uint32_t>(from.varint());
    state.summary.positive_infinity_count = from.varint();
    state.summary.negative_infinity_count = from.varint();
    return state;
}

void add_infinities(const std::vector<SeriesState>& infinite, std::vector<SeriesState>& series) {
    std::map<std::uint32_t, const SeriesSummary*> by_key;
    for (const SeriesState& state : infinite) {
        by_key[state.key] = &state.summary;
    }
    for (SeriesState& state : series) {
        if (const auto found = by_key.find(state.key); found != by_key.end()) {
            state.summary.positive_infinity_count = found->second->positive_infinity_count;
            state.summary.negative_infinity_count = found->second->negative_infinity_count;
        }
    }
}

}  // namespace

template <typename T>
std::span<T> DecodedBatch::allocate(std::size_t count) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    if (used_blocks_ == blocks_.size()) {
        blocks_.emplace_back();
    }
    std::vector<std::uint64_t>& block = blocks_[used_blocks_++];
    block.resize((count * sizeof(T) + 7) / 8);
    return {reinterpret_cast<T*>(block.data()), count};
}

bool DecodedBatch::claim(std::uint64_t cells) noexcept {
    if (cells > cells_left_) {
        return false;
    }
    cells_left_ -= cells;
    return true;
}

void DecodedBatch::decode_axes(ByteCursor& from, std::size_t rows, Axes& axes) {
    const auto seq = allocate<std::int64_t>(rows);
    const auto step = allocate<std::int64_t>(rows);
    const auto time_ns = allocate<std::int64_t>(rows);
    if (!decode_integers(from, seq) || !decode_integers(from, step) ||
        !decode_integers(from, time_ns)) {
        from.fail();
        return;
    }
    const auto epoch = allocate<double>(rows);
    if (!decode_numbers(from, epoch)) {
        std::ranges::fill(epoch, std::numeric_limits<double>::quiet_NaN());
    }
    const auto samples = allocate<std::int64_t>(rows);
    if (!decode_integers(from, samples)) {
        std::ranges::fill(samples, INT64_MIN);
    }
    const auto phase = allocate<std::uint8_t>(rows);
    const auto route = allocate<std::uint32_t>(rows);
    const auto wide = allocate<std::int64_t>(rows);
    if (decode_integers(from, wide)) {
        std::ranges::transform(wide, phase.begin(),
                               [](std::int64_t value) { return static_cast<std::uint8_t>(value); });
    } else {
        std::ranges::fill(phase, std::uint8_t{0});
    }
    if (decode_integers(from, wide)) {
        std::ranges::transform(wide, route.begin(), [](std::int64_t value) {
            return static_cast<std::uint32_t>(value);
        });
    } else {
        std::ranges::fill(route, std::uint32_t{kAllSinks});
    }
    axes = {{reinterpret_cast<const std::uint64_t*>(seq.data()), rows},
            step,
            time_ns,
            epoch,
            samples,
            phase,
            route};
}

void DecodedBatch::decode_wide(ByteCursor& from) {
    WideRows& rows = batch_.wide.emplace_back();
    rows.schema = static_cast<std::uint32_t>(from.varint());
    const std::uint64_t count = from.varint();
    if (count == 0 || count > kMaxFrameCells || !claim(count * kAxisColumns)) {
        return from.fail();
    }
    decode_axes(from, static_cast<std::size_t>(count), rows.axes);
    // The section's end tells the width, so that rows can be read before their schema is known.
    while (from.ok() && from.remaining() > 0) {
        if (!claim(count)) {
            return from.fail();
        }
        const auto column = allocate<double>(static_cast<std::size_t>(count));
        if (!decode_numbers(from, column)) {
            return from.fail();
        }
        rows.columns.emplace_back(column);
    }
}

void DecodedBatch::decode_long(ByteCursor& from) {
    LongRows& rows = batch_.long_rows.emplace_back();
    const std::uint64_t count = from.varint();
    if (count == 0 || count > kMaxFrameCells || !claim(count * (kAxisColumns + 2))) {
        return from.fail();
    }
    const auto size = static_cast<std::size_t>(count);
    const auto wide = allocate<std::int64_t>(size);
    if (!decode_integers(from, wide)) {
        return from.fail();
    }
    const auto key = allocate<std::uint32_t>(size);
    std::ranges::transform(wide, key.begin(),
                           [](std::int64_t value) { return static_cast<std::uint32_t>(value); });
    decode_axes(from, size, rows.axes);
    const auto value = allocate<double>(size);
    if (!from.ok() || !decode_numbers(from, value)) {
        return from.fail();
    }
    rows.key = key;
    rows.value = value;
}

bool DecodedBatch::decode_section(Section tag, ByteSpan body) {
    ByteCursor from(body);
    switch (tag) {
        case Section::Keys:
            decode_keys(from, batch_.keys);
            break;
        case Section::Schemas:
            decode_schemas(from, batch_.schemas);
            break;
        case Section::Wide:
            decode_wide(from);
            break;
        case Section::Long:
            decode_long(from);
            break;
        case Section::Values:
            decode_values(from, batch_.values);
            break;
        case Section::Meta:
            decode_meta(from, batch_.meta);
            break;
        case Section::Console: {
            ConsoleChunk& chunk = batch_.console.emplace_back();
            chunk.stream = from.read<std::uint8_t>();
            chunk.time_ns = from.zigzag();
            chunk.text = from.text();
            break;
        }
        case Section::RingPositions:
            decode_ring_positions(from, batch_.ring_positions);
            break;
        case Section::Gaps:
            decode_list(from, batch_.gaps, [](ByteCursor& item) {
                Gap gap;
                gap.ring = static_cast<std::uint32_t>(item.varint());
                gap.lost = item.varint();
                gap.first_time_ns = item.zigzag();
                gap.last_time_ns = item.zigzag();
                return gap;
            });
            break;
        case Section::SpoolPending:
            decode_list(from, batch_.spool_pending, [](ByteCursor& item) {
                SpoolEntry entry;
                entry.seq = item.varint();
                entry.file = static_cast<std::uint32_t>(item.varint());
                entry.offset = item.read<std::uint64_t>();
                entry.length = item.read<std::uint64_t>();
                return entry;
            });
            break;
        case Section::SpoolDone:
            decode_list(from, batch_.spool_done, [](ByteCursor& item) { return item.varint(); });
            break;
        default:
            unknown_.emplace_back(tag, body);
            break;
    }
    return from.ok();
}

bool DecodedBatch::decode(ByteSpan payload, std::uint64_t max_cells) {
    batch_ = Batch{};
    unknown_.clear();
    used_blocks_ = 0;
    cells_left_ = max_cells;
    bool good = true;
    good = for_each_section(payload,
                            [this, &good](Section tag, ByteSpan body) {
                                good = good && decode_section(tag, body);
                            }) &&
           good;
    if (!good) {
        batch_ = Batch{};
    }
    return good;
}

bool DecodedBatch::decode(const FrameHeader& header, ByteSpan payload) {
    return decode(payload, most_cells(header.stored_bytes));
}

std::optional<FileIdentity> decode_identity(ByteSpan payload) {
    std::optional<FileIdentity> found;
    for_each_section(payload, [&found](Section tag, ByteSpan body) {
        FileIdentity identity;
        if (tag == Section::Identity && read_identity(ByteCursor(body), identity)) {
            found = std::move(identity);
        }
    });
    return found;
}

std::optional<Checkpoint> decode_checkpoint(ByteSpan payload, CheckpointParts parts) {
    Checkpoint checkpoint;
    std::vector<SeriesState> infinite;
    bool good = true;
    const bool divided = for_each_section(payload, [&](Section tag, ByteSpan body) {
        ByteCursor from(body);
        if (parts == CheckpointParts::Description &&
            (tag == Section::Keys || tag == Section::Schemas || tag == Section::SeriesState)) {
            return;
        }
        switch (tag) {
            case Section::Keys:
                decode_keys(from, checkpoint.keys);
                break;
            case Section::Schemas:
                decode_schemas(from, checkpoint.schemas);
                break;
            case Section::Values:
                decode_values(from, checkpoint.hparams);
                break;
            case Section::Meta:
                decode_meta(from, checkpoint.meta);
                break;
            case Section::RingPositions:
                decode_ring_positions(from, checkpoint.ring_positions);
                break;
            case Section::SeriesState:
                decode_list(from, checkpoint.series, read_series_state);
                break;
            case Section::SeriesInfinities:
                decode_list(from, infinite, read_series_infinities);
                break;
            case Section::Heartbeat:
                checkpoint.heartbeat_ns = from.zigzag();
                break;
            case Section::CheckpointIdentity:
                good = good && read_identity(from, checkpoint.identity);
                break;
            default:
                break;
        }
        good = good && from.ok();
    });
    add_infinities(infinite, checkpoint.series);
    return divided && good ? std::optional(std::move(checkpoint)) : std::nullopt;
}

std::optional<EndMark> decode_end(ByteSpan payload) {
    std::optional<EndMark> found;
    for_each_section(payload, [&found](Section tag, ByteSpan body) {
        if (tag == Section::End) {
            ByteCursor from(body);
            EndMark end;
            end.reason = from.read<EndReason>();
            end.state = from.read<RunState>();
            end.time_ns = from.zigzag();
            if (from.ok()) {
                found = end;
            }
        }
    });
    return found;
}

}  // namespace taffrail::tlog
