// What is not a scalar in a native run, and the whole stream of records.
#include "base/try.h"
#include "store/batch_filter.h"
#include "store/batch_records.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/record_visitor.h"
#include "store/run_check.h"
#include "store/run_reader.h"
#include "store/sealed_records.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace taffrail::store {
namespace {

Entry entry_of(const Record& record, std::shared_ptr<const Value> value) {
    Entry entry;
    entry.step = record.step;
    entry.time_ns = record.time_ns;
    entry.epoch = record.epoch;
    entry.samples = record.samples;
    entry.attempt = record.attempt;
    entry.rank = record.rank;
    entry.phase = record.phase;
    entry.writer = record.writer;
    entry.seq = record.seq;
    entry.value = std::move(value);
    return entry;
}

}  // namespace

Result<std::vector<Entry>> RunReader::entries(std::string_view key) const {
    return with_second_look([&]() -> Result<std::vector<Entry>> {
        TAFFRAIL_TRY(ensure(WriterData::Depth::Everything));
        const std::shared_lock lock(mutex_);
        bool known = false;
        std::vector<Entry> found = collect_entries(key, known);
        if (!known && pieces(key).empty() && !is_sealed(key)) {
            return no_such_key(key);
        }
        return found;
    });
}

std::vector<Entry> RunReader::collect_entries(std::string_view key, bool& known) const {
    std::vector<Entry> result;
    if (sealed_ != nullptr && !key.empty()) {
        for (const seal::SealedValue* value : sealed_->values(key)) {
            tlog::FileIdentity identity;
            identity.writer = value->writer.writer;
            identity.attempt = value->writer.attempt;
            identity.rank = value->writer.rank;
            result.push_back(entry_of(record_of(value->record, identity),
                                      std::make_shared<const Value>(value_of(value->record))));
            known = true;
        }
    }
    const auto of_sealed = static_cast<std::ptrdiff_t>(result.size());
    for (const WriterData* writer : ordered_writers()) {
        const auto found = writer->values.find(key);
        if (found == writer->values.end()) {
            continue;
        }
        known = true;
        LoadedValue loaded;
        std::optional<FramePlace> at;
        for (const ValuePlace& place : found->second) {
            if (!at || at->file != place.frame.file || at->offset != place.frame.offset) {
                at.reset();
                if (!load_value(writer->log, place, loaded).ok()) {
                    continue;  // its frame went bad since it was first read; verify names it
                }
                at = place.frame;
            }
            const tlog::ValueRecord& record = loaded.decoded.batch().values[place.index];
            result.push_back(entry_of(record_of(record, writer->log.identity()),
                                      std::make_shared<const Value>(value_of(record))));
        }
    }
    if (doubt_) {
        // The log and the sealed files may both have a value. That of the log counts: a damaged
        // page may have cost the sealed one its epoch.
        std::ranges::rotate(result, result.begin() + of_sealed);
        const auto place = [](const Entry& entry) {
            return std::tuple(entry.attempt, entry.rank, entry.writer, entry.seq);
        };
        std::ranges::stable_sort(result, {}, place);
        const auto doubled = std::ranges::unique(result, {}, place);
        result.erase(doubled.begin(), doubled.end());
    }
    return result;
}

Result<std::shared_ptr<const std::vector<std::byte>>> RunReader::load(const BlobRef& blob) const {
    TAFFRAIL_ASSIGN(auto bytes, find_blob(blob));
    TAFFRAIL_TRY(check_size(blob, *bytes));
    return bytes;
}

Result<std::vector<std::byte>> RunReader::load_range(const BlobRef& blob, std::uint64_t offset,
                                                     std::uint64_t length) const {
    if (auto part = blobs_.find_range(blob, offset, length); part.ok()) {
        return part;
    }
    return RecordedRun::load_range(blob, offset, length);  // small ones stand in line
}

Result<std::shared_ptr<const std::vector<std::byte>>> RunReader::find_blob(
    const BlobRef& blob) const {
    TAFFRAIL_TRY(ensure(WriterData::Depth::Everything));
    const std::shared_lock lock(mutex_);
    for (const auto& [id, writer] : writers_) {
        const auto found = writer->blobs.find(blob_key(blob));
        if (found == writer->blobs.end()) {
            continue;
        }
        LoadedValue loaded;
        if (!load_value(writer->log, found->second, loaded).ok()) {
            continue;  // the sealed files or the packs may have it
        }
        for (const tlog::BlobPlace& place : loaded.record->blobs) {
            if (place.ref.sha256 == blob.sha256) {
                return blobs_.load(place, id);
            }
        }
    }
    if (const auto found = sealed_ != nullptr ? sealed_->find_blob(blob) : std::nullopt) {
        tlog::BlobPlace place = *found->place;
        Bytes bytes;
        if (place.where == tlog::BlobPlace::Where::Inline) {
            TAFFRAIL_ASSIGN(bytes, found->table->inline_bytes(*found->value, blob));
            place.bytes = bytes;
        }
        return blobs_.load(place, found->writer);
    }
    return blobs_.find(blob);
}

