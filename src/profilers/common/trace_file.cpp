#include "profilers/common/trace_file.h"

#include "base/clock.h"
#include "base/try.h"
#include "codec/json_writer.h"
#include "io/files.h"
#include "profile/formats.h"
#include "profilers/common/report_files.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace taffrail::profilers {

namespace {

/// Viewers hold times in floating point, where UTC has a quarter of a microsecond left. The base is
/// the same for every rank and every file of some months, so that they lie side by side.
constexpr std::int64_t kBasePeriodNs = std::int64_t{90} * 24 * 3600 * 1'000'000'000;

/// Takes the base off every time; what it was.
std::int64_t take_off_base(profile::Profile& trace) {
    if (trace.spans.empty()) {
        return 0;
    }
    const std::int64_t base = trace.spans.front().begin_ns / kBasePeriodNs * kBasePeriodNs;
    for (profile::Span& span : trace.spans) {
        span.begin_ns -= base;
    }
    for (profile::Instant& instant : trace.instants) {
        instant.time_ns -= base;
    }
    for (profile::CounterPoint& point : trace.counters) {
        point.time_ns -= base;
    }
    for (profile::FlowPoint& point : trace.flows) {
        point.time_ns -= base;
    }
    return base;
}

std::string host_and_process() {
    std::array<char, 256> host{};
    const bool known = ::gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0';
    return std::string(known ? host.data() : "localhost") + "_" + std::to_string(::getpid());
}

bool has_member(const profile::Profile& trace, std::string_view name) {
    return std::ranges::any_of(trace.metadata,
                               [&](const auto& each) { return each.first == name; });
}

void add_member(profile::Profile& trace, std::string name, std::string json) {
    if (!has_member(trace, name)) {
        trace.metadata.emplace_back(std::move(name), std::move(json));
    }
}

}  // namespace

std::string trace_file_name(const std::string& worker, bool packed) {
    return (worker.empty() ? host_and_process() : safe_file_name(worker)) + "." +
           std::to_string(wall_time_ns()) + ".pt.trace.json" + (packed ? ".gz" : "");
}

Result<void> write_trace_file(profile::Profile& trace, std::optional<int> rank,
                              const std::string& path) {
    add_member(trace, "schemaVersion", "1");
    add_member(trace, "deviceProperties", "[]");
    add_member(trace, "displayTimeUnit", "\"ms\"");
    if (!has_member(trace, "baseTimeNanoseconds")) {
        const std::int64_t base = take_off_base(trace);
        add_member(trace, "baseTimeNanoseconds", std::to_string(base));
    }
    if (rank) {
        JsonWriter json;
        json.begin_object().member("rank", *rank).end_object();
        add_member(trace, "distributedInfo", json.text());
    }
    std::string name;
    append_json_string(name, path);
    add_member(trace, "traceName", name);
    TAFFRAIL_TRY(io::make_directories(io::parent(path)));
    return profile::write_profile_file(trace, *profile::find_format("chrome"), path);
}

}  // namespace taffrail::profilers
