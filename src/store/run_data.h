// Everything of one writer that a reader keeps in memory once points are asked for.
#pragma once

#include <taffrail/reader.h>

#include "store/console_lines.h"
#include "store/series_table.h"
#include "store/writer_log.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace taffrail::store {

/// A value record by its place in the log; the value itself is read when asked for.
struct ValuePlace {
    std::uint64_t seq = 0;
    FramePlace frame;
    std::uint32_t index = 0;  ///< in the frame
};

/// First eight bytes of a hash: enough to find a candidate, whose whole hash is then compared.
using BlobKey = std::uint64_t;
BlobKey blob_key(const BlobRef& ref) noexcept;

class WriterData {
  public:
    enum class Depth : std::uint8_t { Summary, Everything };

    WriterData(const std::string& run_folder, std::uint64_t writer) : log(run_folder, writer) {}

    /// Summary: from the newest checkpoint on, totals only. Everything: all rows.
    Result<void> open(Depth wanted);
    /// True when anything changed.
    Result<bool> refresh();

    /// What the writer, dead now, left in rings on this machine and nobody adopted yet. Looked for
    /// once; true when there was anything. With a callback the rows go there instead of the tables.
    using OnOrphans = std::function<void(const tlog::Batch&)>;
    bool take_orphans(const std::string& run_folder, const OnOrphans& on_batch = {});

    WriterLog log;
    WriterTables tables;
    std::map<std::string, std::vector<ValuePlace>, std::less<>>
        values;                                     ///< by key, sorted by row number
    std::unordered_map<BlobKey, ValuePlace> blobs;  ///< the record that brought a blob
    ConsoleLines console;
    Depth depth = Depth::Summary;

  private:
    void add(const tlog::Batch& batch, FramePlace place);
    bool orphans_taken_ = false;
};

/// One value record read again from the log, with its blobs' places. `payload` owns what the record
/// points into.
struct LoadedValue {
    Bytes payload;
    tlog::DecodedBatch decoded;
    const tlog::ValueRecord* record = nullptr;
};

Result<void> load_value(const WriterLog& log, const ValuePlace& place, LoadedValue& out);

}  // namespace taffrail::store
