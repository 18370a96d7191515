// What a cursor reads: a stretch of rows of one series as it stands somewhere (a sealed file, the
// log in memory, a foreign file), in log order and at rest.
#pragma once

#include <taffrail/read.h>

#include "model/chunk.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace taffrail::model {

/// Where a row stands in the log.
struct LogPlace {
    std::uint32_t attempt = 0;
    std::int32_t rank = 0;
    std::uint64_t writer = 0, seq = 0;

    [[nodiscard]] auto operator<=>(const LogPlace&) const noexcept = default;
};

/// One thread at a time. Owns all it needs, so that nothing that grows or goes away is in its way.
class RowSource {
  public:
    virtual ~RowSource() = default;

    [[nodiscard]] virtual std::uint64_t rows() const = 0;

    /// Adds the rows `first` … `first + count` to `to`, which has room for them; rows that cannot
    /// be read are left out and noted in `damage`.
    virtual void read(std::uint64_t first, std::uint64_t count, ChunkBuilder& to,
                      std::vector<Damage>& damage) = 0;

    /// Every row has a place on this axis and positions never fall.
    [[nodiscard]] virtual bool is_rising(Axis axis) const = 0;

    /// Where its first and its last row stand, for a source that knows without reading them.
    [[nodiscard]] virtual std::optional<std::pair<LogPlace, LogPlace>> ends() const {
        return std::nullopt;
    }

    /// Rows that are found from the last one on, a log on the disk: read_before() instead of
    /// read(), for cursors that go backwards in log order; rows() is any number but 0.
    [[nodiscard]] virtual bool is_found_from_end() const { return false; }

    /// Adds at most `count` rows to `to`, those before the ones given last, in log order. False:
    /// there are no more, and what could not be read is in `damage`.
    virtual bool read_before(std::uint64_t /*count*/, ChunkBuilder& /*to*/,
                             std::vector<Damage>& /*damage*/) {
        return false;
    }
};

}  // namespace taffrail::model
