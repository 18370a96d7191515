#include "trainer/stop.h"

#include "base/try.h"

#include <algorithm>
#include <array>
#include <span>

namespace taffrail::trainer {

namespace {

constexpr std::chrono::milliseconds kBetweenMeetings{50};
// However short batches are: they may become slow, and a stop waits for the announced batch.
constexpr std::int64_t kFarthest = 1024;

}  // namespace

void Stop::begin(Communicator* ranks) noexcept {
    ranks_ = ranks != nullptr && ranks->world_size() > 1 ? ranks : nullptr;
    asked_ = false;
    signal_ = 0;
    agreed_asked_ = false;
    agreed_signal_ = 0;
    meets_ = true;
    pass_ = 0;
    distance_ = 1;
    batches_ = 0;
    met_ = Clock::now();
}

// Rank 0 announces by what the batches since the last meeting took. Twice as far at most: the
// first ones say little.
std::int64_t Stop::next_distance() const noexcept {
    if (batches_ == 0) {
        return distance_;
    }
    const auto each = std::max<std::int64_t>(
        1, std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - met_).count() /
               batches_);
    const std::int64_t wanted =
        std::chrono::duration_cast<std::chrono::nanoseconds>(kBetweenMeetings).count() / each;
    return std::clamp<std::int64_t>(wanted, 1, std::min(2 * distance_, kFarthest));
}

Result<Stop::Heard> Stop::exchange(At at, bool absent) {
    enum : std::size_t { Asked, Signal, Absent, Middle, End, Place, NotPlace, Next, Count };

    std::array<std::int64_t, Count> values{};
    values[Asked] = asked_ ? 1 : 0;
    values[Signal] = signal_;
    values[Absent] = absent ? 1 : 0;
    values[Middle] = at == At::Middle ? 1 : 0;
    values[End] = at == At::End ? 1 : 0;
    values[Place] = pass_;
    values[NotPlace] = -pass_;
    values[Next] = ranks_->rank() == 0 ? next_distance() : 0;
    if (auto met = ranks_->all_reduce(std::span<std::int64_t>(values), ReduceOp::Max); !met.ok()) {
        return Error{met.error().code,
                     "asking the other ranks whether to go on: " + met.error().message};
    }
    distance_ = std::max<std::int64_t>(1, values[Next]);
    batches_ = 0;
    met_ = Clock::now();
    if (values[Place] != -values[NotPlace]) {
        return Error{ErrorCode::InvalidArgument,
                     "the ranks are at different places: rank " + std::to_string(ranks_->rank()) +
                         " is in pass " + std::to_string(pass_) + " over its data, others are in " +
                         std::to_string(-values[NotPlace]) + " to " +
                         std::to_string(values[Place]) +
                         "; every rank must validate after the same batches (give "
                         "val_check_interval as a number of batches where the ranks have "
                         "different amounts of data)"};
    }
    // While some ranks are done with a pass and others have batches left, positions differ: they
    // stop where they are the same again.
    if (values[Middle] == 0 || values[End] == 0) {
        agreed_asked_ = agreed_asked_ || values[Asked] != 0;
        agreed_signal_ = std::max(agreed_signal_, static_cast<int>(values[Signal]));
    }
    return Heard{values[Absent] != 0, values[Middle] != 0};
}

Result<void> Stop::begin_pass(bool takes_part) {
    if (alone()) {
        agreed_signal_ = signal_;
        return {};
    }
    ++pass_;
    TAFFRAIL_ASSIGN(const Heard heard, exchange(At::Start, !takes_part));
    meets_ = !heard.absent;
    return {};
}

Result<void> Stop::batch_done() {
    if (alone()) {
        agreed_signal_ = signal_;
        return {};
    }
    if (meets_ && ++batches_ >= distance_) {
        TAFFRAIL_TRY(exchange(At::Middle, false));
    }
    return {};
}

Result<void> Stop::end_pass() {
    if (alone()) {
        agreed_signal_ = signal_;
        return {};
    }
    if (meets_) {
        for (bool waiting = true; waiting;) {
            TAFFRAIL_ASSIGN(const Heard heard, exchange(At::End, false));
            waiting = heard.middle;
        }
    }
    return {};
}

Result<void> Stop::meet() {
    if (alone()) {
        agreed_signal_ = signal_;
        return {};
    }
    ++pass_;
    meets_ = true;
    TAFFRAIL_TRY(exchange(At::Outside, false));
    return {};
}

}  // namespace taffrail::trainer
