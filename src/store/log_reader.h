// The reading half for sink runners: one writer's records in order, from any position, blobs
// loaded.
#pragma once

#include "codec/tlog/decode.h"
#include "store/batch_records.h"
#include "store/blob_loader.h"
#include "store/frame_file.h"
#include "store/log_state.h"
#include "store/open_log.h"

#include <deque>
#include <optional>
#include <set>
#include <tuple>

namespace taffrail::store {

/// A record in a loaded frame: which row, which of its columns, and how many records of `mask`
/// stand before it.
struct RecordPlace {
    std::uint64_t within = 0;
    RouteMask mask = 0;
    std::size_t row = 0, column = 0;
};

/// One frame, decoded and kept until another is asked for.
struct LoadedFrame {
    std::uint64_t offset = 0, next_offset = 0;
    tlog::FrameType type = tlog::FrameType::Batch;
    Bytes payload;
    tlog::DecodedBatch decoded;
    std::vector<RowPlace> rows;
    RecordPlace next;  ///< behind what was read last, which is where readers mostly go on
    std::optional<tlog::EndMark> end;
};

class StoreLogReader final : public record::LogReader {
  public:
    StoreLogReader(std::string run_folder, std::uint64_t writer, std::string spool);

    Result<Chunk> read(record::LogPosition from, RouteMask mask, std::size_t max_records) override;
    bool at_end(record::LogPosition at) override;

  private:
    /// Identity of a frame over all files of a writer: a repeated one has the same.
    using FrameIdentity = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;

    [[nodiscard]] std::string url_of(std::uint32_t number) const;
    [[nodiscard]] std::optional<std::uint32_t> next_file(std::uint32_t after) const;
    Result<void> open_file(std::uint32_t number, std::uint64_t offset);
    /// Loads the frame at `offset` of the open file; false when none is there yet.
    Result<bool> load_frame(std::uint64_t offset);
    void take_frame(const FrameFile::Frame& frame);
    Result<void> learn_definitions(std::uint64_t until);
    void remember_frames(const std::string& url);
    void fill(Chunk& chunk, record::LogPosition from, RouteMask mask, std::size_t max_records);
    /// Where to look in the loaded frame for the record after the first `within` of that mask.
    [[nodiscard]] RecordPlace place_of(std::uint64_t within, RouteMask mask) const;
    void load_blobs(Value& value, const tlog::ValueRecord& record);

    const std::string run_folder_;
    const std::string spool_;
    const std::uint64_t writer_;
    BlobLoader blobs_;
    std::optional<std::uint32_t> number_;  ///< of the open file
    std::optional<FrameFile> file_;
    tlog::FileIdentity identity_;
    LogState definitions_;
    std::set<FrameIdentity> earlier_frames_;  ///< of the file before, when it has no end frame
    std::optional<LoadedFrame> current_;
    std::deque<Value> values_;
    std::vector<Record> all_;
};

}  // namespace taffrail::store
