// A log file read from its end: the batches of one window after the other, newest window first.
#pragma once

#include "codec/tlog/batch.h"
#include "io/file.h"
#include "store/frame_file.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace taffrail::store {

/// One thread at a time. Frames are found by their magic, header and payload checksums and the
/// file's own number, so that a log kept inside a value is not taken for one.
class LogBackwards {
  public:
    /// Everything before `end`, a place where a frame begins.
    LogBackwards(std::string url, std::uint64_t end, std::uint64_t nonce)
        : url_(std::move(url)), end_(end), nonce_(nonce) {}

    /// From `end` back to `begin` of a file that stays open, so that it may be removed meanwhile.
    LogBackwards(std::unique_ptr<io::File> file, std::uint64_t begin, std::uint64_t end,
                 std::uint64_t nonce)
        : file_(std::move(file)), begin_(begin), end_(end), nonce_(nonce) {}

    /// Hands over the batches of the window before those of the last call, in log order. False at
    /// the beginning of the file. Damage is stepped over.
    Result<bool> previous(const std::function<void(const tlog::Batch&)>& on_batch);

    /// What was walked so far is one frame behind the other, each hanging on the one before, and
    /// every batch can be read. Else FrameScanner, which walks forwards, says what is damaged.
    [[nodiscard]] bool is_whole() const noexcept { return whole_; }

    /// The newest frame walked over ends the file: nothing was to follow it.
    [[nodiscard]] bool has_end_frame() const noexcept { return has_end_frame_; }

    /// The windows that follow are as small as the first: their frames brought more than they seem.
    void narrow() noexcept { window_bytes_ = kFirstWindow; }

  private:
    static constexpr std::uint64_t kFirstWindow = 64u << 10;

    /// Where the first frame of the window lies and whether there is any.
    bool take_frames(ByteSpan window, const std::function<void(const tlog::Batch&)>& on_batch,
                     std::uint64_t& first);

    std::string url_;
    std::unique_ptr<io::File> file_;  ///< else opened for each window
    std::uint64_t begin_ = 0, end_, nonce_;
    std::uint64_t window_bytes_ = kFirstWindow;
    bool whole_ = true, has_end_frame_ = false, any_ = false;
    std::uint32_t chain_ = 0;  ///< previous_crc of the oldest frame walked over
};

}  // namespace taffrail::store
