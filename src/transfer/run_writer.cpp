#include "transfer/run_writer.h"

#include <taffrail/version.h>

#include "base/names.h"
#include "base/try.h"
#include "codec/capture.h"
#include "codec/tlog/meta.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "store/layout.h"
#include "store/open_log.h"
#include "store/stored_blobs.h"

#include <algorithm>
#include <cmath>

namespace taffrail::transfer {
namespace {

constexpr std::size_t kRowsAFlush = 8192;

Bytes bytes_of(std::string_view text) {
    const ByteSpan bytes = as_bytes(text);
    return Bytes(bytes.begin(), bytes.end());
}

}  // namespace

Result<std::unique_ptr<RunWriter>> RunWriter::join(const std::string& folder, const RunInfo& info,
                                                   const RunWriterIdentity& who) {
    std::unique_ptr<RunWriter> writer(new RunWriter);
    writer->folder_ = folder;
    writer->number_ = who.number != 0 ? who.number : random_u64();
    tlog::FileIdentity identity;
    identity.run_id = info.id;
    identity.writer = writer->number_;
    identity.attempt = who.attempt;
    identity.rank = who.rank;
    identity.host = who.host;
    identity.resume_step = who.resume_step;
    identity.start_time_ns = info.start_time_ns;
    identity.world_size = info.world_size;
    identity.software = std::string("taffrail ") + version();
    writer->start_time_ns_ = writer->last_time_ns_ = info.start_time_ns;
    store::LogOptions options;
    options.wall_ns = [raw = writer.get()] { return raw->last_time_ns_; };
    TAFFRAIL_ASSIGN(writer->log_, store::open_log(folder, identity, options));
    return writer;
}

Result<std::unique_ptr<RunWriter>> RunWriter::create(const std::string& root, const RunInfo& info,
                                                     const RunWriterIdentity& identity) {
    TAFFRAIL_TRY(store::make_root(root));
    TAFFRAIL_ASSIGN(const std::string folder, store::make_run_folder(root, info.id, info.name));
    TAFFRAIL_ASSIGN(auto writer, join(folder, info, identity));
    const std::int64_t start = info.start_time_ns;
    for (const auto& [type, text] : {std::pair{tlog::MetaType::Name, &info.name},
                                     {tlog::MetaType::Project, &info.project},
                                     {tlog::MetaType::Group, &info.group},
                                     {tlog::MetaType::JobType, &info.job_type},
                                     {tlog::MetaType::Notes, &info.notes}}) {
        if (!text->empty()) {
            TAFFRAIL_TRY(writer->meta(type, bytes_of(*text), start));
        }
    }
    for (const std::string& tag : info.tags) {
        TAFFRAIL_TRY(writer->meta(tlog::MetaType::TagAdded, bytes_of(tag), start));
    }
    if (!info.config.empty()) {
        Entry entry;
        entry.time_ns = start;
        entry.value = std::make_shared<const Value>(info.config);
        TAFFRAIL_TRY(writer->value("hparams", entry));
    }
    TAFFRAIL_TRY(writer->summary(Hparams(info.summary.begin(), info.summary.end())));
    return writer;
}

std::uint32_t RunWriter::key_id(std::string_view name, Kind kind) {
    const auto [found, is_new] =
        keys_.try_emplace({std::string(name), kind}, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) {
        new_keys_.push_back(found);
    }
    return found->second;
}

Result<void> RunWriter::meta(tlog::MetaType type, const Bytes& payload, std::int64_t time_ns) {
    tlog::Batch batch;
    batch.first_seq = next_seq_;
    batch.rows = 1;
    batch.meta.push_back({type, next_seq_++, time_ns, payload});
    return log_->append(batch);
}

Result<void> RunWriter::summary(const Hparams& values) {
    return values.empty()
               ? Result<void>()
               : meta(tlog::MetaType::Summary, tlog::encode_cells(values), last_time_ns_);
}

Result<void> RunWriter::environment(const Hparams& values) {
    return values.empty()
               ? Result<void>()
               : meta(tlog::MetaType::Environment, tlog::encode_cells(values), start_time_ns_);
}

Result<void> RunWriter::define_metric(std::string_view pattern, const MetricOptions& options) {
    return meta(tlog::MetaType::MetricDefinition, tlog::encode_metric_definition(pattern, options),
                start_time_ns_);
}

Result<void> RunWriter::console(const std::vector<ConsoleLine>& lines) {
    tlog::Batch batch;
    batch.first_seq = next_seq_;
    std::vector<std::string> texts;
    texts.reserve(lines.size());
    for (const ConsoleLine& line : lines) {
        texts.push_back(line.text + "\n");
        batch.console.push_back(
            {static_cast<std::uint8_t>(line.is_error ? 2 : 1), line.time_ns, texts.back()});
    }
    return lines.empty() ? Result<void>() : log_->append(batch);
}

Result<void> RunWriter::scalar(std::string_view key, const Point& point) {
    rows_.key.push_back(key_id(key, Kind::Scalar));
    // For sinks that the copy is given later; the load of the machine they read themselves.
    rows_.route.push_back(key.starts_with("system/") ? kStoreOnly : kAllSinks);
    rows_.seq.push_back(next_seq_++);
    rows_.step.push_back(point.step);
    rows_.time_ns.push_back(point.time_ns);
    rows_.samples.push_back(point.samples);
    rows_.epoch.push_back(point.epoch);
    rows_.value.push_back(point.value);
    rows_.phase.push_back(static_cast<std::uint8_t>(point.phase));
    last_time_ns_ = std::max(last_time_ns_, point.time_ns);
    return rows_.key.size() >= kRowsAFlush ? flush() : Result<void>();
}

Result<void> RunWriter::flush() {
    tlog::Batch batch;
    for (const auto& key : new_keys_) {
        batch.keys.push_back({key->second, key->first.second, key->first.first});
    }
    batch.first_seq = rows_.seq.empty() ? next_seq_ : rows_.seq.front();
    batch.rows = static_cast<std::uint32_t>(rows_.seq.size());
    if (!rows_.seq.empty()) {
        batch.long_rows.push_back({rows_.key,
                                   {rows_.seq, rows_.step, rows_.time_ns, rows_.epoch,
                                    rows_.samples, rows_.phase, rows_.route},
                                   rows_.value});
    }
    if (batch.rows > 0 || !batch.keys.empty()) {
        TAFFRAIL_TRY(log_->append(batch));
    }
    new_keys_.clear();
    rows_ = {};
    return {};
}

Result<void> RunWriter::value(std::string_view key, const Entry& entry) {
    const std::uint32_t id = key_id(key, kind_of(*entry.value));
    TAFFRAIL_TRY(flush());
    Value value = *entry.value;
    TAFFRAIL_TRY(encode_media(value));
    tlog::ValueRecord record;
    record.seq = next_seq_++;
    record.key = id;
    record.kind = kind_of(value);
    record.step = entry.step;
    record.time_ns = entry.time_ns;
    record.epoch = entry.epoch.value_or(std::nan(""));
    record.samples = entry.samples.value_or(INT64_MIN);
    record.phase = entry.phase;
    record.route = kAllSinks;
    const Bytes metadata = encode_value(value);
    record.metadata = metadata;
    TAFFRAIL_ASSIGN(record.blobs, store::store_blobs(*log_, value));
    tlog::Batch batch;
    batch.first_seq = record.seq;
    batch.rows = 1;
    batch.values.push_back(std::move(record));
    last_time_ns_ = std::max(last_time_ns_, entry.time_ns);
    return log_->append(batch);
}

Result<void> RunWriter::finish(RunState state, std::string_view message, std::int64_t end_time_ns) {
    TAFFRAIL_TRY(flush());
    last_time_ns_ = std::max(last_time_ns_, end_time_ns);
    TAFFRAIL_TRY(meta(tlog::MetaType::State, tlog::encode_state(state, message), last_time_ns_));
    return log_->close(state);
}

Result<void> RunWriter::abandon() {
    TAFFRAIL_TRY(flush());
    log_.reset();
    const std::string live = io::join(folder_, store::kLiveFolder);
    for (const store::FileName& file : store::list_logs(folder_, number_)) {
        TAFFRAIL_TRY(io::set_modified(io::join(live, store::log_name(file.writer, file.number)),
                                      last_time_ns_));
    }
    return {};
}

}  // namespace taffrail::transfer
