// How far somebody who reads a large profile has come, told to whoever waits.
#pragma once

#include <atomic>
#include <cstdint>

namespace taffrail::profile {

/// Written by the one who works, read by anybody.
struct Progress {
    enum class Phase : std::uint8_t { Waiting, Reading, Ordering, Writing, Analysing, Done };

    std::atomic<Phase> phase = Phase::Waiting;
    std::atomic<std::uint64_t> done_bytes = 0, all_bytes = 0;  ///< of Phase::Reading
};

/// "reading", "ordering", …
constexpr const char* to_string(Progress::Phase phase) noexcept {
    switch (phase) {
        case Progress::Phase::Waiting:
            return "waiting";
        case Progress::Phase::Reading:
            return "reading";
        case Progress::Phase::Ordering:
            return "ordering";
        case Progress::Phase::Writing:
            return "writing";
        case Progress::Phase::Analysing:
            return "analysing";
        case Progress::Phase::Done:
            return "done";
    }
    return "";
}

}  // namespace taffrail::profile
