#include "pipeline/watched_run.h"

#include <taffrail/reader.h>

#include "codec/tlog/decode.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "io/temporary_folder.h"
#include "seal/log_frames.h"
#include "store/batch_records.h"
#include "store/layout.h"
#include "store/open_log.h"
#include "store/record_visitor.h"
#include "transfer/adopt.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

namespace taffrail::test {
namespace {

struct Watched {
    TemporaryFolder folder;
    Run run;
    std::size_t forgotten = 0;
    std::vector<Logged> all, shown;
};

std::unique_ptr<Watched>& watched() {
    static std::unique_ptr<Watched> current;
    return current;
}

/// Names as the log defines them.
struct Definitions {
    std::map<std::uint32_t, std::string> keys;
    std::map<std::uint32_t, std::vector<std::uint32_t>> schemas;
};

void take(const tlog::Batch& batch, Definitions& known, std::vector<Logged>& all) {
    for (const tlog::KeyDefinition& key : batch.keys) {
        known.keys[key.id] = key.name;
    }
    for (const tlog::SchemaDefinition& schema : batch.schemas) {
        known.schemas[schema.id] = schema.keys;
    }
    std::vector<store::RowPlace> rows;
    store::order_rows(batch, rows);
    const auto add = [&](std::uint32_t key, Step step, double scalar, std::uint32_t route) {
        all.push_back({known.keys.at(key),
                       step,
                       scalar,
                       {},
                       static_cast<RouteMask>(route),
                       (route & tlog::kHidden) == 0});
    };
    for (const store::RowPlace& place : rows) {
        if (place.section == store::RowPlace::Section::Wide) {
            const tlog::WideRows& wide = batch.wide[place.index];
            const auto& keys = known.schemas.at(wide.schema);
            for (std::size_t i = 0; i < keys.size(); ++i) {
                add(keys[i], wide.axes.step[place.row], wide.columns[i][place.row],
                    store::route_of(wide.axes, place.row));
            }
        } else if (place.section == store::RowPlace::Section::Long) {
            const tlog::LongRows& rows_of = batch.long_rows[place.index];
            add(rows_of.key[place.row], rows_of.axes.step[place.row], rows_of.value[place.row],
                store::route_of(rows_of.axes, place.row));
        } else {
            const tlog::ValueRecord& value = batch.values[place.index];
            add(value.key, value.step, 0, value.route);
            all.back().value = store::value_of(value);
        }
    }
}

void load_files(std::vector<Logged>& all, const std::string& folder) {
    const auto catalogue = read(folder).value();
    const auto run = catalogue->run(catalogue->runs().at(0).id).value();
    for (Logged& each : all) {
        for_each_blob(each.value, [&](Blob& blob) {
            if (blob.bytes == nullptr) {
                if (auto bytes = run->load(blob.ref); bytes.ok()) {
                    blob.bytes = *bytes;
                }
            }
        });
    }
}

}  // namespace

Run& fresh_run() {
    watched().reset();
    watched() = std::make_unique<Watched>();
    RunOptions options;
    options.root = watched()->folder.path();
    options.environment = false;
    options.machine_load.reset();
    options.seal_on_finish = false;
    options.flush_interval = std::chrono::milliseconds(1);
    watched()->run = Run::open(options).value();
    return watched()->run;
}

const std::vector<Logged>& logged() {
    Watched& now = *watched();
    now.run.flush().value();
    std::vector<Logged> all;
    for (const std::uint64_t writer : store::list_writers(now.run.folder())) {
        Definitions known;
        for (const store::FileName& file : store::list_logs(now.run.folder(), writer)) {
            const std::string path = io::join(io::join(now.run.folder(), store::kLiveFolder),
                                              store::log_name(file.writer, file.number));
            seal::for_each_frame(path, [&](const tlog::FrameHeader& header, ByteSpan payload) {
                tlog::DecodedBatch batch;
                if (header.type == tlog::FrameType::Batch && batch.decode(header, payload)) {
                    take(batch.batch(), known, all);
                }
                return Result<void>();
            }).value();
        }
    }
    if (all.size() != now.all.size()) {
        load_files(all, now.run.folder());
        now.all = std::move(all);
        now.shown.assign(now.all.begin() + static_cast<std::ptrdiff_t>(now.forgotten),
                         now.all.end());
    }
    return now.shown;
}

std::vector<std::string> added_sinks() {
    std::map<RouteMask, std::string> types;
    for (const transfer::NotedSink& sink : transfer::noted_sinks(watched()->run.folder())) {
        types[sink.mask] = sink.type;
    }
    std::vector<std::string> in_order;
    for (const auto& [mask, type] : types) {
        in_order.push_back(type);
    }
    return in_order;
}

void clear() {
    logged();
    watched()->forgotten = watched()->all.size();
    watched()->shown.clear();
}

std::vector<double> scalars(std::string_view key) {
    std::vector<double> found;
    for (const Logged& each : logged()) {
        if (each.key == key) {
            found.push_back(each.scalar);
        }
    }
    return found;
}

std::vector<Step> steps(std::string_view key) {
    std::vector<Step> found;
    for (const Logged& each : logged()) {
        if (each.key == key) {
            found.push_back(each.step);
        }
    }
    return found;
}

std::vector<Step> kept_steps(std::string_view key) {
    std::vector<Step> found;
    for (const Logged& each : logged()) {
        if (each.key == key && each.visible) {
            found.push_back(each.step);
        }
    }
    return found;
}

std::vector<std::string> keys() {
    std::set<std::string> all;
    for (const Logged& each : logged()) {
        all.insert(each.key);
    }
    return {all.begin(), all.end()};
}

}  // namespace taffrail::test
