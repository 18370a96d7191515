#include "transfer/run_copy.h"

#include "base/try.h"
#include "codec/capture.h"
#include "codec/value_codec.h"
#include "store/layout.h"
#include "store/profile_files.h"

namespace taffrail::transfer {
namespace {

constexpr std::pair<std::int32_t, std::uint32_t> kFirst{0, 0};

/// The value with its bytes, under references that name them: a foreign one may name a place.
Result<Value> loaded(const RecordedRun& run, const Value& original) {
    Value value = original;
    Result<void> status;
    for_each_blob(value, [&](Blob& blob) {
        if (blob.bytes == nullptr && status.ok()) {
            auto bytes = run.load(blob.ref);
            if (bytes.ok()) {
                blob.bytes = *bytes;
            } else {
                status = bytes.error();
            }
        }
        if (blob.bytes != nullptr) {
            blob.ref = {};
            seal_blob(blob);
        }
    });
    TAFFRAIL_TRY(status);
    return value;
}

}  // namespace

Result<std::unique_ptr<RunCopy>> RunCopy::create(const std::string& root, const RunInfo& info) {
    std::unique_ptr<RunCopy> copy(new RunCopy(info));
    TAFFRAIL_ASSIGN(copy->writers_[kFirst], RunWriter::create(root, info));
    return copy;
}

Result<RunWriter*> RunCopy::writer(const Process& process) {
    const auto found = writers_.find(process);
    if (found != writers_.end()) {
        return found->second.get();
    }
    RunWriterIdentity identity;
    identity.rank = process.first;
    identity.attempt = process.second;
    TAFFRAIL_ASSIGN(auto joined, RunWriter::join(writers_.at(kFirst)->folder(), info_, identity));
    return writers_.emplace(process, std::move(joined)).first->second.get();
}

Result<void> RunCopy::add(const RecordedRun& run, const Record& record) {
    TAFFRAIL_ASSIGN(RunWriter * to, writer({record.rank, record.attempt}));
    if (record.kind == Kind::Scalar) {
        Point point;
        point.step = record.step, point.time_ns = record.time_ns, point.value = record.scalar;
        point.epoch = record.epoch.value_or(point.epoch);
        point.samples = record.samples.value_or(INT64_MIN);
        point.phase = record.phase;
        ++points_;
        return to->scalar(record.key, point);
    }
    TAFFRAIL_ASSIGN(Value value, loaded(run, *record.value));
    Entry entry;
    entry.step = record.step, entry.time_ns = record.time_ns, entry.phase = record.phase;
    entry.epoch = record.epoch, entry.samples = record.samples;
    entry.value = std::make_shared<const Value>(std::move(value));
    ++values_;
    return to->value(record.key, entry);
}

Result<void> RunCopy::add_console(const std::vector<ConsoleLine>& lines) {
    std::map<std::int32_t, std::vector<ConsoleLine>> by_rank;
    for (const ConsoleLine& line : lines) {
        by_rank[line.rank].push_back(line);
    }
    for (const auto& [rank, some] : by_rank) {
        TAFFRAIL_ASSIGN(RunWriter * to, writer({rank, 0}));
        TAFFRAIL_TRY(to->console(some));
    }
    return {};
}

Result<void> RunCopy::finish() {
    // Nobody writes the copy any more, whatever the original does.
    const bool open_ended = info_.state == RunState::Running || info_.state == RunState::Idle;
    const RunState end = open_ended ? RunState::Finished : info_.state;
    // What is known of the end is that of the newest attempt; where several ranks took part, of the
    // first one.
    const RunWriter* newest = nullptr;
    std::uint32_t attempt = 0;
    for (const auto& [process, one] : writers_) {
        if (newest == nullptr || process.second > attempt) {
            newest = one.get();
            attempt = process.second;
        }
    }
    for (const auto& [process, one] : writers_) {
        const bool is_told = one.get() == newest && !open_ended;
        TAFFRAIL_TRY(one->finish(end, is_told ? info_.message : std::string(),
                                 is_told ? info_.end_time_ns : 0));
    }
    return {};
}

Result<void> RunCopy::take(const RecordedRun& run, const Hparams& environment) {
    Result<void> status;
    TAFFRAIL_TRY(run.for_each([&](const Record& record) {
        status = add(run, record);
        return status.ok();
    }));
    TAFFRAIL_TRY(status);
    for (const KeyInfo& key : run.keys()) {
        if (key.definition) {
            TAFFRAIL_TRY(writers_.at(kFirst)->define_metric(key.key, *key.definition));
        }
    }
    TAFFRAIL_TRY(writers_.at(kFirst)->environment(environment));
    TAFFRAIL_TRY(add_console(run.console(0, SIZE_MAX)));
    if (store::is_run_folder(run.info().location)) {
        TAFFRAIL_TRY(store::copy_profile_files(run.info().location, writers_.at(kFirst)->folder()));
    }
    return finish();
}

}  // namespace taffrail::transfer
