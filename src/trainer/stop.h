// Whether a stage shall end before its data does, and how all ranks come to the same answer at the
// same place.
//
// Each rank has wishes of its own (stop(), a time limit, a signal). A rank that is alone acts on
// them at once. Several ranks meet now and then and act only on what they agreed there: at the end
// of every pass over data, where a pass begins, and in between at batches that rank 0 announces at
// the meeting before, so that they come about every 50 ms. A meeting for each batch would be too
// dear; a message without a meeting could reach a rank that is past the batch it names.
#pragma once

#include <taffrail/communicator.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace taffrail::trainer {

class Stop {
  public:
    /// A stage begins. Null = one rank.
    void begin(Communicator* ranks) noexcept;

    // Wishes of this rank; from any thread

    void ask() noexcept { asked_ = true; }

    void notice_signal(int signal) noexcept {
        if (signal != 0) {
            signal_ = signal;
        }
    }

    /// This rank wants to stop, or all do.
    [[nodiscard]] bool wanted() const noexcept { return asked_ || agreed_asked_; }

    // What all ranks act on

    [[nodiscard]] bool asked() const noexcept { return alone() ? asked_.load() : agreed_asked_; }

    [[nodiscard]] int signal() const noexcept { return agreed_signal_; }

    // Where ranks meet. Errors are those of the communicator.

    /// An evaluation begins. Unless every rank takes part there are no meetings in it, since the
    /// others may be elsewhere; meet() comes after it in any case.
    Result<void> begin_pass(bool takes_part);
    /// A batch of the pass is done; a meeting when it was announced.
    Result<void> batch_done();
    /// This rank is at the end of its pass, where ranks may have a batch more or less: returns when
    /// all are there.
    Result<void> end_pass();
    /// A place that all ranks come to, after a pass and its hooks.
    Result<void> meet();

  private:
    enum class At : std::uint8_t { Start, Middle, End, Outside };

    struct Heard {
        bool absent = false;  // some rank does not take part in the pass
        bool middle = false;  // some rank has batches left
    };

    [[nodiscard]] bool alone() const noexcept { return ranks_ == nullptr; }

    Result<Heard> exchange(At at, bool absent);
    [[nodiscard]] std::int64_t next_distance() const noexcept;

    using Clock = std::chrono::steady_clock;

    Communicator* ranks_ = nullptr;
    std::atomic<bool> asked_ = false;
    std::atomic<int> signal_ = 0;
    bool agreed_asked_ = false;
    int agreed_signal_ = 0;

    bool meets_ = true;           // in this pass
    std::int64_t pass_ = 0;       // passes and other places so far: the same on all ranks
    std::int64_t distance_ = 1;   // batches from the last meeting to the next
    std::int64_t batches_ = 0;    // since the last meeting
    Clock::time_point met_ = {};  // the last meeting
};

}  // namespace taffrail::trainer
