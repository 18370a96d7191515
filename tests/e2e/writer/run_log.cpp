#include "run_log.h"

#include "base/names.h"
#include "base/try.h"
#include "codec/capture.h"
#include "codec/tlog/meta.h"
#include "codec/value_codec.h"
#include "record/identity.h"
#include "store/layout.h"
#include "store/open_log.h"
#include "store/stored_blobs.h"
#include "values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace taffrail::e2e {
namespace {

constexpr std::size_t kRowsABatch = 1u << 16;
constexpr std::uint64_t kNoProcess = 0x7fffffff;

std::int64_t milliseconds(const Json& what, std::string_view name) {
    return static_cast<std::int64_t>(what.number_or(name, 0) * 1e6);
}

RunState state_named(std::string_view name) {
    return name == "failed"    ? RunState::Failed
           : name == "crashed" ? RunState::Crashed
                               : RunState::Finished;
}

}  // namespace

Result<std::unique_ptr<RunLog>> RunLog::open(const std::string& root, const Json& what) {
    std::unique_ptr<RunLog> run(new RunLog);
    const std::string id = what.string_or("id", "");
    TAFFRAIL_TRY(store::make_root(root));
    std::string folder;
    const Result<std::string> known = store::find_run_folder(root, id);
    if (known.ok()) {
        folder = *known;
    } else {
        TAFFRAIL_ASSIGN(folder, store::make_run_folder(root, id, what.string_or("name", "")));
    }
    tlog::FileIdentity identity;
    identity.run_id = id;
    identity.writer = random_u64();
    identity.attempt = static_cast<std::uint32_t>(what.integer_or("attempt", 0));
    identity.rank = static_cast<std::int32_t>(what.integer_or("rank", 0));
    identity.world_size = static_cast<std::int32_t>(what.integer_or("world_size", 1));
    identity.start_time_ns = milliseconds(what, "start_ms");
    identity.resume_step = what.integer_or("resume_step", INT64_MIN);
    identity.host = what.string_or("host", "");
    identity.software = "e2e";
    // Whether a run without an end still goes on is judged by its process: this one, or one that
    // cannot exist.
    const record::WriterIdentity self = record::make_identity(id);
    const bool live = what.truth_or("live", false);
    identity.process_id = live ? self.process_id : kNoProcess;
    identity.process_start = self.process_start;
    identity.boot_id = self.boot_id;
    run->last_time_ns_ = identity.start_time_ns;
    store::LogOptions options;
    options.wall_ns = [raw = run.get()] { return raw->last_time_ns_; };
    TAFFRAIL_ASSIGN(run->log_, store::open_log(folder, identity, options));
    if (!known.ok()) {
        TAFFRAIL_TRY(run->settings(what));
    }
    return run;
}

Result<void> RunLog::settings(const Json& what) {
    for (const auto& [type, name] : {std::pair{tlog::MetaType::Name, "name"},
                                     {tlog::MetaType::Project, "project"},
                                     {tlog::MetaType::Group, "group"},
                                     {tlog::MetaType::JobType, "job_type"},
                                     {tlog::MetaType::Notes, "notes"},
                                     {tlog::MetaType::Colour, "color"}}) {
        if (const std::string text = what.string_or(name, ""); !text.empty()) {
            TAFFRAIL_TRY(meta(type, as_bytes(text)));
        }
    }
    if (const Json* tags = what.find("tags"); tags != nullptr) {
        for (const Json& tag : *tags->array()) {
            TAFFRAIL_TRY(meta(tlog::MetaType::TagAdded, as_bytes(*tag.string())));
        }
    }
    if (const Hparams cells = cells_of(what.find("environment")); !cells.empty()) {
        TAFFRAIL_TRY(meta(tlog::MetaType::Environment, tlog::encode_cells(cells)));
    }
    TAFFRAIL_TRY(summary(cells_of(what.find("summary"))));
    const Hparams config = cells_of(what.find("config"));
    return config.empty() ? Result<void>() : value("hparams", 0, last_time_ns_, Value(config));
}

std::uint32_t RunLog::key_id(const std::string& name, Kind kind, tlog::Batch& batch) {
    const auto [found, is_new] =
        keys_.try_emplace({name, kind}, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) {
        batch.keys.push_back({found->second, kind, found->first.first});
    }
    return found->second;
}

Result<void> RunLog::meta(tlog::MetaType type, ByteSpan payload) {
    tlog::Batch batch;
    batch.first_seq = next_seq_;
    batch.rows = 1;
    batch.meta.push_back({type, next_seq_++, last_time_ns_, payload});
    return log_->append(batch);
}

Result<void> RunLog::summary(const Hparams& values) {
    return values.empty() ? Result<void>()
                          : meta(tlog::MetaType::Summary, tlog::encode_cells(values));
}

