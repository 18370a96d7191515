#include "store/run_data.h"

#include "base/try.h"
#include "record/orphan.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace taffrail::store {

BlobKey blob_key(const BlobRef& ref) noexcept {
    return load<std::uint64_t>(ref.sha256.data());
}

Result<void> WriterData::open(Depth wanted) {
    depth = wanted;
    if (wanted == Depth::Summary) {
        TAFFRAIL_ASSIGN([[maybe_unused]] const bool found, log.begin_at_checkpoint());
    }
    TAFFRAIL_TRY(refresh());
    return {};
}

Result<bool> WriterData::refresh() {
    if (depth == Depth::Summary) {
        return log.poll({});
    }
    return log.poll([this](const tlog::Batch& batch, FramePlace place) { add(batch, place); });
}

bool WriterData::take_orphans(const std::string& run_folder, const OnOrphans& on_batch) {
    if (std::exchange(orphans_taken_, true)) {
        return false;
    }
    bool found = false;
    const std::uint64_t writer = log.identity().writer;
    for (const std::string& folder : record::ring_folders(run_folder, log.identity().run_id)) {
        const auto orphans = record::find_orphans(folder);
        for (const record::Orphan& orphan :
             orphans.ok() ? *orphans : std::vector<record::Orphan>()) {
            if (orphan.definitions.identity.writer != writer) {
                continue;
            }
            record::OrphanProgress progress;
            progress.next_seq = std::max<std::uint64_t>(log.next_seq(), 1);
            for (const auto& [ring, position] : log.state().ring_positions()) {
                progress.ring_positions.push_back({ring, position});
            }
            (void)record::read_orphan(
                orphan, progress, {}, {}, [&](const tlog::Batch& batch) -> Result<void> {
                    found |= batch.rows > 0;
                    log.take_orphan_batch(batch, [&](const tlog::Batch& rows, FramePlace) {
                        if (on_batch) {
                            on_batch(rows);
                        } else if (depth == Depth::Everything) {
                            tables.add(rows, log.state());
                        }
                    });
                    return {};
                });
        }
    }
    return found;
}

void WriterData::add(const tlog::Batch& batch, FramePlace place) {
    tables.add(batch, log.state());
    for (std::uint32_t i = 0; i < batch.values.size(); ++i) {
        const tlog::ValueRecord& value = batch.values[i];
        const LogState::Key* key = log.state().key(value.key);
        if ((value.route & tlog::kHidden) != 0 || key == nullptr) {
            continue;
        }
        const ValuePlace at{value.seq, place, i};
        for (const tlog::BlobPlace& blob : value.blobs) {
            blobs.try_emplace(blob_key(blob.ref), at);
        }
        std::vector<ValuePlace>& list = values[key->name];
        // Media is encoded off the collector, so a record may come after younger ones.
        list.insert(std::ranges::upper_bound(list, at.seq, {}, &ValuePlace::seq), at);
    }
    for (const tlog::ConsoleChunk& chunk : batch.console) {
        console.add(chunk, log.identity().rank);
    }
}

Result<void> load_value(const WriterLog& log, const ValuePlace& place, LoadedValue& out) {
    TAFFRAIL_TRY(
        read_batch_at(log.url_of(place.frame.file), place.frame.offset, out.payload, out.decoded));
    if (place.index >= out.decoded.batch().values.size()) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("{} changed while it was read", log.url_of(place.frame.file))};
    }
    out.record = &out.decoded.batch().values[place.index];
    return {};
}

}  // namespace taffrail::store
