// Measures sealed files (bytes a point, zooms into a series of ten million points, warm and cold)
// and the cached list of runs.
//   query_bench FOLDER [--quick]     prints one JSON object a line
//   query_bench FOLDER --reader      then: memory of a reader of the runs the first left there
#include "codec/tlog/encode.h"
#include "codec/tlog/frame_encoder.h"
#include "io/files.h"
#include "model/pyramid.h"
#include "model/run_keys.h"
#include "query/filter.h"
#include "seal/seal.h"
#include "seal/sealed_reader.h"
#include "store/catalogue.h"
#include "store/layout.h"
#include "store/open_log.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace taffrail;
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point since) {
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

/// Processor time of this thread: what a busy machine cannot blur.
double processor_milliseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void print(const char* id, double value, const char* unit) {
    std::printf("{\"id\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", id, value, unit);
    std::fflush(stdout);
}

/// Twenty f32 metrics as training loops log them: losses, gradient norms, learning rates,
/// accuracies, timings.
class Metrics {
  public:
    static constexpr std::size_t kCount = 20;

    double next(std::size_t metric, std::size_t step) {
        const double progress = static_cast<double>(step) / 500'000;
        double value = 0;
        if (metric < 10) {
            value = (2.0 + 0.3 * static_cast<double>(metric)) * std::exp(-3 * progress) + 0.2 +
                    0.03 * noise_(random_);
        } else if (metric < 14) {
            value = std::exp(0.3 * noise_(random_)) * (1 + static_cast<double>(metric - 10));
        } else if (metric < 16) {
            value = 3e-4 * 0.5 * (1 + std::cos(3.14159265 * progress));
        } else if (metric < 18) {
            value =
                std::floor(512 * (1 - 0.8 * std::exp(-5 * progress)) + 6 * noise_(random_)) / 512;
        } else {
            value = 0.12 + 0.004 * std::abs(noise_(random_));
        }
        return static_cast<double>(static_cast<float>(value));
    }

    double jitter() { return noise_(random_); }

  private:
    std::mt19937_64 random_{42};
    std::normal_distribution<double> noise_{0, 1};
};

/// Writes a live log of `rows` rows with `width` metrics, flushed every `flush` rows.
void write_log(const std::string& path, std::size_t rows, std::size_t width, std::size_t flush) {
    const auto file = io::open(path, io::OpenMode::Truncate).value();
    tlog::FrameEncoder encoder;
    encoder.begin_file(1);
    Bytes payload, frame;
    tlog::encode_identity(payload, {.run_id = "bench", .writer = 77});
    encoder.append_frame(frame, encoder.store(tlog::FrameType::Header, payload, 0, 0));
    Metrics metrics;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < width; ++i) {
        names.push_back("train/metric_" + std::to_string(i));
    }
    double time = 1.7e18;
    for (std::size_t first = 0; first < rows; first += flush) {
        const std::size_t count = std::min(flush, rows - first);
        tlog::Batch batch;
        if (first == 0) {
            tlog::SchemaDefinition schema{1, {}};
            for (std::uint32_t i = 0; i < width; ++i) {
                batch.keys.push_back({i + 1, Kind::Scalar, names[i]});
                schema.keys.push_back(i + 1);
            }
            batch.schemas.push_back(schema);
        }
        std::vector<std::uint64_t> seq;
        std::vector<std::int64_t> step, time_ns;
        std::vector<std::vector<double>> columns(width);
        for (std::size_t row = first; row < first + count; ++row) {
            seq.push_back(row);
            step.push_back(static_cast<std::int64_t>(row));
            time += 120e6 + 2e6 * std::abs(metrics.jitter());
            time_ns.push_back(static_cast<std::int64_t>(time));
            for (std::size_t i = 0; i < width; ++i) {
                columns[i].push_back(metrics.next(i, row));
            }
        }
        tlog::WideRows wide{1, {seq, step, time_ns, {}, {}, {}, {}}, {}};
        for (const auto& column : columns) {
            wide.columns.emplace_back(column);
        }
        batch.wide.push_back(wide);
        batch.first_seq = first;
        batch.rows = static_cast<std::uint32_t>(count);
        payload.clear();
        tlog::encode_batch(payload, batch);
        encoder.append_frame(frame,
                             encoder.store(tlog::FrameType::Batch, payload, batch.rows, first));
        file->append(frame).value();
        frame.clear();
    }
}

seal::SealReport seal_log(const std::string& folder, std::size_t rows, std::size_t width) {
    io::make_directories(folder + "/live").value();
    const std::string log = folder + "/live/1.tlog";
    write_log(log, rows, width, 256);
    const auto start = Clock::now();
    seal::SealReport report = seal::seal_run(folder, std::vector{log}).value();
    print(width == 1 ? "query.seal_lone_points_per_s" : "query.seal_wide_points_per_s",
          static_cast<double>(report.points) / milliseconds(start) * 1e3, "1/s");
    return report;
}

