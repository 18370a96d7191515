// All log files of one writer, followed: definitions, totals, marks and damage, each row handed out
// once.
#pragma once

#include <taffrail/reader.h>

#include "codec/tlog/decode.h"
#include "store/frame_file.h"
#include "store/layout.h"
#include "store/log_state.h"
#include "store/row_set.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace taffrail::store {

/// Where a frame lies, to read it again later.
struct FramePlace {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
};

/// One thread at a time.
class WriterLog {
  public:
    WriterLog(std::string run_folder, std::uint64_t writer);

    /// A batch none of whose rows was handed out before. Its keys and schemas are known, or its ids
    /// are lost for good.
    using OnBatch = std::function<void(const tlog::Batch&, FramePlace)>;

    /// Starts behind the newest checkpoint: totals and meta at once, whatever the size of the log.
    /// False when there is none to be found; then read from the beginning.
    Result<bool> begin_at_checkpoint();

    /// Where begin_at_checkpoint() began: everything before is in the checkpoint's totals only.
    struct Start {
        std::uint32_t file = 0;
        std::uint64_t offset = 0, nonce = 0;
    };

    [[nodiscard]] const std::optional<Start>& start() const noexcept { return start_; }

    /// What to read of the sealed part of a log that is still there. `Rows`: its rows and values,
    /// to stand in for sealed files that are damaged.
    enum class CoveredPart : std::uint8_t { Nothing, Rows };

    /// These files are sealed up to these bytes; what the sealer carried over beside their rows is
    /// in the rest logs. Call before anything else.
    void set_sealed(std::map<std::uint32_t, std::uint64_t> covered_bytes,
                    const std::vector<std::string>& rest_logs,
                    CoveredPart part = CoveredPart::Nothing);

    /// Takes in what was written since; true when anything was. `on_batch` may be empty.
    Result<bool> poll(const OnBatch& on_batch);

    [[nodiscard]] const tlog::FileIdentity& identity() const noexcept { return identity_; }

    [[nodiscard]] const LogState& state() const noexcept { return state_; }

    /// The end frame with reason Finished.
    [[nodiscard]] const std::optional<tlog::EndMark>& finished() const noexcept {
        return finished_;
    }

    /// Newest of: times in the log, heartbeat, modification of the files.
    [[nodiscard]] std::int64_t last_sign_of_life_ns() const noexcept { return last_sign_ns_; }

    /// Damage so far; rows that turned up elsewhere are not counted as lost.
    [[nodiscard]] std::vector<Damage> damage() const;

    /// A rest log is damaged, or not there.
    [[nodiscard]] bool rest_is_damaged() const noexcept { return !rest_damage_.empty(); }

    /// There are bytes under this writer's name, and no frame in any of them: not a log at all.
    [[nodiscard]] bool is_garbage() const noexcept;
    [[nodiscard]] std::uint64_t bytes() const noexcept;
    [[nodiscard]] std::string url_of(std::uint32_t file) const;

    [[nodiscard]] const std::vector<tlog::Gap>& gaps() const noexcept { return gaps_; }

    /// The row number behind the largest one seen.
    [[nodiscard]] std::uint64_t next_seq() const noexcept { return next_seq_; }

    /// Rows that never reached a log: those a dead process left in its rings. Each is taken once,
    /// also when an adopter writes them into a log later.
    void take_orphan_batch(const tlog::Batch& batch, const OnBatch& on_batch);

  private:
    struct Waiting {
        Bytes payload;
        FramePlace place;
    };

    bool discover();
    bool poll_rest(const OnBatch& on_batch);
    void take(const FrameFile::Frame& frame, std::uint32_t file, const OnBatch& on_batch);
    void take_covered(const FrameFile::Frame& frame, std::uint32_t file, const OnBatch& on_batch);
    void take_decoded(const FrameFile::Frame& frame, std::uint32_t file, const tlog::Batch& batch,
                      const OnBatch& on_batch);
    void take_batch(const tlog::Batch& batch, FramePlace place, const OnBatch& on_batch);
    [[nodiscard]] bool is_covered(std::uint32_t file, std::uint64_t offset) const;
    void add_garbage(std::vector<Damage>& to) const;
    [[nodiscard]] bool defined(const tlog::Batch& batch) const;
    void retry_waiting(const OnBatch& on_batch);
    /// Files that end before the next one begins: copied at different moments, or cut.
    void add_short_files(std::vector<Damage>& to) const;

    const std::string run_folder_;
    std::uint32_t first_file_ = 0;
    std::optional<Start> start_;
    std::map<std::uint32_t, FrameFile> files_;
    std::map<std::uint32_t, std::uint64_t> covered_;
    CoveredPart covered_part_ = CoveredPart::Nothing;
    std::vector<FrameFile> rest_;
    std::map<std::string, Damage> rest_damage_;  ///< by file and byte
    tlog::FileIdentity identity_;
    LogState state_;
    std::optional<tlog::EndMark> finished_;
    std::int64_t last_sign_ns_ = 0;
    std::uint64_t next_seq_ = 0;
    RowSet rows_;
    std::unordered_set<std::uint64_t> frames_;  ///< fingerprints, over all files

    struct FileRows {
        std::optional<std::uint64_t> first;  ///< row number its header names
        std::uint64_t end = 0;               ///< behind the largest one seen in it
    };

    std::map<std::uint32_t, FileRows> file_rows_;
    std::vector<Waiting> waiting_;
    std::vector<std::pair<std::uint32_t, tlog::DamagedRange>> damage_;
    std::vector<tlog::Gap> gaps_;
    tlog::DecodedBatch decoded_;
    bool definitions_changed_ = false;
};

/// Values that a full ring did not take.
Damage damage_of(const tlog::Gap& gap);

/// Reads one frame again. `payload` owns what `decoded` points into.
Result<void> read_batch_at(const std::string& url, std::uint64_t offset, Bytes& payload,
                           tlog::DecodedBatch& decoded);

}  // namespace taffrail::store
