// Our own profiles: what the zones of a process came to, and the zones one by one where they were
// traced. A sequence of frames, each with its checksum, so that a file cut off anywhere gives
// everything before: docs/formats/tprof.md.
#pragma once

#include "profile/format.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::profile {

bool is_tprof(ByteSpan bytes);
Result<void> read_tprof(ByteSpan bytes, Profile& profile);

namespace tprof {

inline constexpr std::size_t kFrameHeaderBytes = 16;
inline constexpr std::uint32_t kMaxPayloadBytes = 64u << 20;

enum class FrameType : std::uint8_t {
    Header = 1,
    Sites = 2,
    Threads = 3,
    Table = 4,
    Zones = 5,
    Steps = 6,
    Loss = 7,
    End = 8,
};

struct FileHeader {
    std::string writer = {};
    std::uint64_t process_id = 0;
    std::int64_t start_ns = 0;  ///< UTC
    std::string program = {};
};

struct Site {
    std::uint32_t id = 0;
    std::string name = {}, file = {};
    std::uint32_t line = 0;
};

/// One way from a root. Parents stand before their children; `parent` 0 is the root, the first node
/// is 1.
struct TableNode {
    std::uint32_t parent = 0;
    std::string name = {}, file = {};
    std::uint32_t line = 0;
    bool open = false;
    std::uint64_t calls = 0, total_ns = 0, least_ns = 0, most_ns = 0, p50_ns = 0, p99_ns = 0;
};

struct ZoneRecord {
    std::int64_t begin_ns = 0;  ///< UTC
    std::uint64_t duration_ns = 0;
    std::uint32_t site = 0;
};

struct StepMark {
    std::int64_t step = 0;
    std::int64_t time_ns = 0;
};

enum class LossReason : std::uint8_t { Budget = 1, Buffer = 2 };

// Whole frames, ready to be appended.
Bytes encode_header(const FileHeader& header);
Bytes encode_sites(std::span<const Site> sites);
Bytes encode_table(std::span<const TableNode> nodes, std::int64_t time_ns, std::uint64_t steps);
Bytes encode_zones(std::uint64_t thread, std::span<const ZoneRecord> zones);
Bytes encode_steps(std::span<const StepMark> steps);
Bytes encode_loss(std::uint64_t zones, LossReason reason);
Bytes encode_end(std::int64_t time_ns);

/// Bytes before a good frame that are none.
struct DamagedRange {
    std::uint64_t offset = 0, length = 0;
};

struct Check {
    std::uint64_t frames = 0;
    std::uint64_t good_bytes = 0;     ///< up to the end of the last good frame
    std::uint64_t pending_bytes = 0;  ///< behind it: half a frame of a process that died, or lives
    bool ended = false;
    std::vector<DamagedRange> damaged = {};
};

/// Every frame with its checksum.
Check check(ByteSpan bytes);

}  // namespace tprof

}  // namespace taffrail::profile
