// Decoded pages of all sealed files of the process under one limit: a reader of thousands of runs
// holds as much memory as a reader of ten.
#pragma once

#include "base/lru.h"
#include "seal/page_values.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <tuple>

namespace taffrail::seal {

class PageCache {
  public:
    using Page = std::shared_ptr<const PageValues>;

    explicit PageCache(std::size_t limit_bytes) : pages_(limit_bytes), limit_(limit_bytes) {}

    /// The one that sealed files use.
    static PageCache& shared();

    /// A number that no other file of this cache has.
    std::uint64_t next_file();

    /// Null when the page is not kept. Safe from any thread, as is everything here.
    Page find(std::uint64_t file, std::size_t column, std::size_t number);
    void keep(std::uint64_t file, std::size_t column, std::size_t number, Page page);
    /// For programs that read everything once, to which a large cache is no help.
    void set_limit(std::size_t bytes);
    /// For a file that is closed.
    void forget(std::uint64_t file);
    /// Lets go of pages that nobody used since the `turns`-th call before this one: whoever serves
    /// others calls it now and then, so that a page left open does not hold what was decoded for
    /// it.
    void forget_unused_for(unsigned turns);

    [[nodiscard]] std::size_t bytes() const;

  private:
    using Name = std::tuple<std::uint64_t, std::size_t, std::size_t>;  // file, column, page

    struct Kept {
        Page page;
        std::uint64_t used = 0;  ///< the turn of its last use
    };

    mutable std::mutex mutex_;
    Lru<Name, Kept> pages_;
    std::size_t limit_;
    std::uint64_t turn_ = 0;  ///< counted by calls, not by a clock: pages are found by the million
    std::uint64_t files_ = 0;
};

}  // namespace taffrail::seal
