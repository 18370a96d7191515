// The frames of a log file on disk, as they arrive.
#pragma once

#include "codec/tlog/payload.h"
#include "codec/tlog/scanner.h"
#include "io/file.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace taffrail::store {

/// Follows one file. The file is opened for each poll and closed again: ten thousand runs need no
/// ten thousand descriptors, and network file systems show new bytes after an open. One thread at a
/// time.
class FrameFile {
  public:
    /// `folder` is the run folder that the file must lie inside.
    FrameFile(std::string folder, std::string url)
        : folder_(std::move(folder)), url_(std::move(url)) {}

    struct Frame {
        tlog::FrameHeader header;
        std::uint64_t offset = 0;
        ByteSpan payload;  ///< decompressed; valid during the call
    };

    /// Return false to stop; the next poll goes on behind that frame.
    using OnFrame = std::function<bool(const Frame&)>;
    using OnDamage = std::function<void(const tlog::DamagedRange&)>;

    /// Hands over the frames that are there and were not handed over before. True when the file had
    /// any new bytes.
    Result<bool> poll(const OnFrame& on_frame, const OnDamage& on_damage);

    /// Goes on at a frame known to begin at `offset`.
    Result<void> begin_at(std::uint64_t offset);

    /// Where the next frame is expected; bytes behind it are pending.
    [[nodiscard]] std::uint64_t offset() const noexcept { return scanner_.offset(); }

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

    [[nodiscard]] std::int64_t modified_ns() const noexcept { return modified_ns_; }

    [[nodiscard]] const std::string& url() const noexcept { return url_; }

  private:
    std::string folder_, url_;
    tlog::FrameScanner scanner_;
    std::uint64_t size_ = 0;
    std::uint64_t inode_ = 0;
    std::int64_t modified_ns_ = 0;
    bool stopped_ = false;
};

/// The newest checkpoint of a file and where the frames behind it begin; found by reading
/// backwards.
struct FoundCheckpoint {
    Bytes payload;
    Bytes rest;  ///< everything behind it
    std::uint64_t next_frame = 0;
    std::uint64_t next_seq = 0;
    std::uint64_t nonce = 0;
    std::uint64_t file_bytes = 0;
    std::int64_t modified_ns = 0;
};

/// NotFound when no checkpoint is in the last `limit` bytes.
Result<FoundCheckpoint> find_last_checkpoint(const std::string& url,
                                             std::uint64_t limit = 16u << 20);

}  // namespace taffrail::store
