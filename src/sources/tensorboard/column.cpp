#include "sources/tensorboard/column.h"

#include <algorithm>
#include <cmath>

namespace taffrail::sources::tensorboard {
namespace {

constexpr std::size_t kSmallestChunk = 64, kLargestChunk = std::size_t{32} << 10;
// Parts this small are added point by point: a live run would else collect thousands of tiny
// chunks.
constexpr std::uint64_t kJoinByPoint = 256;

}  // namespace

std::int64_t to_time_ns(double wall_seconds) noexcept {
    // Whole and fractional seconds apart: their product as one double would round to 256 ns.
    if (!(std::abs(wall_seconds) < 9.2e9)) {
        return 0;
    }
    const double whole = std::floor(wall_seconds);
    return static_cast<std::int64_t>(whole) * 1'000'000'000 +
           static_cast<std::int64_t>(std::llround((wall_seconds - whole) * 1e9));
}

void ScalarColumn::seal_chunk() noexcept {
    if (!chunks_.empty()) {
        ColumnChunk& chunk = chunks_.back();
        chunk.used = static_cast<std::uint32_t>(cursor_ - chunk.bytes.get());
        chunk.rows = static_cast<std::uint32_t>(count_ - whole_rows_);
        whole_rows_ = count_;
    }
}

std::vector<ColumnChunk> ScalarColumn::snapshot() const {
    std::vector<ColumnChunk> all = chunks_;
    if (!all.empty()) {
        all.back().used = static_cast<std::uint32_t>(cursor_ - all.back().bytes.get());
        all.back().rows = static_cast<std::uint32_t>(count_ - whole_rows_);
    }
    return all;
}

void ScalarColumn::start_chunk(const Origin& origin, bool wide) {
    seal_chunk();
    // A quarter of what is there: at most a fifth of the memory is room not used yet.
    std::size_t held = 0;
    for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend() && held < 4 * kLargestChunk;
         ++chunk) {
        held += chunk->capacity;
    }
    const std::size_t capacity = std::clamp(held / 4, kSmallestChunk, kLargestChunk);
    ColumnChunk& chunk = chunks_.emplace_back();
    chunk.bytes = std::make_shared_for_overwrite<std::byte[]>(capacity);
    chunk.capacity = static_cast<std::uint32_t>(capacity);
    chunk.origin = origin;
    chunk.wide = wide;
    cursor_ = chunk.bytes.get();
    limit_ = cursor_ + capacity;
    previous_step_ = previous_wall_ = 0;
    origin_ = origin;
    wide_ = wide;
}

void ScalarColumn::append_double(std::int64_t step, double wall_time, double value,
                                 const Origin& origin) {
    const bool fits = std::isnan(value) || static_cast<double>(static_cast<float>(value)) == value;
    if (fits && !wide_) {
        append(step, wall_time, static_cast<float>(value), origin);
        return;
    }
    if (limit_ - cursor_ < kMaxPointBytes || !wide_ || !(origin == origin_)) {
        start_chunk(origin, true);
    }
    put_position(step, wall_time);
    store_at(cursor_, value);
    cursor_ += sizeof value;
    note(step, wall_time, value);
}

void ScalarColumn::join(ScalarColumn&& later, std::uint32_t attempt_offset) {
    if (count_ > 0 && later.count_ < kJoinByPoint) {
        later.for_each([&](const ColumnPoint& point) {
            append_double(point.step, point.wall_time, point.value,
                          {.file = point.file, .attempt = point.attempt + attempt_offset});
        });
        return;
    }
    if (count_ == 0) {
        *this = std::move(later);
        for (ColumnChunk& chunk : chunks_) {
            chunk.origin.attempt += attempt_offset;
        }
        origin_.attempt += attempt_offset;
        return;
    }
    seal_chunk();
    for (ColumnChunk& chunk : later.chunks_) {
        chunk.origin.attempt += attempt_offset;
        chunks_.push_back(std::move(chunk));
    }
    cursor_ = later.cursor_;
    limit_ = later.limit_;
    previous_step_ = later.previous_step_;
    previous_wall_ = later.previous_wall_;
    origin_ = {.file = later.origin_.file, .attempt = later.origin_.attempt + attempt_offset};
    wide_ = later.wide_;
    whole_rows_ = count_ + later.whole_rows_;
    count_ += later.count_;
    nan_count_ += later.nan_count_;
    positive_infinity_count_ += later.positive_infinity_count_;
    negative_infinity_count_ += later.negative_infinity_count_;
    min_ = std::min(min_, later.min_);
    max_ = std::max(max_, later.max_);
    sum_ += later.sum_;
    last_ = std::isnan(later.last_) ? last_ : later.last_;
    last_step_ = later.last_step_;
    last_wall_ = later.last_wall_;
    max_wall_ = std::max(max_wall_, later.max_wall_);
    min_step_ = std::min(min_step_, later.min_step_);
    max_step_ = std::max(max_step_, later.max_step_);
}

SeriesSummary ScalarColumn::summary() const {
    const bool numbers = min_ <= max_;
    return {.count = count_,
            .nan_count = nan_count_,
            .positive_infinity_count = positive_infinity_count_,
            .negative_infinity_count = negative_infinity_count_,
            .min = numbers ? min_ : std::numeric_limits<double>::quiet_NaN(),
            .max = numbers ? max_ : std::numeric_limits<double>::quiet_NaN(),
            .sum = sum_,
            .last = last_,
            .first_step = min_step_,
            .last_step = max_step_,
            .first_time_ns = to_time_ns(first_wall_),
            .last_time_ns = to_time_ns(last_wall_)};
}

std::size_t ScalarColumn::memory() const noexcept {
    std::size_t bytes = chunks_.capacity() * sizeof(ColumnChunk);
    for (const ColumnChunk& chunk : chunks_) {
        bytes += chunk.capacity;
    }
    return bytes;
}

void ScalarColumn::drop() {
    std::vector<ColumnChunk>().swap(chunks_);
    cursor_ = limit_ = nullptr;
    dropped_ = count_ > 0;
}

}  // namespace taffrail::sources::tensorboard
