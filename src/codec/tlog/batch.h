// One flush of the live log, as plain structs: what the collector hands to the log writer and what
// a reader gets back. The bytes are in docs/formats/tlog.md. Views stay valid while the producer of
// the batch says so.
#pragma once

#include <taffrail/record.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::tlog {

/// Route bit that hides a row from readers of the native store.
inline constexpr std::uint32_t kHidden = 1u << 16;

struct KeyDefinition {
    std::uint32_t id = 0;
    Kind kind = Kind::Scalar;
    std::string_view name;
};

struct SchemaDefinition {
    std::uint32_t id = 0;
    std::vector<std::uint32_t> keys;
};

/// The columns every row has. Spans are all `rows` long; epoch is NaN and samples INT64_MIN where
/// absent.
struct Axes {
    std::span<const std::uint64_t> seq;
    std::span<const std::int64_t> step;
    std::span<const std::int64_t> time_ns;
    std::span<const double> epoch;
    std::span<const std::int64_t> samples;
    std::span<const std::uint8_t> phase;
    std::span<const std::uint32_t> route;  ///< sink bits and kHidden

    [[nodiscard]] std::size_t rows() const noexcept { return seq.size(); }
};

/// Rows of one schema; columns[i] belongs to the schema's i-th key.
struct WideRows {
    std::uint32_t schema = 0;
    Axes axes;
    std::vector<std::span<const double>> columns;
};

/// Rows of one value each, any key.
struct LongRows {
    std::span<const std::uint32_t> key;
    Axes axes;
    std::span<const double> value;
};

struct BlobPlace {
    BlobRef ref;
    enum class Where : std::uint8_t { Inline = 0, Pack = 1, Store = 2 } where = Where::Inline;
    ByteSpan bytes;            ///< Inline
    std::uint64_t pack = 0;    ///< Pack: number of the writer's pack file
    std::uint64_t offset = 0;  ///< Pack: offset of the entry in it
};

struct ValueRecord {
    std::uint64_t seq = 0;
    std::uint32_t key = 0;
    Kind kind = Kind::Text;
    Step step = 0;
    std::int64_t time_ns = 0;
    double epoch = 0;                  ///< NaN = absent
    std::int64_t samples = INT64_MIN;  ///< INT64_MIN = absent
    Phase phase = Phase::None;
    std::uint32_t route = kAllSinks;
    ByteSpan metadata;  ///< docs/formats/values.md
    std::vector<BlobPlace> blobs;
};

enum class MetaType : std::uint8_t {
    Name = 1,
    Project = 2,
    Group = 3,
    JobType = 4,
    Notes = 5,
    TagAdded = 6,
    TagRemoved = 7,
    Summary = 8,
    MetricDefinition = 9,
    State = 10,
    Environment = 11,
    Colour = 12,
    Archived = 13,
    Tombstone = 14,
    SinkCursor = 15,
    SavedView = 16,
};

struct MetaRecord {
    MetaType type = MetaType::Name;
    std::uint64_t seq = 0;
    std::int64_t time_ns = 0;
    ByteSpan payload;
};

struct ConsoleChunk {
    std::uint8_t stream = 1;  ///< 1 stdout, 2 stderr
    std::int64_t time_ns = 0;
    std::string_view text;
};

struct RingPosition {
    std::uint32_t ring = 0;
    std::uint64_t position = 0;
};

struct Gap {
    std::uint32_t ring = 0;
    std::uint64_t lost = 0;
    std::int64_t first_time_ns = 0, last_time_ns = 0;
};

struct SpoolEntry {
    std::uint64_t seq = 0;
    std::uint32_t file = 0;
    std::uint64_t offset = 0, length = 0;
};

/// Everything of one flush.
struct Batch {
    std::vector<KeyDefinition> keys;
    std::vector<SchemaDefinition> schemas;
    std::vector<WideRows> wide;
    std::vector<LongRows> long_rows;  ///< usually one
    std::vector<ValueRecord> values;
    std::vector<MetaRecord> meta;
    std::vector<ConsoleChunk> console;
    std::vector<RingPosition> ring_positions;
    std::vector<Gap> gaps;
    std::vector<SpoolEntry> spool_pending;
    std::vector<std::uint64_t> spool_done;
    std::uint64_t first_seq = 0;  ///< smallest row number in the batch, or the next one
    std::uint32_t rows = 0;
};

/// Who wrote a file.
struct FileIdentity {
    std::string run_id;
    std::uint64_t writer = 0;
    std::uint32_t file_number = 0;
    std::uint32_t attempt = 0;
    std::int32_t rank = 0;
    std::int32_t world_size = 1;
    std::int64_t start_time_ns = 0;
    std::string host;
    std::uint64_t process_id = 0;
    std::uint64_t process_start = 0;
    std::string boot_id;
    Step resume_step = INT64_MIN;
    std::string software;
    /// The writer of the process that opened the run, for a child forked from it; 0 for that
    /// process itself.
    std::uint64_t forked_from = 0;
};

enum class EndReason : std::uint8_t { Rolled = 1, Finished = 2 };

}  // namespace taffrail::tlog
