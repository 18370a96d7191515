// What is not a scalar in a native run, and the whole stream of records.
#include "base/sha256.h"
#include "base/try.h"
#include "codec/value_codec.h"
#include "store/batch_records.h"
#include "store/liveness.h"
#include "store/run_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace taffrail::storage {
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

// A value that cannot be decoded is shown as what it is, not left out.
Value value_of(const tlog::ValueRecord& record) {
    auto value = decode_value(record.metadata);
    if (value.ok()) {
        return *std::move(value);
    }
    return Text{"this value cannot be read: " + value.error().message, true};
}

class RecordVisitor {
  public:
    RecordVisitor(const std::function<bool(const Record&)>& visit) : visit_(visit) {}

    void take(const tlog::Batch& batch, const WriterLog& log) {
        if (stopped_) {
            return;
        }
        order_rows(batch, rows_);
        for (const RowPlace& place : rows_) {
            switch (place.section) {
                case RowPlace::Section::Wide:
                    wide(batch.wide[place.index], place.row, log);
                    break;
                case RowPlace::Section::Long:
                    lone(batch.long_rows[place.index], place.row, log);
                    break;
                case RowPlace::Section::Values:
                    value(batch.values[place.index], log);
                    break;
            }
            if (stopped_) {
                return;
            }
        }
    }

    [[nodiscard]] bool stopped() const noexcept { return stopped_; }

  private:
    void show(Record& record, const LogState::Key* key) {
        if (key != nullptr && !stopped_) {
            record.key = key->name;
            stopped_ = !visit_(record);
        }
    }

    void wide(const tlog::WideRows& rows, std::size_t row, const WriterLog& log) {
        const auto* members = log.state().schema(rows.schema);
        if (members == nullptr || members->size() != rows.columns.size() ||
            (route_of(rows.axes, row) & tlog::kHidden) != 0) {
            return;
        }
        Record record = record_of(rows.axes, row, log.identity());
        for (std::size_t column = 0; column < members->size(); ++column) {
            record.scalar = rows.columns[column][row];
            show(record, log.state().key((*members)[column]));
        }
    }

    void lone(const tlog::LongRows& rows, std::size_t row, const WriterLog& log) {
        if ((route_of(rows.axes, row) & tlog::kHidden) == 0) {
            Record record = record_of(rows.axes, row, log.identity());
            record.scalar = rows.value[row];
            show(record, log.state().key(rows.key[row]));
        }
    }

    void value(const tlog::ValueRecord& stored, const WriterLog& log) {
        if ((stored.route & tlog::kHidden) == 0) {
            Record record = record_of(stored, log.identity());
            const Value decoded = value_of(stored);
            record.value = &decoded;
            record.kind = kind_of(decoded);
            show(record, log.state().key(stored.key));
        }
    }

    const std::function<bool(const Record&)>& visit_;
    std::vector<RowPlace> rows_;
    bool stopped_ = false;
};

}  // namespace

Result<std::vector<Entry>> RunReader::entries(std::string_view key) const {
    TAFFRAIL_TRY(ensure(WriterData::Depth::Everything));
    const std::shared_lock lock(mutex_);
    std::vector<Entry> result;
    bool known = false;
    if (sealed_ != nullptr) {
        TAFFRAIL_ASSIGN(const auto values, sealed_->values(key));
        for (const seal::SealedValue* value : key.empty() ? decltype(values){} : values) {
            tlog::FileIdentity identity;
            identity.writer = value->writer.writer;
            identity.attempt = value->writer.attempt;
            identity.rank = value->writer.rank;
            result.push_back(entry_of(record_of(value->record, identity),
                                      std::make_shared<const Value>(value_of(value->record))));
            known = true;
        }
    }
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
                TAFFRAIL_TRY(load_value(writer->log, place, loaded));
                at = place.frame;
            }
            const tlog::ValueRecord& record = loaded.decoded.batch().values[place.index];
            result.push_back(entry_of(record_of(record, writer->log.identity()),
                                      std::make_shared<const Value>(value_of(record))));
        }
    }
    if (!known && pieces(key).empty() && !is_sealed(key)) {
        return no_such_key(key);
    }
    return result;
}

Result<std::shared_ptr<const std::vector<std::byte>>> RunReader::load(const BlobRef& blob) const {
    TAFFRAIL_TRY(ensure(WriterData::Depth::Everything));
    const std::shared_lock lock(mutex_);
    for (const auto& [id, writer] : writers_) {
        const auto found = writer->blobs.find(blob_key(blob));
        if (found == writer->blobs.end()) {
            continue;
        }
        LoadedValue loaded;
        TAFFRAIL_TRY(load_value(writer->log, found->second, loaded));
        for (const tlog::BlobPlace& place : loaded.record->blobs) {
            if (place.ref.sha256 == blob.sha256) {
                return blobs_.load(place, id);
            }
        }
    }
    if (sealed_ != nullptr) {
        TAFFRAIL_ASSIGN(const auto values, sealed_->values());
        for (const seal::SealedValue* value : values) {
            for (const tlog::BlobPlace& place : value->record.blobs) {
                if (place.ref.sha256 == blob.sha256) {
                    return blobs_.load(place, value->writer.writer);
                }
            }
        }
    }
    return blobs_.find(blob);
}

// Read from the files again, one frame at a time: exporting a run of any size needs little memory.
// Where the logs were removed after sealing, the sealed rows of a writer are put back into order
// first.
Result<void> RunReader::for_each(const std::function<bool(const Record&)>& visit) const {
    struct Source {
        std::unique_ptr<WriterData> writer;
        bool from_sealed = false;
    };

    std::vector<Source> sources;
    std::shared_ptr<const seal::SealedRun> sealed;
    {
        // Not held while visiting: the visitor may well ask this run something.
        const std::shared_lock lock(mutex_);
        sealed = sealed_;
        for (const WriterData* writer : ordered_writers()) {
            const std::uint64_t id = writer->log.identity().writer;
            const bool from_sealed = sealed_ != nullptr && !logs_are_complete(id);
            sources.push_back(
                {from_sealed ? make_writer(id) : std::make_unique<WriterData>(folder_, id),
                 from_sealed});
        }
    }
    RecordVisitor visitor(visit);
    for (const Source& source : sources) {
        if (source.from_sealed) {
            TAFFRAIL_ASSIGN(const bool more,
                            visit_sealed(*sealed, source.writer->log.identity().writer, visit));
            if (!more) {
                return {};
            }
        }
        WriterLog& log = source.writer->log;
        TAFFRAIL_TRY(
            log.poll([&](const tlog::Batch& batch, FramePlace) { visitor.take(batch, log); }));
        if (!visitor.stopped() && !log.finished() &&
            !writer_is_alive(folder_, log.identity(), log.last_sign_of_life_ns())) {
            source.writer->take_orphans(
                folder_, [&](const tlog::Batch& batch) { visitor.take(batch, log); });
        }
        if (visitor.stopped()) {
            break;
        }
    }
    return {};
}

}  // namespace taffrail::storage
