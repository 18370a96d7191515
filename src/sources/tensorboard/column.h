// Points of one scalar tag, packed: about nine bytes a point, exact to the last bit.
//
// Each point is the difference of its step, the difference of its wall time's bit pattern
// (neighbouring doubles of one magnitude differ by little as integers), and the value. Chunks stand
// alone, so columns read from two parts of a file are joined by joining their chunk lists.
#pragma once

#include <taffrail/reader.h>

#include "base/bytes.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace taffrail::sources::tensorboard {

/// Seconds as event files have them, as UTC nanoseconds. NaN and out-of-range times become 0.
std::int64_t to_time_ns(double wall_seconds) noexcept;

struct ColumnPoint {
    std::int64_t step = 0;
    double wall_time = 0;
    double value = 0;
    std::uint32_t attempt = 0;
    std::uint32_t file = 0;
};

/// Points that follow each other, packed. Bytes that are written stay as they are, so a copy of it
/// is a view of what there was.
struct ColumnChunk {
    /// Where points come from.
    struct Origin {
        std::uint32_t file = 0, attempt = 0;
        bool operator==(const Origin&) const = default;
    };

    std::shared_ptr<std::byte[]> bytes;
    std::uint32_t used = 0, capacity = 0, rows = 0;
    Origin origin;
    bool wide = false;

    /// From the first point on.
    class Points {
      public:
        explicit Points(const ColumnChunk& chunk) : Points(chunk, chunk.bytes.get() + chunk.used) {}

        Points(const ColumnChunk& chunk, const std::byte* end)
            : at_(chunk.bytes.get()), end_(end), wide_(chunk.wide) {
            point_.attempt = chunk.origin.attempt;
            point_.file = chunk.origin.file;
        }

        [[nodiscard]] bool more() const noexcept { return at_ < end_; }

        const ColumnPoint& next() noexcept {
            step_ += delta();
            wall_ += delta();
            point_.step = static_cast<std::int64_t>(step_);
            point_.wall_time = std::bit_cast<double>(wall_);
            if (wide_) {
                point_.value = load<double>(at_);
                at_ += sizeof(double);
            } else {
                point_.value = static_cast<double>(load<float>(at_));
                at_ += sizeof(float);
            }
            return point_;
        }

      private:
        std::uint64_t delta() noexcept {
            std::uint64_t raw = 0;
            for (unsigned shift = 0;; shift += 7) {
                const auto byte = static_cast<std::uint64_t>(*at_++);
                raw |= (byte & 0x7F) << shift;
                if (byte < 0x80) {
                    return (raw >> 1) ^ (~(raw & 1) + 1);
                }
            }
        }

        const std::byte* at_;
        const std::byte* end_;
        std::uint64_t step_ = 0, wall_ = 0;
        ColumnPoint point_;
        bool wide_;
    };
};

class ScalarColumn {
  public:
    ScalarColumn() = default;
    ScalarColumn(ScalarColumn&&) = default;
    ScalarColumn& operator=(ScalarColumn&&) = default;

    /// Where the following points come from; a change starts a new chunk.
    using Origin = ColumnChunk::Origin;

    void append(std::int64_t step, double wall_time, float value, const Origin& origin) {
        if (limit_ - cursor_ < kMaxPointBytes || wide_ || !(origin == origin_)) [[unlikely]] {
            start_chunk(origin, false);
        }
        put_position(step, wall_time);
        store_at(cursor_, value);
        cursor_ += sizeof value;
        note(step, wall_time, static_cast<double>(value));
    }

    /// For values that a float does not hold.
    void append_double(std::int64_t step, double wall_time, double value, const Origin& origin);

    /// Moves the points of a later part behind these.
    void join(ScalarColumn&& later, std::uint32_t attempt_offset);

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

    [[nodiscard]] std::int64_t first_step() const noexcept { return first_step_; }

    [[nodiscard]] std::int64_t last_step() const noexcept { return last_step_; }

    [[nodiscard]] double max_wall_time() const noexcept { return max_wall_; }

