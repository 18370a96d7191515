// What a run costs on the disk.
#pragma once

#include <cstdint>
#include <string>

namespace taffrail::cli {

/// Bytes below a folder, by what the first folder below it is called.
struct Usage {
    std::uint64_t live = 0, sealed = 0, media = 0, other = 0;

    [[nodiscard]] std::uint64_t total() const { return live + sealed + media + other; }
};

Usage usage_of(const std::string& run_folder);

}  // namespace taffrail::cli
