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

namespace taffrail::tensorboard {

/// Seconds as event files have them, as UTC nanoseconds. NaN and out-of-range times become 0.
std::int64_t to_time_ns(double wall_seconds) noexcept;

struct ColumnPoint {
    std::int64_t step = 0;
    double wall_time = 0;
    double value = 0;
    std::uint32_t attempt = 0;
    std::uint32_t file = 0;
};

class ScalarColumn {
  public:
    ScalarColumn() = default;
    ScalarColumn(ScalarColumn&&) = default;
    ScalarColumn& operator=(ScalarColumn&&) = default;

    /// Where the following points come from; a change starts a new chunk.
    struct Origin {
        std::uint32_t file = 0, attempt = 0;
        bool operator==(const Origin&) const = default;
    };

    void append(std::int64_t step, double wall_time, float value, const Origin& origin) {
        if (limit_ - cursor_ < kMaxPointBytes || wide_ || !(origin == origin_)) [[unlikely]] {
            start_chunk(origin, false);
        }
        put_position(step, wall_time);
        store(cursor_, value);
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

  private:
    static constexpr std::ptrdiff_t kMaxPointBytes = 10 + 10 + 8;

    struct Chunk {
        std::unique_ptr<std::byte[]> bytes;
        std::uint32_t used = 0, capacity = 0;
        Origin origin;
        bool wide = false;
    };

    void start_chunk(const Origin& origin, bool wide);
    void seal_chunk() noexcept;

    [[nodiscard]] std::uint32_t used(const Chunk& chunk) const noexcept {
        return &chunk == &chunks_.back() ? static_cast<std::uint32_t>(cursor_ - chunk.bytes.get())
                                         : chunk.used;
    }

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
    std::vector<Chunk> chunks_;
};

template <typename Visit>
void ScalarColumn::for_each(Visit&& visit) const {
    for (const Chunk& chunk : chunks_) {
        const std::byte* at = chunk.bytes.get();
        const std::byte* const end = at + used(chunk);
        std::uint64_t step = 0, wall = 0;
        const auto delta = [&at]() noexcept {
            std::uint64_t raw = 0;
            for (unsigned shift = 0;; shift += 7) {
                const auto byte = static_cast<std::uint64_t>(*at++);
                raw |= (byte & 0x7F) << shift;
                if (byte < 0x80) {
                    return (raw >> 1) ^ (~(raw & 1) + 1);
                }
            }
        };
        while (at < end) {
            step += delta();
            wall += delta();
            ColumnPoint point{.step = static_cast<std::int64_t>(step),
                              .wall_time = std::bit_cast<double>(wall),
                              .value = 0,
                              .attempt = chunk.origin.attempt,
                              .file = chunk.origin.file};
            if (chunk.wide) {
                point.value = load<double>(at);
                at += sizeof(double);
            } else {
                point.value = static_cast<double>(load<float>(at));
                at += sizeof(float);
            }
            visit(static_cast<const ColumnPoint&>(point));
        }
    }
}

}  // namespace taffrail::tensorboard
