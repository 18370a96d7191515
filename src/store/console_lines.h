// Captured text as lines: chunks in, in log order, lines out.
#pragma once

#include <taffrail/reader.h>

#include "codec/tlog/batch.h"

#include <cstdint>
#include <map>
#include <vector>

namespace taffrail::store {

class ConsoleLines {
  public:
    /// A line has the time of its beginning. Streams are lines of their own; the newest line of
    /// each may go on in the next chunk.
    void add(const tlog::ConsoleChunk& chunk, std::int32_t rank);

    [[nodiscard]] std::size_t size() const noexcept { return lines_.size(); }

    [[nodiscard]] const ConsoleLine& operator[](std::size_t line) const { return lines_[line]; }

    /// Without the first line of each stream, whose beginning may not have been added.
    [[nodiscard]] std::vector<ConsoleLine> whole_lines() const;
    /// Gives up the first line of each stream, as whole_lines() does.
    void drop_first_lines();
    /// Hands the lines out that have an end; those that may go on stay.
    [[nodiscard]] std::vector<ConsoleLine> take_ended();

    [[nodiscard]] std::vector<ConsoleLine> lines() const { return lines_; }

    [[nodiscard]] std::size_t streams() const noexcept { return streams_.size(); }

  private:
    /// Keeps the lines for which `stays` holds; the others are returned.
    template <typename Stays>
    std::vector<ConsoleLine> split_off(const Stays& stays);

    struct Stream {
        std::size_t first = 0, newest = 0;  ///< lines
        bool open = false;                  ///< the newest has no end yet
    };

    std::vector<ConsoleLine> lines_;
    std::map<std::uint8_t, Stream> streams_;
};

}  // namespace taffrail::store