void measure_bytes(const std::string& folder, std::size_t rows) {
    const seal::SealReport report = seal_log(folder, rows, Metrics::kCount);
    std::uint64_t bytes = 0;
    for (const seal::SealedFileInfo& file : report.files) {
        bytes += file.bytes;
    }
    print("record.sealed_bytes_point",
          static_cast<double>(bytes) / static_cast<double>(report.points), "B");
    const auto live = io::stat(folder + "/live/1.tlog").value();
    print("query.bench_live_bytes_point",
          static_cast<double>(live.size) / static_cast<double>(report.points), "B");
}

/// Random zooms: any place, from the whole series down to a ten-thousandth of it.
BinRequest random_zoom(std::mt19937_64& random, double points) {
    std::uniform_real_distribution<double> share(0, 1);
    const double span = points * std::pow(10, -4 * share(random));
    const double from = share(random) * (points - span);
    return {.from = from, .to = from + span, .width = 1500};
}

double percentile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

void forget_pages(const std::string& path) {
    if (const int file = ::open(path.c_str(), O_RDONLY); file >= 0) {
        ::fdatasync(file);
        ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        ::close(file);
    }
}

void measure_zoom(const std::string& folder, std::size_t points, int rounds) {
    const seal::SealReport report = seal_log(folder, points, 1);
    const std::string key = "train/metric_0";
    std::mt19937_64 random(7);
    const auto run = seal::SealedRun::open(folder, report.files);
    for (int i = 0; i < 2000; ++i) {  // warm: every page was wanted before
        run->bins(key, random_zoom(random, static_cast<double>(points)), 0).value();
    }
    std::vector<double> warm, warm_processor, cold, cold_processor;
    for (int i = 0; i < rounds; ++i) {
        const BinRequest request = random_zoom(random, static_cast<double>(points));
        const auto start = Clock::now();
        const double processor_start = processor_milliseconds();
        const Bins bins = run->bins(key, request, 0).value();
        warm_processor.push_back(processor_milliseconds() - processor_start);
        warm.push_back(milliseconds(start));
        if (bins.size() == 0) {
            std::fputs("a zoom came back empty\n", stderr);
            std::exit(1);
        }
    }
    print("query.zoom_10m_p50_ms", percentile(warm, 0.5), "ms");
    print("query.zoom_10m_processor_p99_ms", percentile(warm_processor, 0.99), "ms");
    print("query.zoom_10m_p99_ms", percentile(warm, 0.99), "ms");
    for (int i = 0; i < std::max(20, rounds / 20); ++i) {
        for (const seal::SealedFileInfo& file : report.files) {
            forget_pages(folder + "/data/" + file.name);
        }
        const BinRequest request = random_zoom(random, static_cast<double>(points));
        const auto start = Clock::now();
        const double processor_start = processor_milliseconds();
        const auto fresh = seal::SealedRun::open(folder, report.files);
        fresh->bins(key, request, 0).value();
        cold_processor.push_back(processor_milliseconds() - processor_start);
        cold.push_back(milliseconds(start));
    }
    print("query.zoom_10m_cold_p50_ms", percentile(cold, 0.5), "ms");
    print("query.zoom_10m_cold_processor_p99_ms", percentile(cold_processor, 0.99), "ms");
    print("query.zoom_10m_cold_ms", percentile(cold, 0.99), "ms");
}

/// A small finished run: 100 series of 20 points, a name and a tag.
void write_run(const std::string& root, const std::string& id) {
    const std::string folder = store::make_run_folder(root, id, "bench").value();
    auto log = store::open_log(folder, {.run_id = id, .writer = 1, .start_time_ns = 1}).value();
    tlog::Batch batch;
    tlog::SchemaDefinition schema{1, {}};
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < 100; ++i) {
        names.push_back("layer/" + std::to_string(i) + "/norm");
    }
    for (std::uint32_t i = 0; i < 100; ++i) {
        batch.keys.push_back({i + 1, Kind::Scalar, names[i]});
        schema.keys.push_back(i + 1);
    }
    batch.schemas.push_back(schema);
    std::vector<std::uint64_t> seq;
    std::vector<std::int64_t> steps, times;
    std::vector<double> values;
    for (std::uint32_t row = 0; row < 20; ++row) {
        seq.push_back(row), steps.push_back(row), times.push_back(row);
        values.push_back(1.0 / (row + 1));
    }
    tlog::WideRows wide{1, {seq, steps, times, {}, {}, {}, {}}, {}};
    for (std::uint32_t i = 0; i < 100; ++i) {
        wide.columns.emplace_back(values);
    }
    batch.wide.push_back(wide);
    batch.rows = 20;
    batch.meta.push_back({tlog::MetaType::Name, 0, 1, as_bytes("calm-otter")});
    batch.meta.push_back({tlog::MetaType::TagAdded, 0, 1, as_bytes("ablation")});
    log->append(batch).value();
    log->close(RunState::Finished).value();
}