namespace {

/// Where the records of a writer are to be had.
enum class Way : std::uint8_t { Logs, Sealed, Both };

Way choose_way(const std::string& run_folder, const Manifest& manifest, std::uint64_t writer) {
    const std::vector<FileName> files = list_logs(run_folder, writer);
    if (!manifest.unreadable.empty()) {
        return files.empty() ? Way::Sealed : Way::Both;
    }
    std::size_t covered = 0, there = 0;
    bool whole = true;
    for (const seal::CoveredLog& log : manifest.logs) {
        if (log.writer == writer) {
            ++covered;
            if (std::ranges::find(files, FileName{log.writer, log.file_number}) != files.end()) {
                ++there;
                whole = whole && check_covered_log(run_folder, log).size() <= log.damaged_ranges;
            }
        }
    }
    return covered > 0 && there == 0   ? Way::Sealed
           : there < covered || !whole ? Way::Both
                                       : Way::Logs;
}

/// Where the values of a writer lie, by row number. Media is encoded beside the training and
/// written when it is done: its record comes after rows that were logged later.
Result<std::vector<ValuePlace>> value_places(const std::string& run_folder, std::uint64_t writer) {
    WriterLog summary(run_folder, writer);
    TAFFRAIL_ASSIGN(const bool has_totals, summary.begin_at_checkpoint());
    std::vector<ValuePlace> places;
    const auto is_value = [](const LogState::Key& key) { return key.kind != Kind::Scalar; };
    if (has_totals) {
        TAFFRAIL_TRY(summary.poll({}));
        if (std::ranges::none_of(summary.state().keys(), is_value)) {
            return places;
        }
    }
    WriterLog log(run_folder, writer);
    TAFFRAIL_TRY(log.poll([&places](const tlog::Batch& batch, FramePlace frame) {
        for (std::uint32_t i = 0; i < batch.values.size(); ++i) {
            places.push_back({batch.values[i].seq, frame, i});
        }
    }));
    std::ranges::stable_sort(places, {}, &ValuePlace::seq);
    return places;
}

}  // namespace

// Read from the files again, one frame at a time: exporting a run of any size needs little memory.
// Logs that are still there and whole give their own order. Where they were removed after sealing,
// the sealed rows are put back into order; where they are damaged, the sealed rows fill the holes.
Result<void> RunReader::for_each(const std::function<bool(const Record&)>& visit) const {
    std::vector<std::pair<std::uint64_t, Way>> sources;
    std::shared_ptr<const seal::SealedRun> sealed;
    {
        // Not held while visiting: the visitor may well ask this run something.
        const std::shared_lock lock(mutex_);
        sealed = sealed_;
        for (const WriterData* writer : ordered_writers()) {
            const std::uint64_t id = writer->log.identity().writer;
            sources.emplace_back(
                id, sealed == nullptr ? Way::Logs : choose_way(folder_, manifest_, id));
        }
    }
    for (const auto& [id, way] : sources) {
        std::unique_ptr<WriterData> writer;
        std::optional<SealedRecords> records;
        VisitedRows visited;
        VisitedRows* const both = way == Way::Both ? &visited : nullptr;
        if (way == Way::Sealed) {
            const std::shared_lock lock(mutex_);
            writer = make_writer(id);
        } else {
            writer = std::make_unique<WriterData>(folder_, id);
        }
        if (way != Way::Logs) {
            records.emplace(*sealed, id);
        }
        if (way == Way::Sealed && !records->visit_until(UINT64_MAX, visit)) {
            return {};
        }
        RecordVisitor visitor(visit, both);
        if (way == Way::Logs) {
            TAFFRAIL_ASSIGN(std::vector<ValuePlace> values, value_places(folder_, id));
            visitor.set_values(std::move(values));
        }
        bool stopped = false;
        WriterLog& log = writer->log;
        TAFFRAIL_TRY(log.poll([&](const tlog::Batch& batch, FramePlace) {
            std::uint64_t first = 0, last = 0;
            if (both != nullptr && !stopped && scalar_rows(batch, first, last)) {
                stopped = !records->visit_until(first, visit, both);
            }
            if (!stopped) {
                visitor.take(batch, log);
                stopped = visitor.stopped();
            }
        }));
        if (both != nullptr && !stopped) {
            stopped = !records->visit_until(UINT64_MAX, visit, both);
        }
        if (!stopped) {
            visitor.finish(log);
            stopped = visitor.stopped();
        }
        if (!both) {  // holes of logs that sealed files fill are none
            keep_walked_damage(log.damage());
        }
        if (!stopped && !log.finished() &&
            !writer_is_alive(folder_, log.identity(), log.last_sign_of_life_ns())) {
            writer->take_orphans(folder_,
                                 [&](const tlog::Batch& batch) { visitor.take(batch, log); });
            stopped = visitor.stopped();
        }
        if (stopped) {
            break;
        }
    }
    return {};
}

}  // namespace taffrail::store
