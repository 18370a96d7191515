// One event file of a run: how far it was read, what was wrong with it, and whether it is still the
// same file.
#pragma once

#include "sources/tensorboard/record_stream.h"
#include "sources/tensorboard/run_part.h"

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::sources::tensorboard {

struct EventFile {
    std::string path;
    std::uint64_t size = 0, device = 0, inode = 0;
    std::int64_t modified_ns = 0;
    std::uint32_t head_crc = 0;  ///< of the first bytes, to notice a file rewritten in place
    std::uint64_t head_bytes = 0;
    std::uint64_t position = 0;  ///< everything before was taken in
    Tail tail = Tail::Clean;
    std::vector<DamagedRange> damage;
    std::string error;  ///< the operating system's, when it could not be read
};

/// What reading one stretch of a file gave.
struct RangeResult {
    RunPart part;
    std::uint64_t first = 0, position = 0;
    Tail tail = Tail::Clean;
    std::vector<DamagedRange> damage;
    std::string error;
    std::uint64_t head_bytes = 0;  ///< set when the stretch begins the file
    std::uint32_t head_crc = 0;
};

/// Reads the records that begin in [begin, end) of an open file of `size` bytes. `file_number` goes
/// into places and points. `declared`: what was read before it, if a tag's plugin named there
/// decides.
RangeResult read_range(io::File& file, std::uint64_t begin, std::uint64_t end, std::uint64_t size,
                       bool synchronise, std::uint32_t file_number,
                       const RunPart* declared = nullptr);

/// Compares the file on disk with what was read, and takes over its new size and identity. Cheap:
/// one stat when nothing changed.
enum class Change : std::uint8_t { None, Grown, Replaced, Gone };
Change look_again(EventFile& event_file);

}  // namespace taffrail::sources::tensorboard
