// How fast profiles are read, written and drawn: one JSON object a row on standard output.
//
//   formats_bench trace.write | trace.read | trace.rss | flame.svg  MEGABYTES
#include "codec/json_writer.h"
#include "profile/flame/svg.h"
#include "profile/formats.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

namespace {

using namespace taffrail;
using namespace taffrail::profile;

/// Time of this process on its processors: a busy machine does not count.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void print_row(const std::string& id, double value, std::string_view unit) {
    JsonWriter json;
    json.begin_object().member("id", id).member("value", value).member("unit", unit).end_object();
    std::printf("%s\n", json.text().c_str());
}

/// Nested operators with the arguments that PyTorch writes, about 250 bytes each.
Profile training_trace(std::size_t spans) {
    std::mt19937 chance(1);
    Profile profile;
    std::vector<TextId> names;
    for (int index = 0; index < 400; ++index) {
        names.push_back(profile.text("aten::operator_" + std::to_string(index) + "<float, " +
                                     std::to_string(index % 7) + ">"));
    }
    const TextId category = profile.text("cpu_op");
    std::int64_t now_ns = 3'848'333'715'001'519;
    for (std::size_t index = 0; index < spans; ++index) {
        const ThreadId thread = profile.thread(profile.process(497),
                                               static_cast<std::int64_t>(500 + index / 10'000 % 4));
        now_ns += static_cast<std::int64_t>(500 + chance() % 3000);
        const std::string args = "{\"External id\":" + std::to_string(index) +
                                 ",\"Record function id\":0,\"Ev Idx\":" + std::to_string(index) +
                                 ",\"Input Dims\":[[256,1024],[1024,1024]],\"Input type\":"
                                 "[\"float\",\"float\"],\"Concrete Inputs\":[\"\",\"\"]}";
        profile.spans.push_back(
            {.begin_ns = now_ns,
             .duration_ns = static_cast<std::int64_t>(20'000 + chance() % 100'000),
             .name = names[chance() % names.size()],
             .category = category,
             .thread = thread,
             .args = profile.args(args)});
    }
    return profile;
}

std::string written_trace(Profile& profile) {
    std::string text;
    Output out([&](ByteSpan bytes) -> Result<void> {
        text.append(as_text(bytes));
        return {};
    });
    (void)find_format("chrome")->write(profile, out, {});
    return text;
}

/// Stacks as a sampler of a server writes them: 20 to 60 frames, long names, in no order.
std::string collapsed_stacks(std::size_t bytes) {
    std::mt19937 chance(2);
    std::vector<std::string> names;
    for (int index = 0; index < 3000; ++index) {
        names.push_back("namespace_" + std::to_string(index % 50) + "::Class" +
                        std::to_string(index % 300) + "::method_" + std::to_string(index));
    }
    std::vector<std::size_t> path;
    std::string text;
    while (text.size() < bytes) {
        // Neighbours share most of their callers.
        path.resize(std::min<std::size_t>(path.size(), 1 + chance() % 40));
        const std::size_t depth = 20 + chance() % 40;
        while (path.size() < depth) {
            const std::size_t last = path.empty() ? 0 : path.back();
            path.push_back((last * 7 + 1 + chance() % 4) % names.size());
        }
        for (std::size_t level = 0; level < path.size(); ++level) {
            text += level == 0 ? "" : ";";
            text += names[path[level]];
        }
        text += " " + std::to_string(1 + chance() % 100) + "\n";
    }
    return text;
}

/// The most memory that reading a file took, by its size. Another process writes the file.
int measure_memory(std::size_t megabytes) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("taffrail-bench-" + std::to_string(::getpid()) + ".trace.json");
    if (const pid_t writer = ::fork(); writer == 0) {
        Profile profile = training_trace((megabytes << 20) / 330);
        ::_exit(write_profile_file(profile, *find_format("chrome"), path).ok() ? 0 : 1);
    } else {
        int status = 0;
        if (::waitpid(writer, &status, 0) != writer || status != 0) {
            return 1;
        }
    }
    const auto read = read_profile_file(path);
    const auto bytes = static_cast<double>(std::filesystem::file_size(path));
    std::filesystem::remove(path);
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    if (!read.ok() || read->profile.spans.empty()) {
        return 1;
    }
    print_row("trace.read_rss_ratio", static_cast<double>(usage.ru_maxrss) * 1024 / bytes,
              "x its file");
    return 0;
}

int measure(const std::string& what, std::size_t megabytes) {
    if (what == "flame.svg") {
        const std::string text = collapsed_stacks(megabytes << 20);
        const double start = cpu_seconds();
        auto read = read_profile(as_bytes(text), "bench");
        std::size_t written = 0;
        Output out([&](ByteSpan bytes) -> Result<void> {
            written += bytes.size();
            return {};
        });
        if (!read.ok() || !find_format("svg")->write(read->profile, out, {}).ok() || written == 0) {
            return 1;
        }
        print_row("flame.svg_mib_s",
                  static_cast<double>(text.size()) / (1 << 20) / (cpu_seconds() - start), "MiB/s");
        return 0;
    }
    if (what == "trace.rss") {
        return measure_memory(megabytes);
    }
    Profile profile = training_trace((megabytes << 20) / 330);
    if (what == "trace.write") {
        std::size_t written = 0;
        Output out([&](ByteSpan bytes) -> Result<void> {
            written += bytes.size();
            return {};
        });
        const double start = cpu_seconds();
        (void)find_format("chrome")->write(profile, out, {});
        print_row("trace.write_mb_s", static_cast<double>(written) / 1e6 / (cpu_seconds() - start),
                  "MB/s");
        return 0;
    }
    const std::string text = written_trace(profile);
    const double start = cpu_seconds();
    const auto read = read_profile(as_bytes(text), "bench");
    const double seconds = cpu_seconds() - start;
    if (!read.ok() || read->profile.spans.size() != profile.spans.size()) {
        return 1;
    }
    print_row("trace.read_mb_s", static_cast<double>(text.size()) / 1e6 / seconds, "MB/s");
    return 0;
}

}  // namespace

int main(int count, char** values) {
    if (count != 3) {
        std::fprintf(stderr,
                     "usage: formats_bench trace.write|trace.read|trace.rss|flame.svg MEGABYTES\n");
        return 2;
    }
    return measure(values[1], static_cast<std::size_t>(std::atoi(values[2])));
}
