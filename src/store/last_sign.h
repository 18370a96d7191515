// When a writer was last heard of, as every list and page of runs tells it.
#pragma once

#include "store/writer_log.h"

#include <algorithm>
#include <cstdint>

namespace taffrail::store {

/// The end of a log that says so: the newest time in it. Nothing but its end counts where no row
/// has a time after 1970, as under a clock that was never set.
inline std::int64_t finished_at(const tlog::EndMark& end, const LogState& state) {
    return state.last_time_ns() == 0 ? end.time_ns : std::max(end.time_ns, state.last_time_ns());
}

/// Of a writer that has not finished also its heartbeat and its files count.
inline std::int64_t last_sign_of(const WriterLog& log) {
    return log.finished() ? finished_at(*log.finished(), log.state()) : log.last_sign_of_life_ns();
}

}  // namespace taffrail::store
