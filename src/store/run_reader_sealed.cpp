// The sealed part of a native run: taking up a manifest, and records out of sealed files whose logs are gone.
#include <algorithm>
#include <set>

#include "base/try.h"
#include "codec/value_codec.h"
#include "io/files.h"
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
    return sealed_ != nullptr && std::ranges::any_of(sealed_->keys(), [key](const KeyInfo& info) {
               return info.key == key && info.kind == Kind::Scalar;
           });
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
    struct Item {
        Point point;
        const std::string* key = nullptr;
        const seal::SealedValue* value = nullptr;
    };
    std::vector<Item> items;
    for (const KeyInfo& key : sealed.keys()) {
        if (key.kind != Kind::Scalar) {
            continue;
        }
        TAFFRAIL_ASSIGN(const std::vector<Point> points, sealed.points(key.key));
        for (const Point& point : points) {
            if (point.writer == writer) {
                items.push_back({point, &key.key, nullptr});
            }
        }
    }
    TAFFRAIL_ASSIGN(const auto values, sealed.values());
    for (const seal::SealedValue* value : values) {
        if (value->writer.writer == writer) {
            Item& item = items.emplace_back();
            item.point.seq = value->record.seq;
            item.value = value;
        }
    }
    std::ranges::stable_sort(items, {}, [](const Item& item) { return item.point.seq; });
    for (const Item& item : items) {
        if (item.value != nullptr) {
            tlog::FileIdentity identity;
            identity.writer = item.value->writer.writer;
            identity.attempt = item.value->writer.attempt;
            identity.rank = item.value->writer.rank;
            Record record = record_of(item.value->record, identity);
            record.key = item.value->name;
            auto decoded = decode_value(item.value->record.metadata);
            const Value value = decoded.ok() ? *std::move(decoded) : Value(Text{decoded.error().message, true});
            record.value = &value;
            if (!visit(record)) {
                return false;
            }
            continue;
        }
        Record record;
        record.key = *item.key;
        record.step = item.point.step;
        record.time_ns = item.point.time_ns;
        record.epoch = item.point.epoch == item.point.epoch ? std::optional(item.point.epoch) : std::nullopt;
        record.samples = item.point.samples != INT64_MIN ? std::optional(item.point.samples) : std::nullopt;
        record.phase = item.point.phase;
        record.rank = item.point.rank;
        record.attempt = item.point.attempt;
        record.writer = item.point.writer;
        record.seq = item.point.seq;
        record.scalar = item.point.value;
        if (!visit(record)) {
            return false;
        }
    }
    return true;
}

}  // namespace taffrail::storage
