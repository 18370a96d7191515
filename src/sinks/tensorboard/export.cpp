// Any recorded run as a logdir: the same encoder as the sink, fed from a reader.
#include "base/try.h"
#include "sinks/tensorboard/loaded_value.h"
#include "sinks/tensorboard/sink.h"

namespace taffrail::tensorboard {

Result<void> export_to_logdir(const RecordedRun& run, const std::string& folder) {
    const RunInfo info = run.info();
    SinkOptions options;
    options.log_dir = folder;
    TensorboardSink sink(options);
    TAFFRAIL_TRY(
        sink.open({.run_id = info.id, .run_name = info.name, .start_time_ns = info.start_time_ns}));
    Result<void> failure;
    std::size_t delivered = 0;
    if (!info.config.empty()) {
        const Value config = info.config;
        const Record record{.key = "hparams",
                            .kind = Kind::Hparams,
                            .time_ns = info.start_time_ns,
                            .value = &config};
        TAFFRAIL_TRY(sink.write({&record, 1}, delivered));
    }
    const auto read = run.for_each([&](const Record& record) {
        // Read back, a chart layout is a description for people; it cannot become a layout again.
        if (!sink.accepts(record.kind) || record.kind == Kind::Hparams ||
            record.key == kLayoutTag) {
            return true;
        }
        Record loaded = record;
        Value value;
        if (record.value != nullptr) {
            value = loaded_value(run, *record.value);
            loaded.value = &value;
        }
        failure = sink.write({&loaded, 1}, delivered);
        return failure.ok();
    });
    TAFFRAIL_TRY(read);
    TAFFRAIL_TRY(failure);
    return sink.close(info.state);
}

}  // namespace taffrail::tensorboard
