// The writing half of a run's log: one process incarnation, one file at a time.
#pragma once

#include "codec/tlog/frame_encoder.h"
#include "io/file.h"
#include "store/log_state.h"
#include "store/open_log.h"
#include "store/pack_writer.h"

#include <atomic>
#include <deque>

namespace taffrail::store {

class StoreLogWriter final : public record::LogWriter {
  public:
    StoreLogWriter(std::string run_folder, tlog::FileIdentity identity, LogOptions options);
    ~StoreLogWriter() override;

    Result<void> append(const tlog::Batch& batch) override;
    Result<void> sync() override;
    Result<tlog::BlobPlace> put_blob(ByteSpan bytes, const BlobRef& ref) override;
    Result<void> close(RunState state) override;
    [[nodiscard]] std::uint64_t bytes_written() const noexcept override;

    /// Opens the first file, so that a folder that cannot be written is noticed at once.
    Result<void> open();

  private:
    Result<void> ensure_file();
    Result<void> open_file(const std::string& folder);
    /// A frame at the end of the open file; the chain moves on only when it is there.
    Result<void> write_frame(const tlog::StoredPayload& payload);
    Result<void> write_somewhere(const tlog::StoredPayload& payload);
    tlog::StoredPayload checkpoint_payload(MetaState::Environment environment);
    tlog::StoredPayload end_payload(tlog::EndReason reason, RunState state);
    Result<void> write_checkpoint();
    /// Checkpoint, roll and sync when they are due. What fails here is made good by later calls.
    void keep_up();
    void roll();
    /// The open file takes no more: its unsynced frames go into the next one.
    void abandon(const Error& why);
    Result<void> sync_file();
    bool file_vanished();
    void come_home();
    Result<void> bring_spool_home();
    [[nodiscard]] std::int64_t now() const;

    const std::string run_folder_;
    tlog::FileIdentity identity_;
    const LogOptions options_;
    tlog::FrameEncoder encoder_;
    LogState state_;
    PackWriter packs_;

    std::unique_ptr<io::File> file_;
    std::string file_url_;
    std::uint32_t next_number_ = 0;
    bool folders_synced_ = false;
    bool spooling_ = false;
    std::vector<std::string> spooled_files_;
    std::int64_t spooling_since_ = 0;

    std::deque<tlog::StoredPayload> tail_;  ///< batch frames not known to be on the disk
    std::uint64_t tail_bytes_ = 0;
    std::uint64_t next_seq_ = 0;
    std::int64_t last_sync_ = 0;
    bool unsynced_ = false;
    std::int64_t last_checkpoint_ = 0;
    std::uint64_t checkpoint_at_ = 0;  ///< file size right behind the newest checkpoint
    std::uint64_t checkpoint_size_ = 0;
    bool closed_ = false;
    std::atomic<std::uint64_t> bytes_written_ = 0;
    Bytes payload_, buffer_;
};

}  // namespace taffrail::store
