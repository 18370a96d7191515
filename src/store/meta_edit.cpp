#include "store/meta_edit.h"

#include "base/clock.h"
#include "base/names.h"
#include "base/try.h"
#include "codec/tlog/decode.h"
#include "codec/tlog/encode.h"
#include "codec/tlog/frame_encoder.h"
#include "codec/tlog/meta.h"
#include "io/files.h"
#include "store/frame_file.h"
#include "store/layout.h"

namespace taffrail::store {
namespace {

Bytes text_payload(std::string_view text) {
    const ByteSpan bytes = as_bytes(text);
    return {bytes.begin(), bytes.end()};
}

Result<void> edit_one(const std::string& run_folder, tlog::MetaType type, Bytes payload) {
    return edit_meta(run_folder, {{type, std::move(payload)}});
}

}  // namespace

Result<void> edit_meta(const std::string& run_folder, const std::vector<MetaEdit>& edits) {
    TAFFRAIL_TRY(check_writable(run_folder));
    const std::string folder = io::join(run_folder, kMetaFolder);
    TAFFRAIL_TRY(io::make_directories(folder));
    tlog::FileIdentity identity;
    identity.writer = random_u64();
    identity.start_time_ns = wall_time_ns();
    tlog::Batch batch;
    for (const MetaEdit& edit : edits) {
        batch.meta.push_back({edit.type, batch.meta.size(), identity.start_time_ns, edit.payload});
    }
    tlog::FrameEncoder encoder;
    encoder.begin_file(random_u64());
    Bytes payload, file;
    tlog::encode_identity(payload, identity);
    encoder.append_frame(file, encoder.store(tlog::FrameType::Header, payload, 0, 0));
    payload.clear();
    tlog::encode_batch(payload, batch);
    encoder.append_frame(file, encoder.store(tlog::FrameType::Batch, payload, 0, 0));
    return io::write_file_atomically(io::join(folder, meta_name(identity.writer)), file);
}

Result<void> add_tag(const std::string& run_folder, std::string_view tag) {
    return edit_one(run_folder, tlog::MetaType::TagAdded, text_payload(tag));
}

Result<void> remove_tag(const std::string& run_folder, std::string_view tag) {
    return edit_one(run_folder, tlog::MetaType::TagRemoved, text_payload(tag));
}

Result<void> set_notes(const std::string& run_folder, std::string_view text) {
    return edit_one(run_folder, tlog::MetaType::Notes, text_payload(text));
}

Result<void> set_deleted(const std::string& run_folder, bool deleted) {
    return edit_one(run_folder, tlog::MetaType::Tombstone, tlog::encode_flag(deleted));
}

MetaState read_edits(const std::string& run_folder) {
    MetaState state;
    const std::string folder = io::join(run_folder, kMetaFolder);
    const auto entries = io::list(folder);
    if (!entries.ok()) {
        return state;
    }
    tlog::DecodedBatch decoded;
    for (const io::DirectoryEntry& entry : *entries) {
        if (!parse_meta_name(entry.name)) {
            continue;
        }
        FrameFile file(run_folder, io::join(folder, entry.name));
        (void)file.poll(
            [&](const FrameFile::Frame& frame) {
                if (frame.header.type == tlog::FrameType::Batch &&
                    decoded.decode(frame.header, frame.payload)) {
                    for (const tlog::MetaRecord& record : decoded.batch().meta) {
                        state.apply(record);
                    }
                }
                return true;
            },
            [](const tlog::DamagedRange&) {});
    }
    return state;
}

}  // namespace taffrail::store
