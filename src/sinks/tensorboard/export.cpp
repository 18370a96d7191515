// Any recorded run as a logdir: the same encoder as the sink, fed from a reader.
#include "base/try.h"
#include "sinks/tensorboard/sink.h"

namespace taffrail::tensorboard {
namespace {

/// Calls `visit(Blob&)` for every blob of a value.
template <typename Visit>
void for_each_blob(Value& value, Visit&& visit) {
    std::visit(
        [&](auto& held) {
            using T = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<T, Image>) {
                for (Blob& blob : held.images) {
                    visit(blob);
                }
            } else if constexpr (std::is_same_v<T, Audio> || std::is_same_v<T, Video> || std::is_same_v<T, Mesh> ||
                                 std::is_same_v<T, Tensor>) {
                visit(held.data);
            } else if constexpr (std::is_same_v<T, Figure>) {
                visit(held.picture);
            } else if constexpr (std::is_same_v<T, Embedding>) {
                visit(held.vectors);
                visit(held.sprite);
            }
        },
        value);
}

}  // namespace

Result<void> export_to_logdir(const RecordedRun& run, const std::string& folder) {
    const RunInfo info = run.info();
    SinkOptions options;
    options.log_dir = folder;
    TensorboardSink sink(options);
    TAFFRAIL_TRY(sink.open({.run_id = info.id, .run_name = info.name, .start_time_ns = info.start_time_ns}));
    Result<void> failure;
    std::size_t delivered = 0;
    if (!info.config.empty()) {
        const Value config = info.config;
        const Record record{.key = "hparams", .kind = Kind::Hparams, .time_ns = info.start_time_ns, .value = &config};
        TAFFRAIL_TRY(sink.write({&record, 1}, delivered));
    }
    const auto read = run.for_each([&](const Record& record) {
        // Read back, a chart layout is a description for people; it cannot become a layout again.
        if (!sink.accepts(record.kind) || record.kind == Kind::Hparams || record.key == kLayoutTag) {
            return true;
        }
        Record loaded = record;
        Value value;
        if (record.value != nullptr) {
            value = *record.value;
            for_each_blob(value, [&](Blob& blob) {
                if (!blob.bytes && blob.ref.size > 0) {
                    if (auto bytes = run.load(blob.ref); bytes.ok()) {
                        blob.bytes = *bytes;
                    }
                }
            });
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
