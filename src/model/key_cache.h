// The keys of runs that have ended, kept between programs beside the list of runs (run_cache.h) and
// as expendable as that: thousands of runs are filtered by a metric without opening one.
//
// An entry is believed only where the fingerprint of its run still is the one it was read at.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "base/bytes.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace taffrail::model {

class KeyCache {
  public:
    using Fingerprint = std::array<std::uint64_t, 4>;  ///< the owner's own numbers

    /// Beside the list of runs of `root`; empty where that has no place.
    static std::string path_for(const std::string& root);

    KeyCache() = default;
    KeyCache(const KeyCache&) = delete;
    KeyCache& operator=(const KeyCache&) = delete;

    /// Takes in a file. Nothing where there is none or it is damaged.
    void read(const std::string& path);

    /// The keys of the run in `folder` as bytes for decode(); they stay until the cache is gone.
    [[nodiscard]] std::optional<ByteSpan> find(const std::string& folder,
                                               const Fingerprint& fingerprint) const;
    static std::vector<KeyInfo> decode(ByteSpan bytes);

    void add(const std::string& folder, const Fingerprint& fingerprint,
             const std::vector<KeyInfo>& keys);

    /// How many entries the file lacks.
    [[nodiscard]] std::size_t added() const noexcept { return added_.size(); }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    /// Replaces the file in one step, by the entries that are still wanted.
    Result<void> write(
        const std::string& path,
        const std::function<bool(const std::string& folder, const Fingerprint&)>& wanted) const;

  private:
    struct Entry {
        Fingerprint fingerprint{};
        ByteSpan keys;  ///< in body_ or added_
    };

    Bytes body_;
    std::deque<Bytes> added_;
    std::unordered_map<std::string, Entry> entries_;
};

}  // namespace taffrail::model
