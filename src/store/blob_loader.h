// Blobs by reference: from the place a record names, else by hash from any pack of the run. Checked
// against the hash.
#pragma once

#include "codec/tlog/batch.h"
#include "codec/tpak/pack.h"
#include "io/file.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace taffrail::store {

using SharedBytes = std::shared_ptr<const Bytes>;

/// Thread-safe.
class BlobLoader {
  public:
    explicit BlobLoader(std::string run_folder) : run_folder_(std::move(run_folder)) {}

    /// The bytes of a blob recorded by `writer`.
    Result<SharedBytes> load(const tlog::BlobPlace& place, std::uint64_t writer);
    /// By hash alone: looks through the packs.
    Result<SharedBytes> find(const BlobRef& ref);
    /// A part of a blob that is in a pack, unchecked.
    Result<Bytes> find_range(const BlobRef& ref, std::uint64_t offset, std::uint64_t length);

  private:
    struct Pack {
        std::uint64_t scanned = 0;  ///< bytes looked at so far
        bool closed = false;        ///< has its index: nothing will be added
    };

    struct Place {
        std::string pack;
        std::uint64_t offset = 0, size = 0;
    };

    Result<Place> find_place(const BlobRef& ref);
    Result<SharedBytes> read_entry(const std::string& pack_url, std::uint64_t offset,
                                   const BlobRef& ref);
    void scan(const std::string& pack_url, Pack& pack);

    const std::string run_folder_;
    std::mutex mutex_;
    std::map<std::string, Pack> packs_;
    std::map<std::array<std::uint8_t, 32>, Place> index_;
};

/// Every whole entry of a pack from `offset` on, and where they end; damaged stretches end the
/// walk.
struct PackContents {
    std::vector<tpak::Entry> entries;
    std::uint64_t end = 0;
    bool closed = false;
};

/// Fails when the bytes found by hash are not as many as a value says it has; 0 = it does not say.
Result<void> check_size(const BlobRef& wanted, ByteSpan bytes);

Result<PackContents> read_pack_entries(const std::string& url, std::uint64_t offset = 0);

}  // namespace taffrail::store
