// Where an exporter writes: text collects in a buffer and goes out in large pieces.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <functional>
#include <string>

namespace taffrail::profile {

class Output {
  public:
    using Write = std::function<Result<void>(ByteSpan)>;

    explicit Output(Write write) : write_(std::move(write)) {}

    /// Append here, and call `pause()` now and then.
    std::string& buffer() noexcept { return buffer_; }

    void pause() {
        if (buffer_.size() >= kPiece) {
            flush();
        }
    }

    void bytes(ByteSpan bytes) {
        buffer_.append(as_text(bytes));
        pause();
    }

    /// Everything is out; the first failure, if there was one.
    Result<void> finish() {
        flush();
        return failure_;
    }

  private:
    static constexpr std::size_t kPiece = 1u << 20;

    void flush() {
        if (failure_.ok() && !buffer_.empty()) {
            failure_ = write_(as_bytes(buffer_));
        }
        buffer_.clear();
    }

    Write write_;
    std::string buffer_;
    Result<void> failure_;
};

}  // namespace taffrail::profile
