// The sealed part of a native run: taking up a manifest, and records out of sealed files whose logs are gone.
#include <algorithm>
#include <set>

#include "base/try.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "seal/sealed_rows.h"
#include "store/batch_records.h"
#include "store/layout.h"
#include "store/run_reader.h"

namespace taffrail::storage {
bool RunReader::take_manifest() const {
    auto manifest = read_manifest(folder_);
    if (!manifest || manifest->number == manifest_.number) {
        return false;
    }
    auto sealed = seal::SealedRun::open(folder_, manifest->files);
    if (!sealed.ok()) {
        // The logs are removed only after a grace period: as long as they are there nothing is lost.
        sealed_problem_ = sealed.error().message;
        return false;
    }
    sealed_problem_.clear();
    sealed_ = *std::move(sealed);
    manifest_ = *std::move(manifest);
    writers_.clear();
    console_.clear();
    return true;
}

std::vector<std::uint64_t> RunReader::list_all_writers() const {
    std::set<std::uint64_t> writers;
    for (const FileName& name : list_logs(folder_)) {
        writers.insert(name.writer);
    }
    for (const seal::SealedFileInfo& file : manifest_.files) {
        const auto writer = file.kind == seal::SealedFileInfo::Kind::Rest ? writer_of_rest_log(file.name) : std::nullopt;
        if (writer) {
            writers.insert(*writer);
        }
    }
    return {writers.begin(), writers.end()};
}

std::unique_ptr<WriterData> RunReader::make_writer(std::uint64_t id) const {
    auto writer = std::make_unique<WriterData>(folder_, id);
    std::map<std::uint32_t, std::uint64_t> covered;
    std::vector<std::string> rest;
    for (const seal::CoveredLog& log : manifest_.logs) {
        if (log.writer == id) {
            covered[log.file_number] = log.bytes;
        }
    }
    for (const seal::SealedFileInfo& file : manifest_.files) {
        if (file.kind == seal::SealedFileInfo::Kind::Rest && writer_of_rest_log(file.name) == id) {
            rest.push_back(io::join(io::join(folder_, kDataFolder), file.name));
        }
    }
    writer->log.set_sealed(std::move(covered), rest);
    return writer;
}

bool RunReader::is_sealed(std::string_view key) const {
    return sealed_ != nullptr && sealed_->contains(key);
}

bool RunReader::logs_are_complete(std::uint64_t writer) const {
    const std::vector<FileName> files = list_logs(folder_, writer);
    return std::ranges::all_of(manifest_.logs, [&](const seal::CoveredLog& log) {
        return log.writer != writer || std::ranges::find(files, FileName{log.writer, log.file_number}) != files.end();
    });
}

// Rows and values of one writer, put back into the order of its log. False when `visit` wants no more.
Result<bool> RunReader::visit_sealed(const seal::SealedRun& sealed, std::uint64_t writer,
                                     const std::function<bool(const Record&)>& visit) {
    seal::SealedRows rows(sealed.files(), writer);
    seal::SealedRow row;
    const auto visit_rows = [&](std::uint64_t end_seq) -> Result<bool> {
        while (true) {
            TAFFRAIL_ASSIGN(const bool more, rows.next(end_seq, row));
            if (!more) {
                return true;
            }
            const Point& axes = row.axes;
            Record record;
            record.step = axes.step;
            record.time_ns = axes.time_ns;
            record.epoch = axes.epoch == axes.epoch ? std::optional(axes.epoch) : std::nullopt;
            record.samples = axes.samples != INT64_MIN ? std::optional(axes.samples) : std::nullopt;
            record.phase = axes.phase;
            record.rank = axes.rank;
            record.attempt = axes.attempt;
            record.writer = axes.writer;
            record.seq = axes.seq;
            for (const auto& [key, value] : row.values) {
                record.key = key;
                record.scalar = value;
                if (!visit(record)) {
                    return false;
                }
            }
        }
    };
    TAFFRAIL_ASSIGN(const auto values, sealed.values());
    for (const seal::SealedValue* value : values) {
        if (value->writer.writer != writer) {
            continue;
        }
        TAFFRAIL_ASSIGN(const bool more, visit_rows(value->record.seq));
        if (!more) {
            return false;
        }
        tlog::FileIdentity identity;
        identity.writer = value->writer.writer;
        identity.attempt = value->writer.attempt;
        identity.rank = value->writer.rank;
        Record record = record_of(value->record, identity);
        record.key = value->name;
        auto decoded = decode_value(value->record.metadata);
        const Value content = decoded.ok() ? *std::move(decoded) : Value(Text{decoded.error().message, true});
        record.value = &content;
        if (!visit(record)) {
            return false;
        }
    }
    return visit_rows(UINT64_MAX);
}

}  // namespace taffrail::storage
