// Reading long series through the public interface.
//
//   read_bench make FOLDER POINTS live|sealed|killed    a run of one series; `sealed` has no logs
//   read_bench scan FOLDER                              step and value, one thread
//   read_bench hold FOLDER                              a reader that was asked for the last point
//
// Prints one JSON row a line: {"id", "value", "unit"}.
#include <taffrail/reader.h>

#include "io/files.h"
#include "store/layout.h"
#include "store/open_log.h"
#include "store/run_reader.h"
#include "store/sealing.h"

#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace taffrail;

constexpr const char* kKey = "train/loss";

void row(const char* id, double value, const char* unit) {
    std::printf("{\"id\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", id, value, unit);
}

double status_mb(const char* field) {
    const auto file = io::open("/proc/self/status", io::OpenMode::Read);
    std::string text(4096, '\0');
    (void)(*file)->read_at(0, std::as_writable_bytes(std::span(text)));
    const std::size_t at = text.find(field);
    return std::strtod(text.c_str() + at + std::strlen(field) + 1, nullptr) * 1024 / 1e6;
}

/// Of the processor: other programs run beside this one, and the peer is measured alike.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void make(const std::string& root, std::uint64_t points, const std::string& state) {
    constexpr std::size_t kRows = 4096;
    const std::string folder = store::make_run_folder(root, "01READ", "read").value();
    tlog::FileIdentity identity;
    identity.run_id = "01READ";
    identity.writer = 7;
    identity.start_time_ns = 1'700'000'000'000'000'000;
    auto log = store::open_log(folder, identity).value();
    tlog::Batch definitions;
    definitions.keys.push_back({1, Kind::Scalar, kKey});
    definitions.schemas.push_back({1, {1}});
    log->append(definitions).value();
    std::uint64_t noise = 88172645463325252ull;
    std::vector<std::uint64_t> seq(kRows);
    std::vector<std::int64_t> step(kRows), time_ns(kRows);
    std::vector<double> value(kRows);
    for (std::uint64_t first = 0; first < points; first += kRows) {
        const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(kRows, points - first));
        for (std::size_t i = 0; i < rows; ++i) {
            noise ^= noise << 13, noise ^= noise >> 7, noise ^= noise << 17;
            seq[i] = first + i;
            step[i] = static_cast<std::int64_t>(first + i);
            time_ns[i] = identity.start_time_ns +
                         static_cast<std::int64_t>((first + i) * 1'000'000 + noise % 50'000);
            // Not a float: a loss that was averaged in double precision.
            value[i] = std::exp(-static_cast<double>(first + i) * 1e-6) +
                       static_cast<double>(noise >> 11) * 1e-18;
        }
        const auto part = [rows](auto& all) { return std::span(all).first(rows); };
        tlog::Batch batch;
        tlog::WideRows wide{1, {part(seq), part(step), part(time_ns), {}, {}, {}, {}}, {}};
        wide.columns.emplace_back(part(value));
        batch.wide.push_back(wide);
        batch.first_seq = first;
        batch.rows = static_cast<std::uint32_t>(rows);
        log->append(batch).value();
    }
    if (state == "killed") {
        log->sync().value();
        std::_Exit(0);  // neither an end mark nor a last checkpoint
    }
    if (state == "live") {
        log->sync().value();
        return;
    }
    log->close(RunState::Finished).value();
    store::seal_finished(folder).value();
    store::drop_sealed_logs(folder, std::chrono::nanoseconds(0), INT64_MAX / 2).value();
}

void scan(const std::string& root) {
    const auto run = store::RunReader::open(store::find_run_folder(root, "01READ").value()).value();
    double best = 1e9, sum = 0;
    std::uint64_t rows = 0;
    const double before = status_mb("VmRSS:");
    for (int round = 0; round < 5; ++round) {
        rows = 0;
        const double start = cpu_seconds();
        const auto cursor = run->read(kKey, {.columns = {Column::Step, Column::Value}}).value();
        for (;;) {
            const auto next = cursor->next().value();
            const Chunk* const chunk = std::get_if<Chunk>(&next);
            if (chunk == nullptr) {
                break;
            }
            rows += chunk->rows();
            sum += chunk->value().back() + static_cast<double>(chunk->step().back());
        }
        best = std::min(best, cpu_seconds() - start);
    }
    row("scan_mpts_s", static_cast<double>(rows) / best / 1e6, "M points/s");
    row("scan_extra_mb", status_mb("VmHWM:") - before, "MB");
    row("scan_rows", static_cast<double>(rows), sum == 0 ? "" : "rows");
}

void hold(const std::string& root) {
    const double before = status_mb("VmRSS:");
    const auto run = store::RunReader::open(store::find_run_folder(root, "01READ").value()).value();
    // Forwards: the log is taken into memory, which a read from its end does without.
    const auto cursor = run->read(kKey, {.columns = {Column::Value}}).value();
    (void)cursor->next().value();
    malloc_trim(0);
    const double now = status_mb("VmRSS:");
    row("killed_bytes_point", (now - before) * 1e6 / static_cast<double>(run->keys()[0].count),
        "bytes");
}

}  // namespace

int main(int count, char** arguments) {
    const std::string what = count > 2 ? arguments[1] : "";
    if (what == "make" && count == 5) {
        make(arguments[2], std::strtoull(arguments[3], nullptr, 10), arguments[4]);
    } else if (what == "scan") {
        scan(arguments[2]);
    } else if (what == "hold") {
        hold(arguments[2]);
    } else {
        std::fprintf(
            stderr, "read_bench make FOLDER POINTS live|sealed|killed, scan FOLDER, hold FOLDER\n");
        return 2;
    }
    return 0;
}
