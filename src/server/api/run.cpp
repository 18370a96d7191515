// GET run, environment, console, files: everything about one run that is not bulk.
#include "base/sha256.h"
#include "model/run_time.h"
#include "server/api/api.h"

#include <algorithm>
#include <map>

namespace taffrail::server {
namespace {

// Runs hand out lines by number and no count: look for the end by doubling, then by halving.
std::size_t count_console_lines(const RecordedRun& run) {
    std::size_t low = 0, high = 1;
    while (!run.console(high - 1, 1).empty()) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        (run.console(middle - 1, 1).empty() ? high : low) = middle;
    }
    return low;
}

void write_series(JsonWriter& json, const KeyInfo& key) {
    const SeriesSummary& s = key.scalar;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    json.begin_object()
        .member("key", key.key)
        .member("count", s.count)
        .member("nan_count", s.nan_count)
        .member("positive_infinity_count", s.positive_infinity_count)
        .member("negative_infinity_count", s.negative_infinity_count);
    json.member("min", s.smallest().value_or(nan)).member("max", s.largest().value_or(nan));
    json.member("mean", s.mean().value_or(nan)).member("last", s.newest().value_or(nan));
    json.member("first_step", s.first_step).member("last_step", s.last_step);
    json.member("first_ms", to_ms(s.first_time_ns))
        .member("last_ms", to_ms(s.last_time_ns))
        .end_object();
}

struct AttemptSpan {
    std::int64_t start_ns = INT64_MAX;
    Step first = INT64_MAX, last = INT64_MIN;
};

// Attempts are told apart by their points; a run with one attempt needs no look at them.
std::map<std::uint32_t, AttemptSpan> attempts_of(const RunDetails& details,
                                                 const RecordedRun& run) {
    std::map<std::uint32_t, AttemptSpan> attempts;
    if (details.info.attempts <= 1) {
        AttemptSpan span{details.info.start_time_ns, 0, 0};
        for (const KeyInfo& key : details.keys) {
            if (key.kind == Kind::Scalar) {
                span.last = std::max(span.last, key.scalar.last_step);
            }
        }
        attempts[0] = span;
        return attempts;
    }
    for (const KeyInfo& key : details.keys) {
        if (key.kind != Kind::Scalar || key.key.starts_with("system/")) {
            continue;
        }
        (void)run.visit_points(key.key, Attempts::All,
                               [&attempts](std::span<const Point> some) -> Result<void> {
                                   for (const Point& point : some) {
                                       AttemptSpan& span = attempts[point.attempt];
                                       span.start_ns = std::min(span.start_ns, point.time_ns);
                                       span.first = std::min(span.first, point.step);
                                       span.last = std::max(span.last, point.step);
                                   }
                                   return {};
                               },
                               {Column::Step, Column::Time, Column::Attempt});
    }
    return attempts;
}

void write_alerts(JsonWriter& json, const RunDetails& details, const RecordedRun& run) {
    json.key("alerts").begin_array();
    for (const KeyInfo& key : details.keys) {
        if (key.kind != Kind::Alert) {
            continue;
        }
        auto entries = run.entries(key.key);
        if (!entries) {
            continue;
        }
        for (const taffrail::Entry& entry : *entries) {
            if (const auto* alert = std::get_if<Alert>(entry.value.get())) {
                static constexpr const char* kLevels[] = {"info", "warning", "error"};
                json.begin_object().member(
                    "level",
                    kLevels[std::min<std::size_t>(static_cast<std::size_t>(alert->level), 2)]);
                json.member("title", alert->title)
                    .member("text", alert->text)
                    .member("step", entry.step)
                    .member("time_ms", to_ms(entry.time_ns))
                    .end_object();
            }
        }
    }
    json.end_array();
}

Response run_detail(const ApiContext& context, const Request& request) {
    const std::string id = required_parameter(request, "run");
    const auto details = find_details(context, id);
    const auto run = find_run(context, id);
    const RunInfo& info = details->info;
    JsonWriter json;
    json.begin_object()
        .member("revision", details->revision)
        .member("id", details->id)
        .member("name", info.name)
        .member("project", info.project);
    json.member("group", info.group)
        .member("job_type", info.job_type)
        .member("state", to_string(info.state));
    json.member("start_ms", to_ms(info.start_time_ns))
        .member("end_ms", to_ms(info.end_time_ns))
        .key("duration_ms");
    const auto duration = model::duration_ns(info);
    duration ? json.value(to_ms(*duration)) : json.null();
    json.key("attempts").begin_array();
    for (const auto& [number, span] : attempts_of(*details, *run)) {
        json.begin_object().member("attempt", number).member("start_ms", to_ms(span.start_ns));
        json.member("first_step", span.first).member("last_step", span.last).end_object();
    }
    json.end_array().member("world_size", info.world_size).key("tags").begin_array();
    for (const std::string& tag : info.tags) {
        json.value(tag);
    }
    json.end_array()
        .member("notes", info.notes)
        .member("color", info.color)
        .member("archived", info.archived)
        .member("deleted", info.deleted);
    json.member("source", info.source)
        .member("root", context.workspace->roots()[details->root].name)
        .member("location", info.location);
    json.member("message", info.message).key("config");
    write_named_cells(json, info.config);
    json.key("summary");
    write_named_cells(json, Hparams(info.summary.begin(), info.summary.end()));
    std::map<std::string, std::size_t> kinds;
    json.key("series").begin_array();
    for (const KeyInfo& key : details->keys) {
        ++kinds[std::string(to_string(key.kind))];
        if (key.kind == Kind::Scalar) {
            write_series(json, key);
        }
    }
    json.end_array().key("kinds").begin_object();
    for (const auto& [kind, count] : kinds) {
        json.member(kind, count);
    }
    json.end_object().member("console_lines", count_console_lines(*run));
    write_alerts(json, *details, *run);
    json.key("damage").begin_array();
    for (const Damage& damage : run->damage()) {
        json.begin_object()
            .member("file", damage.file)
            .member("offset", damage.offset)
            .member("length", damage.length)
            .member("reason", damage.reason)
            .end_object();
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

Response environment(const ApiContext& context, const Request& request) {
    const auto run = find_run(context, required_parameter(request, "run"));
    JsonWriter json;
    json.begin_object().key("cells");
    write_named_cells(json, run->environment());
    json.end_object();
    return Response::json(std::move(json).take());
}

constexpr std::int64_t kMatches = 10'000;

/// Which lines a question is about.
struct LineChoice {
    std::optional<std::int64_t> rank;
    bool only_errors = false;

    [[nodiscard]] bool narrows() const { return rank.has_value() || only_errors; }

    [[nodiscard]] bool takes(const taffrail::ConsoleLine& line) const {
        return (!rank || line.rank == *rank) && (!only_errors || line.is_error);
    }
};

/// Calls `visit` for every chosen line with its number among them and among all. Never holds more
/// than a part of them: a long run writes millions.
template <typename Visit>
std::int64_t each_line(const RecordedRun& run, const LineChoice& choice, Visit visit) {
    constexpr std::size_t kPart = 50'000;
    std::int64_t number = 0;
    std::int64_t place = 0;
    for (std::size_t first = 0;; first += kPart) {
        const std::vector<taffrail::ConsoleLine> lines = run.console(first, kPart);
        for (const taffrail::ConsoleLine& line : lines) {
            if (choice.takes(line)) {
                visit(number++, place, line);
            }
            ++place;
        }
        if (lines.size() < kPart) {
            return number;
        }
    }
}

bool contains_ignoring_case(std::string_view text, std::string_view wanted) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return !std::ranges::search(text, wanted, {}, lower, lower).empty();
}

void write_line(JsonWriter& json, std::int64_t number, const taffrail::ConsoleLine& line) {
    json.begin_object()
        .member("line", number)
        .member("time_ms", to_ms(line.time_ns))
        .member("error", line.is_error)
        .member("rank", line.rank)
        .member("text", line.text)
        .end_object();
}

Response console(const ApiContext& context, const Request& request) {
    const auto run = find_run(context, required_parameter(request, "run"));
    std::int64_t first = integer_parameter(request, "first", 0);
    const std::int64_t count =
        std::clamp<std::int64_t>(integer_parameter(request, "count", 500), 0, 10'000);
    LineChoice choice;
    if (request.parameter("rank")) {
        choice.rank = integer_parameter(request, "rank", 0);
    }
    if (const auto stream = request.parameter("stream"); stream && !stream->empty()) {
        if (*stream != "error") {
            refuse(400, "invalid", "stream is 'error', or absent for all output");
        }
        choice.only_errors = true;
    }
    const auto wanted = request.parameter("search");
    const std::int64_t skip = integer_parameter(request, "skip", 0);
    // A filter needs every line; a page without one needs only itself.
    const auto total = choice.narrows() ? each_line(*run, choice, [](auto, auto, const auto&) {})
                                        : static_cast<std::int64_t>(count_console_lines(*run));
    first = std::clamp<std::int64_t>(first < 0 ? total + first : first, 0, total);
    const std::int64_t last = std::min(total, first + count);
    JsonWriter json;
    json.begin_object().member("total", total).member("first", first).key("lines").begin_array();
    if (choice.narrows()) {
        each_line(*run, choice, [&](std::int64_t number, std::int64_t place, const auto& line) {
            if (number >= first && number < last) {
                write_line(json, place, line);
            }
        });
    } else {
        std::int64_t number = first;
        for (const auto& line : run->console(static_cast<std::size_t>(first),
                                             static_cast<std::size_t>(last - first))) {
            write_line(json, number++, line);
        }
    }
    json.end_array();
    if (wanted && !wanted->empty()) {
        std::int64_t matched = 0;
        json.key("matches").begin_array();
        each_line(*run, choice, [&](std::int64_t number, std::int64_t, const auto& line) {
            if (contains_ignoring_case(line.text, *wanted)) {
                if (matched >= skip && matched < skip + kMatches) {
                    json.value(number);
                }
                ++matched;
            }
        });
        json.end_array().member("matched", matched);
    }
    json.end_object();
    return Response::json(std::move(json).take());
}

Response files(const ApiContext& context, const Request& request) {
    const std::string id = required_parameter(request, "run");
    const auto details = find_details(context, id);
    const auto run = find_run(context, id);
    std::vector<taffrail::Entry> found;
    for (const KeyInfo& key : details->keys) {
        if (key.kind == Kind::Artifact) {
            if (auto entries = run->entries(key.key)) {
                found.insert(found.end(), entries->begin(), entries->end());
            }
        }
    }
    std::ranges::stable_sort(found,
                             [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
    JsonWriter json;
    json.begin_object().key("artifacts").begin_array();
    for (const taffrail::Entry& entry : found) {
        const auto* artifact = std::get_if<Artifact>(entry.value.get());
        if (artifact == nullptr) {
            continue;
        }
        json.begin_object()
            .member("name", artifact->name)
            .member("type", artifact->type)
            .member("version", artifact->version);
        json.member("step", entry.step)
            .member("time_ms", to_ms(entry.time_ns))
            .key("files")
            .begin_array();
        for (const ArtifactFile& file : artifact->files) {
            json.begin_object()
                .member("path", file.path)
                .member("size", file.data.ref.size)
                .member("sha", to_hex(file.data.ref.sha256))
                .end_object();
        }
        json.end_array().key("metadata");
        write_named_cells(json, artifact->metadata);
        json.end_object();
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

}  // namespace

void add_run_routes(Router& router, const ApiContext& context) {
    router.get("run", guarded([&context](const Request& request) {
                   return run_detail(context, request);
               }));
    router.get("environment", guarded([&context](const Request& request) {
                   return environment(context, request);
               }));
    router.get("console",
               guarded([&context](const Request& request) { return console(context, request); }));
    router.get("files",
               guarded([&context](const Request& request) { return files(context, request); }));
}

}  // namespace taffrail::server
