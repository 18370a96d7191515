// POST exports (prepare) and GET export (stream): raw points, never bins.
#include "base/clock.h"
#include "base/names.h"
#include "base/strings.h"
#include "query/wide_table.h"
#include "server/api/api.h"
#include "server/api/export_parquet.h"
#include "server/chart_query.h"
#include "server/columns.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <mutex>

namespace taffrail::server {
namespace {

struct ExportJob {
    std::string format, shape, what, name;
    std::vector<std::string> runs, keys, columns;
    AxisQuery x;
    bool has_x = false;
    std::int64_t made_ns = 0;
};

/// Prepared downloads, kept for an hour, at most 1,000.
class Tickets {
  public:
    std::string add(ExportJob job) {
        const std::lock_guard lock(mutex_);
        while (!order_.empty() &&
               (order_.size() >= 1000 ||
                monotonic_ns() - jobs_[order_.front()].made_ns > 3'600'000'000'000)) {
            jobs_.erase(order_.front());
            order_.pop_front();
        }
        const std::string id = make_run_id(wall_time_ns());
        job.made_ns = monotonic_ns();
        jobs_.emplace(id, std::move(job));
        order_.push_back(id);
        return id;
    }

    std::optional<ExportJob> find(const std::string& id) {
        const std::lock_guard lock(mutex_);
        const auto found = jobs_.find(id);
        return found == jobs_.end() ? std::nullopt : std::optional(found->second);
    }

  private:
    std::mutex mutex_;
    std::map<std::string, ExportJob> jobs_;
    std::deque<std::string> order_;
};

std::string csv_number(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    return std::isinf(value) ? (value > 0 ? "inf" : "-inf") : format_double(value);
}

// A cell that a spreadsheet would take for a formula is made text; quotes are doubled.
std::string csv_text(std::string_view text) {
    std::string cell(text);
    if (!cell.empty() &&
        std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos &&
        !parse_double(cell)) {
        cell.insert(cell.begin(), '\'');
    }
    if (cell.find_first_of(",\"\n\r") == std::string::npos) {
        return cell;
    }
    std::string quoted = "\"";
    for (char c : cell) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + '"';
}

std::string csv_time(std::int64_t time_ns) {
    std::string text = format_time_utc(time_ns);
    text.pop_back();  // Z
    const std::string micro =
        std::to_string(((time_ns % 1'000'000) + 1'000'000) % 1'000'000 / 1000);
    return text + std::string(3 - micro.size(), '0') + micro + 'Z';
}

std::string csv_cell(const Cell& cell) {
    if (const auto* number = std::get_if<double>(&cell)) {
        return csv_number(*number);
    }
    return cell.index() == 0 ? std::string() : csv_text(cell_label(cell));
}

std::vector<std::string> keys_of(const RunDetails& run, const ExportJob& job) {
    if (!job.keys.empty()) {
        return job.keys;
    }
    std::vector<std::string> keys;
    for (const KeyInfo& key : run.keys) {
        if (key.kind == Kind::Scalar) {
            keys.push_back(key.key);
        }
    }
    return keys;
}

// All points of a key in log order, cut to the asked range.
std::vector<Point> points_of(const ApiContext& context, const RunDetails& details,
                             const std::string& key, const ExportJob& job) {
    auto run = context.workspace->run(details.id);
    auto points = run ? (*run)->points(key) : Result<std::vector<Point>>(run.error());
    if (!points || !job.has_x || (!job.x.from && !job.x.to)) {
        return points ? *std::move(points) : std::vector<Point>();
    }
    const SeriesPoints positions = on_axis(*points, job.x, details.info.start_time_ns, {});
    std::vector<bool> keep(points->size(), false);
    for (std::size_t i = 0; i < positions.x.size(); ++i) {
        keep[positions.source[i]] = (!job.x.from || positions.x[i] >= *job.x.from) &&
                                    (!job.x.to || positions.x[i] <= *job.x.to);
    }
    std::vector<Point> kept;
    for (std::size_t i = 0; i < keep.size(); ++i) {
        if (keep[i]) {
            kept.push_back((*points)[i]);
        }
    }
    return kept;
}

/// Collects text and sends it in pieces of about 64 kB.
class Output {
  public:
    explicit Output(ResponseStream& stream) : stream_(stream) {}

