// What is known of a writer from its log: for adopters of orphan rings and for `taffrail sync`.
#include "base/names.h"
#include "base/try.h"
#include "codec/tlog/decode.h"
#include "io/files.h"
#include "store/frame_file.h"
#include "store/layout.h"
#include "store/log_state.h"
#include "store/open_log.h"

#include <algorithm>
#include <map>

namespace taffrail::store {

std::vector<std::uint64_t> list_writers(const std::string& run_folder) {
    std::vector<std::uint64_t> writers;
    for (const FileName& name : newest_of_each(list_logs(run_folder))) {
        writers.push_back(name.writer);
    }
    return writers;
}

Result<WriterTail> read_writer_tail(const std::string& run_folder, std::uint64_t writer) {
    const std::vector<FileName> files = list_logs(run_folder, writer);
    if (files.empty()) {
        return Error{ErrorCode::NotFound,
                     "writer " + writer_name(writer) + " has no log in " + run_folder};
    }
    WriterTail tail;
    tail.identity.writer = writer;
    LogState state;
    std::map<std::uint64_t, tlog::SpoolEntry> pending;
    tlog::DecodedBatch decoded;
    for (const FileName& name : files) {
        FrameFile file(run_folder, io::join(io::join(run_folder, kLiveFolder),
                                            log_name(name.writer, name.number)));
        TAFFRAIL_TRY(file.poll(
            [&](const FrameFile::Frame& frame) {
                tail.next_seq = std::max(tail.next_seq, frame.header.first_seq + frame.header.rows);
                if (frame.header.type == tlog::FrameType::Header) {
                    if (auto identity = tlog::decode_identity(frame.payload)) {
                        tail.identity = *std::move(identity);
                    }
                } else if (frame.header.type == tlog::FrameType::Checkpoint) {
                    if (const auto checkpoint = tlog::decode_checkpoint(frame.payload)) {
                        state.restore(*checkpoint);
                        tail.identity = checkpoint->identity;
                    }
                } else if (frame.header.type == tlog::FrameType::End) {
                    const auto end = tlog::decode_end(frame.payload);
                    tail.finished = end && end->reason == tlog::EndReason::Finished;
                } else if (frame.header.type == tlog::FrameType::Batch &&
                           decoded.decode(frame.header, frame.payload)) {
                    state.apply(decoded.batch());
                    for (const tlog::SpoolEntry& entry : decoded.batch().spool_pending) {
                        pending[entry.seq] = entry;
                    }
                    for (const std::uint64_t seq : decoded.batch().spool_done) {
                        pending.erase(seq);
                    }
                }
                return true;
            },
            [](const tlog::DamagedRange&) {}));
    }
    const tlog::Checkpoint known = state.checkpoint(MetaState::Environment::Leave);
    tail.names = std::make_shared<std::vector<std::string>>();
    tail.names->reserve(known.keys.size());
    for (const tlog::KeyDefinition& key : known.keys) {
        tail.names->emplace_back(key.name);
        tail.keys.push_back({key.id, key.kind, tail.names->back()});
    }
    tail.schemas = known.schemas;
    tail.ring_positions = known.ring_positions;
    for (const auto& [seq, entry] : pending) {
        tail.spool_pending.push_back(entry);
    }
    return tail;
}

}  // namespace taffrail::store
