#include "seal/rest_log.h"

#include "base/try.h"
#include "codec/tlog/encode.h"
#include "codec/tlog/sections.h"
#include "io/files.h"
#include "io/inside.h"

namespace taffrail::seal {

Result<std::unique_ptr<RestLog>> RestLog::create(const std::string& path,
                                                 const tlog::FileIdentity& identity,
                                                 std::uint64_t nonce) {
    TAFFRAIL_ASSIGN(auto file,
                    io::open_inside(io::parent(io::parent(path)), path, io::OpenMode::Truncate));
    std::unique_ptr<RestLog> log(new RestLog(std::move(file)));
    log->encoder_.begin_file(nonce);
    Bytes payload;
    tlog::encode_identity(payload, identity);
    TAFFRAIL_TRY(log->put(tlog::FrameType::Header, payload));
    return log;
}

Result<void> RestLog::put(tlog::FrameType type, ByteSpan payload) {
    // No rows are left in these frames, and none are missing from them: all say row 0.
    Bytes frame;
    encoder_.append_frame(frame, encoder_.store(type, payload, 0, 0));
    return file_->append(frame);
}

Result<void> RestLog::add(const tlog::DecodedBatch& decoded) {
    const tlog::Batch& batch = decoded.batch();
    tlog::Batch rest;
    rest.keys = batch.keys;
    rest.schemas = batch.schemas;
    rest.meta = batch.meta;
    rest.console = batch.console;
    for (const tlog::RingPosition& position : batch.ring_positions) {
        ring_positions_[position.ring] = position.position;
    }
    rest.gaps = batch.gaps;
    rest.spool_pending = batch.spool_pending;
    rest.spool_done = batch.spool_done;
    const bool empty = rest.meta.empty() && rest.console.empty() && rest.gaps.empty() &&
                       rest.keys.empty() && rest.spool_pending.empty() && rest.spool_done.empty() &&
                       decoded.unknown_sections().empty();
    if (empty) {
        return {};
    }
    Bytes payload;
    tlog::encode_batch(payload, rest);
    for (const auto& [tag, body] : decoded.unknown_sections()) {
        tlog::append_section(payload, tag, body);
    }
    return put(tlog::FrameType::Batch, payload);
}

Result<void> RestLog::carry(const tlog::FrameHeader& header, ByteSpan payload) {
    return put(header.type, payload);
}

Result<void> RestLog::finish() {
    if (!ring_positions_.empty()) {
        tlog::Batch last;
        for (const auto& [ring, position] : ring_positions_) {
            last.ring_positions.push_back({ring, position});
        }
        Bytes payload;
        tlog::encode_batch(payload, last);
        TAFFRAIL_TRY(put(tlog::FrameType::Batch, payload));
    }
    if (!checkpoint_.empty()) {
        TAFFRAIL_TRY(put(tlog::FrameType::Checkpoint, checkpoint_));
    }
    if (!end_.empty()) {
        TAFFRAIL_TRY(put(tlog::FrameType::End, end_));
    }
    return file_->sync();
}

}  // namespace taffrail::seal