/// `ls --filter` by a metric: the first time each run is opened, then their keys are known.
void measure_filter(const std::string& root, std::size_t runs) {
    const query::Filter filter = query::Filter::compile("layer/7/norm.min<0.5").value();
    const double scale = 30'000 / static_cast<double>(runs);
    std::vector<double> known, processor;
    double first = 0;
    for (int i = 0; i < 6; ++i) {
        const auto start = Clock::now();
        const double processor_start = processor_milliseconds();
        std::size_t matching = 0;
        {
            const auto catalogue = store::open_catalogue(root).value();
            for (const RunInfo& info : catalogue->runs()) {
                const auto keys = model::keys_of(*catalogue, info.id).value().keys;
                matching += filter.matches(query::RunSubject(info, &keys)) ? 1 : 0;
            }
        }
        (i == 0 ? first : known.emplace_back()) = milliseconds(start);
        if (i > 0) {
            processor.push_back(processor_milliseconds() - processor_start);
        }
        if (matching != runs) {
            std::fputs("the filter lacks runs\n", stderr);
            std::exit(1);
        }
    }
    print("query.filter_30k_runs_processor_ms", percentile(processor, 0.5) * scale, "ms");
    print("query.filter_30k_runs_first_ms", first * scale, "ms");
    print("query.filter_30k_runs_ms", percentile(known, 0.5) * scale, "ms");
}

/// Ten thousand runs, listed without a cache, then by fresh catalogues that use it.
void measure_list(const std::string& folder, std::size_t runs) {
    ::setenv("XDG_CACHE_HOME", (folder + "/cache").c_str(), 1);
    const std::string root = folder + "/root";
    store::make_root(root).value();
    for (std::size_t i = 0; i < runs; ++i) {
        write_run(root, "02" + std::to_string(100'000 + i));
    }
    // Runs of yesterday: what a list mostly consists of.
    const auto yesterday = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/runs")) {
        std::filesystem::last_write_time(entry.path(), yesterday);
    }
    const double scale = 10'000 / static_cast<double>(runs);
    std::vector<double> uncached;
    for (int i = 0; i < 5; ++i) {
        std::filesystem::remove_all(folder + "/cache");
        const auto start = Clock::now();
        store::open_catalogue(root).value();
        uncached.push_back(milliseconds(start));
    }
    print("query.list_10k_runs_ms", percentile(uncached, 0.5) * scale, "ms");
    std::vector<double> cached, processor;
    for (int i = 0; i < 9; ++i) {
        const auto start = Clock::now();
        const std::clock_t processor_start = std::clock();
        const auto catalogue = store::open_catalogue(root).value();
        processor.push_back(1e3 * static_cast<double>(std::clock() - processor_start) /
                            CLOCKS_PER_SEC);
        cached.push_back(milliseconds(start));
        if (catalogue->runs().size() != runs) {
            std::fputs("the list is not complete\n", stderr);
            std::exit(1);
        }
    }
    print("query.list_10k_cached_processor_ms", percentile(processor, 0.5) * scale, "ms");
    print("query.list_10k_cached_ms", percentile(cached, 0.5) * scale, "ms");
    measure_filter(root, runs);
}

/// In a process of its own: what a reader holds that has listed every run and asked each for its
/// series.
int measure_reader(const std::string& root) {
    const auto catalogue = store::open_catalogue(root).value();
    std::size_t series = 0;
    for (const RunInfo& info : catalogue->runs()) {
        series += catalogue->run(info.id).value()->keys().size();
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    print("query.reader_series", static_cast<double>(series), "");
    print("query.reader_rss_mb", static_cast<double>(usage.ru_maxrss) * 1024 / 1e6, "MB");
    return 0;
}

void measure_build() {
    std::vector<double> values(10'000'000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::sin(static_cast<double>(i));
    }
    const auto start = Clock::now();
    model::Pyramid pyramid;
    pyramid.extend(values);
    print("query.pyramid_points_per_s",
          static_cast<double>(values.size()) / milliseconds(start) * 1e3, "1/s");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: query_bench FOLDER [--quick|--reader]\n", stderr);
        return 2;
    }
    const std::string folder = argv[1];
    if (argc > 2 && std::strcmp(argv[2], "--reader") == 0) {
        return measure_reader(folder + "/list/root");
    }
    const bool quick = argc > 2 && std::strcmp(argv[2], "--quick") == 0;
    measure_build();
    measure_bytes(folder + "/wide", quick ? 150'000 : 500'000);
    measure_list(folder + "/list", quick ? 2'000 : 10'000);
    measure_zoom(folder + "/zoom", 10'000'000, quick ? 500 : 2000);
    return 0;
}
