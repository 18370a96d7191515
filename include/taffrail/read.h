// Reading a scalar series in columns: ask a run for a cursor, take chunks until it ends.
//
//     TAFFRAIL_ASSIGN(auto cursor, run.read("train/loss", {.columns = {Column::Value}}));
//     for (;;) {
//         TAFFRAIL_ASSIGN(auto step, cursor->next());
//         if (const ReadEnd* end = std::get_if<ReadEnd>(&step)) { … end->damage … break; }
//         … std::get<Chunk>(step).value() …
//     }
//
// A chunk is what Arrow calls a record batch: immutable columns, 64-byte aligned, with validity
// bits in Arrow's layout. It owns its memory, so that it may be handed on without a copy and kept
// after the cursor and the run are gone.
#pragma once

#include <taffrail/api.h>
#include <taffrail/record.h>
#include <taffrail/result.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace taffrail {

/// One point of a scalar series. Absent epoch/samples are NaN / INT64_MIN.
struct TAFFRAIL_API Point {
    Step step = 0;
    std::int64_t time_ns = 0;
    double value = 0;
    double epoch = std::numeric_limits<double>::quiet_NaN();
    std::int64_t samples = INT64_MIN;
    std::uint32_t attempt = 0;
    std::int32_t rank = 0;
    Phase phase = Phase::None;
    std::uint64_t writer = 0, seq = 0;
};

/// A damaged or missing range, stated exactly.
struct TAFFRAIL_API Damage {
    std::string file = {};
    std::uint64_t offset = 0, length = 0;       ///< bytes
    std::uint64_t first_seq = 0, last_seq = 0;  ///< rows lost, where known
    std::string reason = {};
};

/// Which points of a series that several attempts logged.
enum class Attempts : std::uint8_t {
    Winning,  ///< what a later attempt superseded is left out
    All,
};

/// The x axis of a question.
enum class Axis : std::uint8_t { Steps, WallTime, RelativeTime, Epoch, Samples, Metric };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // g++ 12 takes scoped names for shadows of types

/// A column of a scalar series, with the type of its values in a chunk. Epoch and Samples may be
/// absent in any row; the others never are.
enum class Column : std::uint8_t {
    Step,     ///< int64
    Time,     ///< int64, nanoseconds since 1970 (UTC)
    Value,    ///< double; NaN and infinities are values like any other
    Epoch,    ///< double, NaN where absent
    Samples,  ///< int64, INT64_MIN where absent
    Rank,     ///< int32
    Attempt,  ///< uint32, from 0
    Phase,    ///< uint8, enum Phase
    Writer,   ///< uint64; with Seq it names a row of the log
    Seq,      ///< uint64
};

#pragma GCC diagnostic pop

inline constexpr std::size_t kColumnKinds = 10;

/// A set of columns.
class TAFFRAIL_API Columns {
  public:
    constexpr Columns() = default;

    constexpr Columns(std::initializer_list<Column> columns) {
        for (const Column column : columns) {
            bits_ |= bit(column);
        }
    }

    [[nodiscard]] static constexpr Columns all() noexcept {
        Columns columns;
        columns.bits_ = (1u << kColumnKinds) - 1;
        return columns;
    }

    [[nodiscard]] constexpr bool contains(Column column) const noexcept {
        return (bits_ & bit(column)) != 0;
    }

    [[nodiscard]] constexpr Columns operator|(Columns other) const noexcept {
        other.bits_ |= bits_;
        return other;
    }

    [[nodiscard]] constexpr bool operator==(const Columns&) const noexcept = default;

  private:
    static constexpr std::uint32_t bit(Column column) noexcept {
        return 1u << static_cast<unsigned>(column);
    }

    std::uint32_t bits_ = 0;
};

enum class Direction : std::uint8_t { Forwards, Backwards };

/// What to read of a series.
struct TAFFRAIL_API ReadRequest {
    /// Chunks hold these and no others; each costs its own bytes, nothing else.
    Columns columns = {Column::Step, Column::Value};
    /// Only points from `from` to `to`, both included, in units of the axis (ns for the time axes);
    /// without an axis they are steps. Absent = open. Points without a place on the axis are left
    /// out where a range or an axis is given.
    std::optional<double> from = {}, to = {};
    Attempts attempts = Attempts::Winning;
    /// Absent: log order (attempt, rank, writer, row number). Else the order of positions on this
    /// axis, equal ones in log order. Free where the series was logged in that order; else its
    /// points are sorted first, in memory. Not Axis::Metric, which is refused.
    std::optional<Axis> axis = {};
    /// Backwards: the last point first. Reads only as far as chunks are taken.
    Direction direction = Direction::Forwards;
};

