// The frames of a whole log file, one after the other; damage is stepped over and listed.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "codec/tlog/frame.h"
#include "codec/tlog/scanner.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace taffrail::seal {

struct LogFileScan {
    std::uint64_t bytes = 0;  ///< up to the end of the last whole frame
    std::vector<tlog::DamagedRange> damage;
};

/// `on_frame` gets each frame with its payload unpacked; the payload is valid during the call. An
/// error from it stops.
Result<LogFileScan> for_each_frame(
    const std::string& path,
    const std::function<Result<void>(const tlog::FrameHeader&, ByteSpan payload)>& on_frame);

}  // namespace taffrail::seal
