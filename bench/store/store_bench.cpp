// The store by itself: encoding rows to the page cache, and listing very many runs.
// Prints one JSON row a line: {"id", "value", "unit"}.
//   store_bench [--quick] [FOLDER]     FOLDER is made, filled and removed; default below /tmp
#include "base/clock.h"
#include "base/names.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "store/catalogue.h"
#include "store/layout.h"
#include "store/open_log.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace taffrail;

void row(const char* id, double value, const char* unit) {
    std::printf("{\"id\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", id, value, unit);
    std::fflush(stdout);
}

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double resident_mb() {
    const auto file = io::open("/proc/self/statm", io::OpenMode::Read);
    std::string text(128, '\0');
    (void)(*file)->read_at(0, std::as_writable_bytes(std::span(text)));
    return std::strtod(text.c_str() + text.find(' '), nullptr) *
           static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// Rows of `width` float32 series that look like training curves.
struct Rows {
    std::vector<std::uint64_t> seq;
    std::vector<std::int64_t> step, time_ns;
    std::vector<std::vector<double>> columns;
    tlog::Batch batch;

    Rows(std::uint64_t first, std::size_t rows, std::size_t width) : columns(width) {
        static std::uint64_t state = 88172645463325252ull;
        for (std::size_t i = 0; i < rows; ++i) {
            const std::uint64_t at = first + i;
            seq.push_back(at);
            step.push_back(static_cast<std::int64_t>(at));
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            time_ns.push_back(1'700'000'000'000'000'000 +
                              static_cast<std::int64_t>(at * 1'000'000 + state % 50'000));
            for (std::size_t column = 0; column < width; ++column) {
                state ^= state << 13, state ^= state >> 7, state ^= state << 17;
                const double noise =
                    (static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5) * 0.06;
                const double trend =
                    std::exp(-static_cast<double>(at) * 1e-6) + static_cast<double>(column);
                columns[column].push_back(static_cast<float>(trend * (1 + noise)));
            }
        }
        tlog::WideRows wide{1, {seq, step, time_ns, {}, {}, {}, {}}, {}};
        for (const auto& column : columns) {
            wide.columns.emplace_back(column);
        }
        batch.wide.push_back(wide);
        batch.first_seq = first;
        batch.rows = static_cast<std::uint32_t>(rows);
    }
};

void define(tlog::Batch& batch, std::vector<std::string>& names, std::size_t width) {
    names.reserve(width);
    tlog::SchemaDefinition schema{1, {}};
    for (std::size_t i = 0; i < width; ++i) {
        names.push_back("group" + std::to_string(i / 10) + "/metric_" + std::to_string(i));
        batch.keys.push_back({static_cast<std::uint32_t>(i + 1), Kind::Scalar, names.back()});
        schema.keys.push_back(static_cast<std::uint32_t>(i + 1));
    }
    batch.schemas.push_back(schema);
}

void measure_append(const std::string& root, std::size_t rows_per_flush, std::size_t flushes,
                    const char* id, const char* bytes_id) {
    constexpr std::size_t kWidth = 20;
    std::vector<Rows> samples;
    for (std::size_t i = 0; i < 16; ++i) {
        samples.emplace_back(i * rows_per_flush, rows_per_flush, kWidth);
    }
    tlog::FileIdentity identity;
    identity.run_id = "bench";
    identity.writer = random_u64();
    const std::string folder = io::join(root, id);
    auto log = store::open_log(folder, identity).value();
    tlog::Batch definitions;
    std::vector<std::string> names;
    define(definitions, names, kWidth);
    log->append(definitions).value();
    const double before = cpu_seconds();
    for (std::size_t i = 0; i < flushes; ++i) {
        tlog::Batch& batch = samples[i % samples.size()].batch;
        batch.first_seq = i * rows_per_flush;
        log->append(batch).value();
    }
    const double seconds = cpu_seconds() - before;
    const auto points = static_cast<double>(flushes * rows_per_flush * kWidth);
    row(id, points / seconds / 1e6, "M points/s/core");
    row(bytes_id, static_cast<double>(log->bytes_written()) / points, "bytes/point");
    (void)io::remove_tree(folder);
}

// Finished runs of 100 series, a few hyperparameters, names and tags: what a list has to show.
void make_runs(const std::string& root, std::size_t runs) {
    const Bytes hparams = encode_value(Value(Hparams{{"lr", 3e-4},
                                                     {"depth", std::int64_t{4}},
                                                     {"seed", std::int64_t{1}},
                                                     {"optimizer", std::string("adamw")},
                                                     {"dropout", 0.1}}));
    for (std::size_t i = 0; i < runs; ++i) {
        const std::int64_t start =
            1'700'000'000'000'000'000 + static_cast<std::int64_t>(i) * 1'000'000'000;
        const std::string id = make_run_id(start);
        const std::string name = make_run_name(i);
        const std::string folder = store::make_run_folder(root, id, name).value();
        tlog::FileIdentity identity;
        identity.run_id = id;
        identity.writer = random_u64();
        identity.start_time_ns = start;
        auto log = store::open_log(folder, identity).value();
        tlog::Batch batch;
        std::vector<std::string> names;
        define(batch, names, 100);
        batch.keys.push_back({101, Kind::Hparams, "config"});
        tlog::ValueRecord& value = batch.values.emplace_back();
        value.key = 101;
        value.kind = Kind::Hparams;
        value.metadata = hparams;
        batch.meta = {{tlog::MetaType::Name, 0, start, as_bytes(name)},
                      {tlog::MetaType::Project, 0, start, as_bytes("bench")},
                      {tlog::MetaType::TagAdded, 0, start, as_bytes("ablation")}};
        log->append(batch).value();
        const Rows rows(1, 20, 100);
        log->append(rows.batch).value();
        log->close(RunState::Finished).value();
    }
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

void measure_list(const std::string& root, std::size_t runs) {
    make_runs(root, runs);
    std::vector<double> cold, again;
    const double before = resident_mb();
    std::shared_ptr<Catalogue> catalogue;
    for (int repeat = 0; repeat < 5; ++repeat) {
        catalogue.reset();
        const std::int64_t start = monotonic_ns();
        catalogue = store::open_catalogue(root).value();
        cold.push_back(static_cast<double>(monotonic_ns() - start) / 1e6);
        const std::int64_t warm = monotonic_ns();
        (void)catalogue->refresh().value();
        again.push_back(static_cast<double>(monotonic_ns() - warm) / 1e6);
    }
    if (catalogue->runs().size() != runs) {
        std::fprintf(stderr, "store_bench: %zu runs listed, %zu made\n", catalogue->runs().size(),
                     runs);
        std::exit(1);
    }
    const double scale = 10'000.0 / static_cast<double>(runs);
    row("query.list_10k_runs_ms", median(cold) * scale, "ms");
    row("store.list_10k_refresh_ms", median(again) * scale, "ms");
    row("query.reader_rss_mb", before + (resident_mb() - before) * scale, "MB");
}

}  // namespace

int main(int argc, char** argv) {
    bool quick = false;
    std::string root = "/tmp/taffrail-store-bench-" + std::to_string(getpid());
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--quick") == 0) {
            quick = true;
        } else {
            root = argv[i];
        }
    }
    measure_append(root, 256, quick ? 2000 : 10000, "store.append_256_rows",
                   "store.live_bytes_point_256");
    measure_append(root, 16, quick ? 4000 : 20000, "store.append_16_rows",
                   "store.live_bytes_point_16");
    measure_list(root, quick ? 1000 : 10000);
    (void)io::remove_tree(root);
    return 0;
}