struct ChunkBuffers;

/// At most kMaxRows rows of a series. Immutable and cheap to copy; safe to read from any thread.
class TAFFRAIL_API Chunk {
  public:
    static constexpr std::size_t kMaxRows = 65536;

    explicit Chunk(std::shared_ptr<const ChunkBuffers> buffers) : buffers_(std::move(buffers)) {}

    [[nodiscard]] std::size_t rows() const noexcept;
    [[nodiscard]] Columns columns() const noexcept;

    // Each is rows() long, or empty when the column was not asked for.

    [[nodiscard]] std::span<const Step> step() const noexcept { return values<Step>(Column::Step); }

    [[nodiscard]] std::span<const std::int64_t> time_ns() const noexcept {
        return values<std::int64_t>(Column::Time);
    }

    [[nodiscard]] std::span<const double> value() const noexcept {
        return values<double>(Column::Value);
    }

    [[nodiscard]] std::span<const double> epoch() const noexcept {
        return values<double>(Column::Epoch);
    }

    [[nodiscard]] std::span<const std::int64_t> samples() const noexcept {
        return values<std::int64_t>(Column::Samples);
    }

    [[nodiscard]] std::span<const std::int32_t> rank() const noexcept {
        return values<std::int32_t>(Column::Rank);
    }

    [[nodiscard]] std::span<const std::uint32_t> attempt() const noexcept {
        return values<std::uint32_t>(Column::Attempt);
    }

    [[nodiscard]] std::span<const Phase> phase() const noexcept {
        return values<Phase>(Column::Phase);
    }

    [[nodiscard]] std::span<const std::uint64_t> writer() const noexcept {
        return values<std::uint64_t>(Column::Writer);
    }

    [[nodiscard]] std::span<const std::uint64_t> seq() const noexcept {
        return values<std::uint64_t>(Column::Seq);
    }

    /// The values of a column as bytes, 64-byte aligned and padded to 64 bytes; null when it was
    /// not asked for. Lives as long as any copy of this chunk, or as buffers().
    [[nodiscard]] const void* data(Column column) const noexcept;
    /// Bit i % 8 of byte i / 8 is set where row i has a value; null when every row has one.
    [[nodiscard]] const std::uint8_t* validity(Column column) const noexcept;
    [[nodiscard]] std::size_t null_count(Column column) const noexcept;

    [[nodiscard]] bool is_valid(Column column, std::size_t row) const noexcept {
        const std::uint8_t* const bits = validity(column);
        return bits == nullptr || (bits[row / 8] >> row % 8 & 1) != 0;
    }

    /// A row of a chunk; columns that were not asked for keep Point's defaults.
    [[nodiscard]] Point point(std::size_t row) const noexcept;

    /// Keeps the memory alive, for owners that are no Chunk.
    [[nodiscard]] const std::shared_ptr<const ChunkBuffers>& buffers() const noexcept {
        return buffers_;
    }

  private:
    template <typename T>
    [[nodiscard]] std::span<const T> values(Column column) const noexcept {
        const void* const at = data(column);
        return {static_cast<const T*>(at), at != nullptr ? rows() : 0};
    }

    std::shared_ptr<const ChunkBuffers> buffers_;
};

/// The end of a series.
struct TAFFRAIL_API ReadEnd {
    /// What of it could not be read, or may have held points of it and could not. Empty: the chunks
    /// were all there is.
    std::vector<Damage> damage = {};
};

/// Hands out a series chunk by chunk. The snapshot is that of RecordedRun::read(): points logged
/// later do not appear. One thread at a time; the run may be gone. Memory is bound by a few chunks,
/// whatever the length of the series, unless it has to be sorted.
class TAFFRAIL_API ReadCursor {
  public:
    virtual ~ReadCursor() = default;

    /// The next chunk, which is never empty, or the end. After the end or an error: the same again.
    [[nodiscard]] virtual Result<std::variant<Chunk, ReadEnd>> next() = 0;
};

}  // namespace taffrail