Result<void> RunLog::scalars(const std::string& key, const Grid& grid, ByteSpan values,
                             ByteSpan steps) {
    const std::size_t rows = values.size() / sizeof(double);
    for (std::size_t first = 0; first < rows; first += kRowsABatch) {
        const std::size_t count = std::min(kRowsABatch, rows - first);
        tlog::Batch batch;
        const std::vector<std::uint32_t> keys(count, key_id(key, Kind::Scalar, batch));
        const std::vector<std::uint32_t> route(count, kStoreOnly);
        const std::vector<std::uint8_t> phases(count, static_cast<std::uint8_t>(grid.phase));
        std::vector<std::uint64_t> seq(count);
        std::vector<std::int64_t> step(count), time_ns(count), samples(count, INT64_MIN);
        std::vector<double> epoch(count, std::nan("")), numbers(count);
        std::memcpy(numbers.data(), values.data() + first * sizeof(double), count * sizeof(double));
        batch.first_seq = next_seq_;
        batch.rows = static_cast<std::uint32_t>(count);
        for (std::size_t i = 0; i < count; ++i) {
            seq[i] = next_seq_++;
            const std::size_t row = first + i;
            step[i] = steps.empty() ? grid.first + static_cast<std::int64_t>(row) * grid.stride
                                    : load<std::int64_t>(steps.data() + row * sizeof(std::int64_t));
            // Steps may jump anywhere; time goes on.
            const auto at = static_cast<double>(steps.empty() ? step[i] : row);
            time_ns[i] = static_cast<std::int64_t>((grid.start_ms + at * grid.step_ms) * 1e6);
            if (grid.epoch_steps > 0) {
                epoch[i] = at / grid.epoch_steps;
            }
            if (grid.samples > 0) {
                samples[i] = (static_cast<std::int64_t>(at) + 1) * grid.samples;
            }
        }
        batch.long_rows.push_back(
            {keys, {seq, step, time_ns, epoch, samples, phases, route}, numbers});
        TAFFRAIL_TRY(log_->append(batch));
        last_time_ns_ = std::max(last_time_ns_, time_ns.back());
    }
    return {};
}

Result<void> RunLog::value(const std::string& key, Step step, std::int64_t time_ns, Value value) {
    TAFFRAIL_TRY(encode_media(value));
    tlog::Batch batch;
    tlog::ValueRecord record;
    record.seq = next_seq_++;
    record.key = key_id(key, kind_of(value), batch);
    record.kind = kind_of(value);
    record.step = step;
    record.time_ns = time_ns;
    record.epoch = std::nan("");
    record.route = kStoreOnly;
    const Bytes metadata = encode_value(value);
    record.metadata = metadata;
    TAFFRAIL_ASSIGN(record.blobs, store::store_blobs(*log_, value));
    batch.first_seq = record.seq;
    batch.rows = 1;
    batch.values.push_back(std::move(record));
    last_time_ns_ = std::max(last_time_ns_, time_ns);
    return log_->append(batch);
}

Result<void> RunLog::console(const Json& lines) {
    tlog::Batch batch;
    batch.first_seq = next_seq_;
    std::vector<std::string> texts;
    texts.reserve(lines.array()->size());
    for (const Json& line : *lines.array()) {
        texts.push_back(line.string_or("text", "") + "\n");
        batch.console.push_back({static_cast<std::uint8_t>(line.truth_or("error", false) ? 2 : 1),
                                 milliseconds(line, "time_ms"), texts.back()});
    }
    return log_->append(batch);
}

Result<void> RunLog::console_lines(std::int64_t count) {
    constexpr std::int64_t kLinesABatch = 10'000;
    for (std::int64_t first = 0; first < count; first += kLinesABatch) {
        std::string text;
        for (std::int64_t i = first; i < std::min(count, first + kLinesABatch); ++i) {
            text += "line " + std::to_string(i) + '\n';
        }
        tlog::Batch batch;
        batch.first_seq = next_seq_;
        batch.console.push_back({1, last_time_ns_, text});
        TAFFRAIL_TRY(log_->append(batch));
    }
    return {};
}

Result<void> RunLog::define(const Json& what) {
    MetricOptions options;
    options.step = what.string_or("step", "");
    const std::string summary = what.string_or("summary", "last");
    options.summary = summary == "min"    ? Summary::Min
                      : summary == "max"  ? Summary::Max
                      : summary == "mean" ? Summary::Mean
                      : summary == "none" ? Summary::None
                                          : Summary::Last;
    const std::string goal = what.string_or("goal", "");
    options.goal = goal == "minimize"   ? Goal::Minimize
                   : goal == "maximize" ? Goal::Maximize
                                        : Goal::None;
    options.hidden = what.truth_or("hidden", false);
    return meta(tlog::MetaType::MetricDefinition,
                tlog::encode_metric_definition(what.string_or("pattern", ""), options));
}

Result<void> RunLog::finish(std::string_view state, std::string_view message) {
    TAFFRAIL_TRY(meta(tlog::MetaType::State, tlog::encode_state(state_named(state), message)));
    return log_->close(state_named(state));
}

}  // namespace taffrail::e2e