    ~Output() { flush(); }

    bool line(std::string_view text) {
        buffer_.append(text).push_back('\n');
        return buffer_.size() < (64u << 10) || flush();
    }

    bool flush() {
        const bool open = stream_.write(buffer_);
        buffer_.clear();
        return open;
    }

  private:
    ResponseStream& stream_;
    std::string buffer_;
};

void stream_tidy(const ApiContext& context, const ExportJob& job, ResponseStream& stream) {
    Output out(stream);
    out.line("run_id,run,key,step,time,epoch,samples,attempt,rank,value");
    for (const std::string& id : job.runs) {
        const auto details = context.workspace->details(id);
        if (!details) {
            continue;
        }
        const std::string head = csv_text(id) + ',' + csv_text(details->info.name) + ',';
        for (const std::string& key : keys_of(*details, job)) {
            const std::string prefix = head + csv_text(key) + ',';
            for (const Point& point : points_of(context, *details, key, job)) {
                const std::string epoch = std::isnan(point.epoch) ? "" : csv_number(point.epoch);
                const std::string samples =
                    point.samples == INT64_MIN ? "" : std::to_string(point.samples);
                if (!out.line(prefix + std::to_string(point.step) + ',' + csv_time(point.time_ns) +
                              ',' + epoch + ',' + samples + ',' + std::to_string(point.attempt) +
                              ',' + std::to_string(point.rank) + ',' + csv_number(point.value))) {
                    return;
                }
            }
        }
    }
}

void stream_wide(const ApiContext& context, const ExportJob& job, ResponseStream& stream) {
    std::vector<std::string> columns;
    for (const std::string& id : job.runs) {
        if (const auto details = context.workspace->details(id)) {
            for (std::string& key : keys_of(*details, job)) {
                if (std::ranges::find(columns, key) == columns.end()) {
                    columns.push_back(std::move(key));
                }
            }
        }
    }
    Output out(stream);
    std::string header = "run_id,run,step,rank,attempt";
    for (const std::string& column : columns) {
        header += ',' + csv_text(column);
    }
    out.line(header);
    for (const std::string& id : job.runs) {
        const auto details = context.workspace->details(id);
        if (!details) {
            continue;
        }
        query::WideTable table;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            table.add(c, points_of(context, *details, columns[c], job));
        }
        const std::string head = csv_text(id) + ',' + csv_text(details->info.name) + ',';
        for (const auto& [place, row] : table.rows()) {
            std::string line = head + std::to_string(place.step) + ',' +
                               std::to_string(place.rank) + ',' + std::to_string(place.attempt);
            auto cell = row.begin();
            for (std::size_t c = 0; c < columns.size(); ++c) {
                line += ',';
                if (cell != row.end() && cell->first == c) {
                    line += csv_number(cell++->second);
                }
            }
            if (!out.line(line)) {
                return;
            }
        }
    }
}

void stream_jsonl(const ApiContext& context, const ExportJob& job, ResponseStream& stream) {
    Output out(stream);
    for (const std::string& id : job.runs) {
        const auto details = context.workspace->details(id);
        if (!details) {
            continue;
        }
        for (const std::string& key : keys_of(*details, job)) {
            for (const Point& point : points_of(context, *details, key, job)) {
                JsonWriter json;
                json.begin_object()
                    .member("run", id)
                    .member("key", key)
                    .member("kind", "scalar")
                    .member("step", point.step)
                    .member("time", point.time_ns)
                    .key("epoch");
                std::isnan(point.epoch) ? json.null() : json.value(point.epoch);
                json.key("samples");
                point.samples == INT64_MIN ? json.null() : json.value(point.samples);
                json.key("phase");
                point.phase == Phase::None ? json.null() : json.value(to_string(point.phase));
                json.member("rank", point.rank)
                    .member("writer", std::to_string(point.writer))
                    .member("attempt", point.attempt)
                    .member("value", point.value)
                    .end_object();
                if (!out.line(json.text())) {
                    return;
                }
            }
        }
    }
}

void stream_parquet(const ApiContext& context, const ExportJob& job, ResponseStream& stream) {
    ParquetExport file([&](std::string_view bytes) { return stream.write(std::string(bytes)); });
    for (const std::string& id : job.runs) {
        const auto details = context.workspace->details(id);
        if (!details) {
            continue;
        }
        for (const std::string& key : keys_of(*details, job)) {
            if (!file.add(id, details->info.name, key, points_of(context, *details, key, job))
                     .ok()) {
                return;  // nobody reads any more: a file without a footer is seen as broken
            }
        }
    }
    (void)file.finish();
}

void stream_runs(const ApiContext& context, const ExportJob& job, ResponseStream& stream) {
    Output out(stream);
    std::string header = "run_id,run,project,state";
    for (const std::string& column : job.columns) {
        header += ',' + csv_text(column);
    }
    out.line(header);
    for (const std::string& id : job.runs) {
        const auto details = context.workspace->details(id);
        if (!details) {
            continue;
        }
        std::string line = csv_text(id) + ',' + csv_text(details->info.name) + ',' +
                           csv_text(details->info.project) + ',' +
                           std::string(to_string(details->info.state));
        for (const std::string& column : job.columns) {
            line += ',' + csv_cell(column_value(*details, column));
        }
        if (!out.line(line)) {
            return;
        }
    }
}

Response prepare(const ApiContext&, Tickets& tickets, const Request& request) {
    const Json body = body_object(request);
    ExportJob job;
    job.format = body.string_or("format", "csv");
    job.shape = body.string_or("shape", "tidy");
    job.what = body.string_or("what", "series");
    if (job.format != "csv" && job.format != "jsonl" && job.format != "parquet") {
        refuse(400, "invalid", "'format' is csv, jsonl or parquet");
    }
    if ((job.shape != "tidy" && job.shape != "wide") ||
        (job.what != "series" && job.what != "runs")) {
        refuse(400, "invalid", "'shape' is tidy or wide, 'what' is series or runs");
    }
    job.runs = string_list(body, "runs", 100'000);
    job.keys = string_list(body, "keys", 100'000);
    job.columns = string_list(body, "columns", 2000);
    if (const Json* x = body.find("x"); x != nullptr && !x->is_null()) {
        job.x = parse_axis(x);
        job.has_x = true;
    }
    std::string stem = job.what == "runs"     ? "runs"
                       : job.keys.size() == 1 ? folder_safe(job.keys.front())
                                              : "series";
    job.name = (stem.empty() ? "series" : stem) + (job.what == "runs" ? ".csv" : '.' + job.format);
    const std::string name = job.name;
    const std::string id = tickets.add(std::move(job));
    return Response::json(
        Json(Json::Object{{"href", "api/v1/export?id=" + id}, {"name", name}}).dump());
}

Response download(const ApiContext& context, Tickets& tickets, const Request& request) {
    const auto job = tickets.find(required_parameter(request, "id"));
    if (!job) {
        refuse(404, "not_found", "this download has expired; prepare it again");
    }
    Response response;
    const bool is_csv = job->format == "csv" || job->what == "runs";
    response.headers = {
        {"Content-Type", is_csv                   ? "text/csv; charset=utf-8"
                         : job->format == "jsonl" ? "application/x-ndjson"
                                                  : "application/vnd.apache.parquet"},
        {"Content-Disposition", "attachment; filename=\"" + job->name + '"'},
        {"Cache-Control", "no-store"}};
    response.stream = [&context, job = *job](ResponseStream& stream) {
        if (job.what == "runs") {
            stream_runs(context, job, stream);
        } else if (job.format == "jsonl") {
            stream_jsonl(context, job, stream);
        } else if (job.format == "parquet") {
            stream_parquet(context, job, stream);
        } else {
            job.shape == "wide" ? stream_wide(context, job, stream)
                                : stream_tidy(context, job, stream);
        }
    };
    return response;
}

}  // namespace

void add_export_routes(Router& router, const ApiContext& context) {
    auto tickets = std::make_shared<Tickets>();
    router.post("exports", RouteKind::Read, guarded([&context, tickets](const Request& request) {
                    return prepare(context, *tickets, request);
                }));
    router.get("export", guarded([&context, tickets](const Request& request) {
                   return download(context, *tickets, request);
               }));
}

}  // namespace taffrail::server
