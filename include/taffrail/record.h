// The one thing that flows: from log calls through the store to sinks and readers.
#pragma once

#include <taffrail/api.h>
#include <taffrail/key.h>
#include <taffrail/value.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace taffrail {

/// How a run stands, or how it ended.
/// Idle: of a source that records no end (a TensorBoard logdir), nothing new for a while. No run
/// ends itself as idle.
enum class RunState : std::uint8_t {
    Running = 0,
    Finished = 1,
    Failed = 2,
    Crashed = 3,
    Aborted = 4,
    Idle = 5
};

/// "running", "finished", "failed", "crashed", "aborted", "idle".
TAFFRAIL_API std::string_view to_string(RunState state) noexcept;

/// Which sinks receive a record: bit i = the i-th sink added to the run. The native store receives
/// all of them.
using RouteMask = std::uint16_t;
inline constexpr RouteMask kAllSinks = 0xFFFF;
inline constexpr RouteMask kStoreOnly = 0;

/// Where a record goes besides the native store, and whether readers of the store see it.
struct Routing {
    RouteMask route = kAllSinks;
    bool visible = true;  ///< false: delivered to sinks, hidden from readers of the native store
};

/// One logged value with everything known about it. Views stay valid during the call that hands the
/// record out.
struct TAFFRAIL_API Record {
    std::string_view key = {};
    Kind kind = Kind::Scalar;
    Phase phase = Phase::None;
    Step step = 0;
    std::int64_t time_ns = 0;                  ///< UTC, nanoseconds since 1970
    std::optional<double> epoch = {};          ///< when the run had one set
    std::optional<std::int64_t> samples = {};  ///< when the run had one set
    std::int32_t rank = 0;
    std::uint32_t attempt = 0;  ///< rises with each resume of the run
    std::uint64_t writer = 0;   ///< short id of the writing process incarnation
    std::uint64_t seq = 0;      ///< (writer, seq) names a row; records of one row share it
    RouteMask route = kAllSinks;
    double scalar = std::numeric_limits<double>::quiet_NaN();  ///< Kind::Scalar
    const Value* value = nullptr;  ///< every other kind; never null there
};

}  // namespace taffrail