    [[nodiscard]] std::int64_t max_step() const noexcept { return max_step_; }

    [[nodiscard]] SeriesSummary summary() const;
    /// Bytes held, headers included.
    [[nodiscard]] std::size_t memory() const noexcept;
    /// Frees the points, keeps the summary. points() is empty then and dropped() true.
    void drop();

    [[nodiscard]] bool dropped() const noexcept { return dropped_; }

    /// Calls visit(const ColumnPoint&) for every point in log order.
    template <typename Visit>
    void for_each(Visit&& visit) const;

    /// The points there are now, in log order; the column may grow or go.
    [[nodiscard]] std::vector<ColumnChunk> snapshot() const;

  private:
    static constexpr std::ptrdiff_t kMaxPointBytes = 10 + 10 + 8;

    void start_chunk(const Origin& origin, bool wide);
    void seal_chunk() noexcept;

    static std::byte* put_varint(std::byte* at, std::uint64_t value) noexcept {
        while (value >= 0x80) {
            *at++ = static_cast<std::byte>(value | 0x80);
            value >>= 7;
        }
        *at++ = static_cast<std::byte>(value);
        return at;
    }

    static std::uint64_t zigzag(std::uint64_t difference) noexcept {
        return (difference << 1) ^
               static_cast<std::uint64_t>(static_cast<std::int64_t>(difference) >> 63);
    }

    void put_position(std::int64_t step, double wall_time) noexcept {
        const auto raw_step = static_cast<std::uint64_t>(step);
        const auto raw_wall = std::bit_cast<std::uint64_t>(wall_time);
        cursor_ = put_varint(cursor_, zigzag(raw_step - previous_step_));
        cursor_ = put_varint(cursor_, zigzag(raw_wall - previous_wall_));
        previous_step_ = raw_step;
        previous_wall_ = raw_wall;
    }

    void note(std::int64_t step, double wall_time, double value) noexcept {
        if (count_++ == 0) {
            first_step_ = step;
            first_wall_ = wall_time;
        }
        last_step_ = step;
        last_wall_ = wall_time;
        max_wall_ = wall_time > max_wall_ ? wall_time : max_wall_;
        min_step_ = step < min_step_ ? step : min_step_;
        max_step_ = step > max_step_ ? step : max_step_;
        if (std::isfinite(value)) [[likely]] {
            last_ = value;
            min_ = value < min_ ? value : min_;
            max_ = value > max_ ? value : max_;
            sum_ += value;
        } else {
            ++(std::isnan(value) ? nan_count_
               : value > 0       ? positive_infinity_count_
                                 : negative_infinity_count_);
        }
    }

    std::byte* cursor_ = nullptr;
    std::byte* limit_ = nullptr;
    std::uint64_t previous_step_ = 0, previous_wall_ = 0;
    Origin origin_;
    bool wide_ = false;
    bool dropped_ = false;

    std::uint64_t count_ = 0, nan_count_ = 0, positive_infinity_count_ = 0,
                  negative_infinity_count_ = 0;
    double min_ = std::numeric_limits<double>::infinity(),
           max_ = -std::numeric_limits<double>::infinity();
    double sum_ = 0, last_ = std::numeric_limits<double>::quiet_NaN();
    std::int64_t first_step_ = 0, last_step_ = 0;
    double first_wall_ = 0, last_wall_ = 0;
    double max_wall_ = -std::numeric_limits<double>::infinity();
    std::int64_t min_step_ = INT64_MAX, max_step_ = INT64_MIN;
    std::vector<ColumnChunk> chunks_;
    std::uint64_t whole_rows_ = 0;  ///< in all chunks but the last
};

template <typename Visit>
void ScalarColumn::for_each(Visit&& visit) const {
    for (const ColumnChunk& chunk : chunks_) {
        const bool last = &chunk == &chunks_.back();
        ColumnChunk::Points points(chunk, last ? cursor_ : chunk.bytes.get() + chunk.used);
        while (points.more()) {
            visit(points.next());
        }
    }
}

}  // namespace taffrail::sources::tensorboard
