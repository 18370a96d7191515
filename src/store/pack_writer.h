// The packs of one writer: blobs are appended, never changed; the same bytes are stored once.
#pragma once

#include "codec/tlog/batch.h"
#include "codec/tpak/pack.h"
#include "io/file.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace taffrail::store {

/// Thread-safe: media is encoded off the collector, which syncs.
class PackWriter {
  public:
    PackWriter(std::string run_folder, std::uint64_t writer, std::uint64_t roll_bytes = 256u << 20);

    /// Blobs below 512 bytes come back inline, pointing at `bytes`; equal larger ones are stored
    /// once.
    Result<tlog::BlobPlace> put(ByteSpan bytes, const BlobRef& ref);
    /// Forces everything put so far to the disk. What a failed sync may have lost is copied into a
    /// new pack.
    Result<void> sync();
    /// Writes the index of the last pack. Idempotent.
    Result<void> close();
    [[nodiscard]] std::uint64_t bytes_written() const;

    static constexpr std::size_t kInlineBytes = 512;

  private:
    Result<void> open_next();
    Result<tpak::Entry> write(ByteSpan bytes, const BlobRef& ref);
    Result<void> finish_pack();
    Result<void> rescue();

    const std::string folder_;
    const std::uint64_t writer_;
    const std::uint64_t roll_bytes_;
    mutable std::mutex mutex_;
    std::unique_ptr<io::File> file_;
    std::uint32_t number_ = 0;  ///< of the next file
    bool folder_synced_ = false;
    std::vector<tpak::Entry> entries_;  ///< of the open pack
    std::size_t synced_entries_ = 0;

    struct Place {
        std::uint32_t pack = 0;
        std::uint64_t offset = 0;
    };

    std::map<std::array<std::uint8_t, 32>, Place> known_;
    std::uint64_t bytes_written_ = 0;
};

}  // namespace taffrail::store
