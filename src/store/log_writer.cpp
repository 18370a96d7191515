#include "store/log_writer.h"

#include <taffrail/version.h>

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/names.h"
#include "base/try.h"
#include "codec/tlog/budget.h"
#include "codec/tlog/encode.h"
#include "io/files.h"
#include "store/layout.h"
#include "store/spool_folder.h"
#include "store/writer_log.h"

#include <fmt/core.h>

#include <algorithm>

namespace taffrail::store {

using tlog::FrameType;

Result<std::unique_ptr<record::LogWriter>> open_log(const std::string& run_folder,
                                                    tlog::FileIdentity identity,
                                                    LogOptions options) {
    auto writer =
        std::make_unique<StoreLogWriter>(run_folder, std::move(identity), std::move(options));
    TAFFRAIL_TRY(writer->open());
    return std::unique_ptr<record::LogWriter>(std::move(writer));
}

StoreLogWriter::StoreLogWriter(std::string run_folder, tlog::FileIdentity identity,
                               LogOptions options)
    : run_folder_(std::move(run_folder)),
      identity_(std::move(identity)),
      options_(std::move(options)),
      packs_(run_folder_, identity_.writer) {
    if (identity_.software.empty()) {
        identity_.software = version();
    }
    last_sync_ = now();
    last_checkpoint_ = last_sync_;
}

StoreLogWriter::~StoreLogWriter() = default;

// Who continues the files of a dead writer begins with what that writer knew: a checkpoint covers
// all of a writer's rows.
Result<void> StoreLogWriter::open() {
    if (!list_logs(run_folder_, identity_.writer).empty()) {
        WriterLog before(run_folder_, identity_.writer);
        TAFFRAIL_TRY(before.poll({}));
        state_ = before.state();
        next_seq_ = before.next_seq();
    }
    return ensure_file();
}

std::int64_t StoreLogWriter::now() const {
    return options_.monotonic_ns ? options_.monotonic_ns() : monotonic_ns();
}

std::uint64_t StoreLogWriter::bytes_written() const noexcept {
    return bytes_written_.load(std::memory_order_relaxed) + packs_.bytes_written();
}

Result<tlog::BlobPlace> StoreLogWriter::put_blob(ByteSpan bytes, const BlobRef& ref) {
    return packs_.put(bytes, ref);
}

tlog::StoredPayload StoreLogWriter::checkpoint_payload(MetaState::Environment environment) {
    tlog::Checkpoint checkpoint = state_.checkpoint(environment);
    checkpoint.identity = identity_;
    checkpoint.heartbeat_ns = options_.wall_ns ? options_.wall_ns() : wall_time_ns();
    payload_.clear();
    tlog::encode_checkpoint(payload_, checkpoint);
    return encoder_.store(FrameType::Checkpoint, payload_, 0, next_seq_);
}

tlog::StoredPayload StoreLogWriter::end_payload(tlog::EndReason reason, RunState state) {
    payload_.clear();
    // Not before its newest row, where the clock was set back: a list of runs reads this mark and
    // no rows. A clock before 1970 is taken as it is.
    const std::int64_t wall_ns = options_.wall_ns ? options_.wall_ns() : wall_time_ns();
    const std::int64_t newest_ns = state_.last_time_ns();
    tlog::encode_end(payload_,
                     {reason, state, newest_ns == 0 ? wall_ns : std::max(wall_ns, newest_ns)});
    return encoder_.store(FrameType::End, payload_, 0, next_seq_);
}

// Header, the frames an earlier file may have lost, and a checkpoint that covers them: in one
// write, so that a reader never sees the file without knowing what the ids in it mean.
Result<void> StoreLogWriter::open_file(const std::string& folder) {
    const std::string live = io::join(folder, kLiveFolder);
    TAFFRAIL_TRY(io::make_directories(live));
    std::unique_ptr<io::File> file;
    std::string url;
    while (file == nullptr) {
        url = io::join(live, log_name(identity_.writer, next_number_));
        auto created = io::open(url, io::OpenMode::CreateExclusive);
        if (!created.ok() && created.error().code != ErrorCode::AlreadyExists) {
            return std::move(created).error();
        }
        identity_.file_number = next_number_++;
        if (created.ok()) {
            file = *std::move(created);
        }
    }
    encoder_.begin_file(random_u64());
    buffer_.clear();
    payload_.clear();
    tlog::encode_identity(payload_, identity_);
    encoder_.append_frame(buffer_,
                          encoder_.store(FrameType::Header, payload_, 0,
                                         tail_.empty() ? next_seq_ : tail_.front().first_seq));
    for (const tlog::StoredPayload& frame : tail_) {
        encoder_.append_frame(buffer_, frame);
    }
    const std::size_t before = buffer_.size();
    encoder_.append_frame(buffer_, checkpoint_payload(MetaState::Environment::Include));
    if (auto written = file->append(ByteSpan(buffer_)); !written.ok()) {
        (void)io::remove(url);  // nothing of it counts, and a full disk must not fill with stubs
        return written;
    }
    checkpoint_size_ = buffer_.size() - before;
    checkpoint_at_ = buffer_.size();
    last_checkpoint_ = now();
    bytes_written_ += buffer_.size();
    file_ = std::move(file);
    file_url_ = std::move(url);
    folders_synced_ = false;
    unsynced_ = true;
    return {};
}

Result<void> StoreLogWriter::ensure_file() {
    if (file_ != nullptr) {
        return {};
    }
    if (!spooling_) {
        const auto opened = open_file(run_folder_);
        if (opened.ok() || options_.spool.empty()) {
            return opened;
        }
        diagnose_once(DiagnosticLevel::Warning, "spool " + run_folder_,
                      fmt::format("{}; recording goes on in {} until that works again",
                                  opened.error().message, options_.spool));
        spooling_ = true;
        spooling_since_ = now();
    }
    TAFFRAIL_TRY(open_file(spool_folder(options_.spool, run_folder_)));
    spooled_files_.push_back(file_url_);
    return {};
}

Result<void> StoreLogWriter::write_frame(const tlog::StoredPayload& payload) {
    const auto mark = encoder_.mark();
    buffer_.clear();
    encoder_.append_frame(buffer_, payload);
    if (auto written = file_->append(ByteSpan(buffer_)); !written.ok()) {
        encoder_.rewind(mark);
        return written;
    }
    bytes_written_ += buffer_.size();
    unsynced_ = true;
    return {};
}

void StoreLogWriter::abandon(const Error& why) {
    diagnose_once(DiagnosticLevel::Warning, "log " + run_folder_,
                  fmt::format("{}; the log goes on in a new file", why.message));
    file_.reset();
}

// A full disk leaves the file as it is: the next attempt writes over the remains. After any other
// failure nobody knows what the file holds, so it is left alone for good.
Result<void> StoreLogWriter::write_somewhere(const tlog::StoredPayload& payload) {
    TAFFRAIL_TRY(ensure_file());
    auto written = write_frame(payload);
    if (written.ok()) {
        return {};
    }
    const bool full = written.error().code == ErrorCode::NoSpace;
    if (full && (options_.spool.empty() || spooling_)) {
        return written;
    }
    if (full) {
        spooling_ = true;
        spooling_since_ = now();
    }
    abandon(written.error());
    TAFFRAIL_TRY(ensure_file());
    return write_frame(payload);
}

Result<void> StoreLogWriter::append(const tlog::Batch& batch) {
    if (closed_) {
        return Error{ErrorCode::Closed,
                     "the log of run " + identity_.run_id + " is closed: open a new one"};
    }
    if (tlog::cells_of(batch) > tlog::kMaxFrameCells) {
        return Error{ErrorCode::InvalidArgument,
                     "a flush of more than 2^26 cells: hand it over in parts"};
    }
    payload_.clear();
    tlog::encode_batch(payload_, batch);
    if (payload_.size() > tlog::kMaxPayloadBytes) {
        return Error{ErrorCode::InvalidArgument,
                     "a flush of more than 1 GiB: hand it over in parts"};
    }
    tlog::StoredPayload frame =
        encoder_.store(FrameType::Batch, payload_, batch.rows, batch.first_seq);
    if (tlog::cells_of(batch) > tlog::most_cells(frame.stored.size())) {
        return Error{ErrorCode::InvalidArgument,
                     "a flush of more than 2^22 cells that are nearly all alike: hand it over in "
                     "parts"};
    }
    if (spooling_ && now() - spooling_since_ >= options_.return_interval.count()) {
        come_home();
    }
    TAFFRAIL_TRY(write_somewhere(frame));
    next_seq_ = std::max(next_seq_, batch.first_seq + batch.rows);
    state_.apply(batch);
    tail_bytes_ += frame.stored.size();
    tail_.push_back(std::move(frame));
    keep_up();
    return {};
}

void StoreLogWriter::keep_up() {
    const std::int64_t time = now();
    const std::uint64_t since = file_->end() - checkpoint_at_;
    // A checkpoint of very many keys is itself large: it comes so seldom that it stays a small part
    // of the log.
    const bool checkpoint_due =
        since >= std::max(options_.checkpoint_bytes, 8 * checkpoint_size_) ||
        (time - last_checkpoint_ >= options_.checkpoint_interval.count() &&
         4 * since >= checkpoint_size_);
    if (checkpoint_due) {
        if (const auto written = write_checkpoint();
            !written.ok() && written.error().code != ErrorCode::NoSpace) {
            abandon(written.error());
        }
    }
    if (file_ != nullptr && file_->end() >= options_.roll_bytes) {
        roll();
    }
    if (options_.durability == Durability::Sync || tail_bytes_ >= options_.unsynced_bytes ||
        time - last_sync_ >= options_.sync_interval.count()) {
        (void)sync();
    }
}

Result<void> StoreLogWriter::write_checkpoint() {
    last_checkpoint_ = now();
    TAFFRAIL_TRY(write_frame(checkpoint_payload(MetaState::Environment::Leave)));
    checkpoint_size_ = buffer_.size();
    checkpoint_at_ = file_->end();
    return {};
}

void StoreLogWriter::roll() {
    const bool ended = write_checkpoint().ok() &&
                       write_frame(end_payload(tlog::EndReason::Rolled, RunState::Running)).ok();
    if (ended && sync().ok()) {
        file_.reset();
    }
}

bool StoreLogWriter::file_vanished() {
    const auto here = file_->info();
    const auto there = io::stat(file_url_);
    return here.ok() &&
           (there.ok() ? there->inode != here->inode : there.error().code == ErrorCode::NotFound);
}

Result<void> StoreLogWriter::sync_file() {
    if (file_vanished()) {
        const Error gone{ErrorCode::NotFound,
                         fmt::format("{} was deleted while it was being written", file_url_)};
        diagnose_once(DiagnosticLevel::Error, "vanished " + run_folder_,
                      gone.message + "; what it held is lost, recording goes on in a new file");
        return gone;
    }
    TAFFRAIL_TRY(file_->sync());
    if (!folders_synced_) {
        // The file's own folder, and those above that may be as new as the run but need not be ours
        // to open.
        const std::string folder = io::parent(file_url_);
        TAFFRAIL_TRY(io::sync_directory(folder));
        (void)io::sync_directory(io::parent(folder));
        (void)io::sync_directory(io::parent(io::parent(folder)));
        folders_synced_ = true;
    }
    return {};
}

Result<void> StoreLogWriter::sync() {
    if (!unsynced_ && tail_.empty()) {
        return {};
    }
    last_sync_ = now();
    // Blobs first: a record on the disk must not name bytes that are not.
    TAFFRAIL_TRY(packs_.sync());
    TAFFRAIL_TRY(ensure_file());
    auto synced = sync_file();
    if (!synced.ok()) {
        // Linux reports a failed write-back once; a second sync of the same file would lie.
        abandon(synced.error());
        TAFFRAIL_TRY(ensure_file());
        synced = sync_file();
        if (!synced.ok()) {
            file_.reset();
            return synced;
        }
    }
    tail_.clear();
    tail_bytes_ = 0;
    unsynced_ = false;
    return {};
}

Result<void> StoreLogWriter::close(RunState state) {
    if (closed_) {
        return {};
    }
    TAFFRAIL_TRY(packs_.close());
    if (spooling_) {
        come_home();
    }
    TAFFRAIL_TRY(write_somewhere(checkpoint_payload(MetaState::Environment::Leave)));
    TAFFRAIL_TRY(write_somewhere(end_payload(tlog::EndReason::Finished, state)));
    TAFFRAIL_TRY(sync());
    closed_ = true;
    file_.reset();
    return bring_spool_home();
}

}  // namespace taffrail::store
