#include "exercise.h"

#include "codec/value_codec.h"

#include <algorithm>

namespace taffrail::fuzzing {
namespace {

// Enough to reach every path, few enough for many tries a second.
constexpr std::size_t kMostKeys = 12;
constexpr std::size_t kMostEntries = 8;

void read_bins(const RecordedRun& run, const std::string& key) {
    for (const Axis axis : {Axis::Steps, Axis::WallTime, Axis::RelativeTime, Axis::Epoch,
                            Axis::Samples, Axis::Metric}) {
        for (const std::size_t width : {1u, 7u, 1000u}) {
            BinRequest request;
            request.axis = axis;
            request.metric = key;
            request.width = width;
            (void)run.bins(key, request);
            request.scale = Scale::Log;
            request.from = 2;
            request.to = 1e6;
            (void)run.bins(key, request);
        }
        for (const Direction direction : {Direction::Forwards, Direction::Backwards}) {
            ReadRequest request;
            request.columns = Columns::all();
            request.axis = axis;
            request.direction = direction;
            const auto cursor = run.read(key, request);
            for (bool more = cursor.ok(); more;) {
                const auto step = (*cursor)->next();
                more = step.ok() && std::holds_alternative<Chunk>(*step);
            }
        }
    }
}

void read_key(const RecordedRun& run, const KeyInfo& key) {
    if (key.kind == Kind::Scalar) {
        if (const auto points = run.points(key.key); points.ok()) {
            (void)run.superseded(*points);
        }
        read_bins(run, key.key);
        return;
    }
    const auto entries = run.entries(key.key);
    for (std::size_t i = 0; entries.ok() && i < std::min(entries->size(), kMostEntries); ++i) {
        if ((*entries)[i].value) {
            const Value& value = *(*entries)[i].value;
            for_each_blob(value, [&](const Blob& blob) { (void)run.load(blob.ref); });
        }
    }
}

}  // namespace

void read_everything(const Catalogue& catalogue) {
    for (const RunInfo& info : catalogue.runs(true)) {
        const auto run = catalogue.run(info.id);
        if (!run.ok()) {
            continue;
        }
        (void)(*run)->info();
        const std::vector<KeyInfo> keys = (*run)->keys();
        for (std::size_t i = 0; i < std::min(keys.size(), kMostKeys); ++i) {
            read_key(**run, keys[i]);
        }
        (void)(*run)->console(0, 100);
        (void)(*run)->environment();
        (void)(*run)->for_each([](const Record&) { return true; });
        (void)(*run)->damage();
    }
}

}  // namespace taffrail::fuzzing
