// A log file read from its end: the batches of one window after the other, newest window first.
#pragma once

#include "codec/tlog/batch.h"
#include "store/frame_file.h"

#include <cstdint>
#include <functional>
#include <string>

namespace taffrail::store {

/// One thread at a time. Frames are found by their magic, header and payload checksums and the
/// file's own number, so that a log kept inside a value is not taken for one.
class LogBackwards {
  public:
    /// Everything before `end`, a place where a frame begins.
    LogBackwards(std::string url, std::uint64_t end, std::uint64_t nonce)
        : url_(std::move(url)), end_(end), nonce_(nonce) {}

    /// Hands over the batches of the window before those of the last call, in log order. False at
    /// the beginning of the file. Damage is stepped over.
    Result<bool> previous(const std::function<void(const tlog::Batch&)>& on_batch);

    [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

  private:
    /// Where the first frame of the window lies and whether there is any.
    bool take_frames(ByteSpan window, const std::function<void(const tlog::Batch&)>& on_batch,
                     std::uint64_t& first) const;

    std::string url_;
    std::uint64_t end_, nonce_;
    std::uint64_t window_bytes_ = 64u << 10;
    std::uint64_t bytes_read_ = 0;
};

}  // namespace taffrail::store
