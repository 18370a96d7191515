// Opens a logdir, makes every point queryable, and says what it took: load FOLDER [threads]
#include "base/clock.h"
#include "io/files.h"
#include "sources/tensorboard/catalogue.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace taffrail;
using namespace taffrail::formats::tensorboard;
using namespace taffrail::sources::tensorboard;

namespace {

/// Peak memory of this program. getrusage() would also count the process that started it.
double peak_mb() {
    const auto status = io::read_text("/proc/self/status");
    const auto at = status.ok() ? status->find("VmHWM:") : std::string::npos;
    return at == std::string::npos ? 0 : std::strtod(status->c_str() + at + 6, nullptr) / 1024.0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: load FOLDER [threads]\n");
        return 2;
    }
    const std::int64_t begin = monotonic_ns();
    LoadOptions options;
    options.threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
    TensorboardCatalogue catalogue({{"", argv[1]}}, options);
    const auto read = catalogue.refresh();
    if (!read.ok()) {
        std::fprintf(stderr, "%s\n", read.error().message.c_str());
        return 1;
    }
    std::uint64_t keys = 0, points = 0, entries = 0;
    const std::size_t runs = catalogue.runs().size();
    for (const auto& run : catalogue.all()) {
        for (const KeyInfo& key : run->keys()) {
            ++keys;
            (key.kind == Kind::Scalar ? points : entries) += key.count;
        }
    }
    const double wall_ms = static_cast<double>(monotonic_ns() - begin) / 1e6;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const double cpu_ms =
        static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
        static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
    std::printf(
        "{\"id\": \"load\", \"runs\": %zu, \"keys\": %llu, \"points\": %llu, \"entries\": %llu, "
        "\"wall_ms\": %.1f, \"cpu_ms\": %.1f, "
        "\"rss_mb\": %.1f}\n",
        runs, static_cast<unsigned long long>(keys), static_cast<unsigned long long>(points),
        static_cast<unsigned long long>(entries), wall_ms, cpu_ms, peak_mb());
    return 0;
}
