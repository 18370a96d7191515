// POST exports (prepare) and GET export (stream): raw points, never bins.
#include "base/names.h"
#include "base/strings.h"
#include "server/api/api.h"
#include "server/api/export_job.h"
#include "server/api/export_streams.h"
#include "server/chart_request.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace taffrail::server {
namespace {

/// What a download will lack, for who prepares it: a file of rows cannot say so itself.
std::vector<std::pair<std::string, Damage>> find_damage(const ApiContext& context,
                                                        const ExportJob& job) {
    const std::vector<std::string>& runs = job.question.runs;
    std::vector<std::optional<Damage>> first(runs.size());
    if (job.what != ExportJob::What::Runs) {
        Workspace::parallel(runs.size(), [&](std::size_t i) {
            if (const auto run = context.workspace->run(runs[i])) {
                if (std::vector<Damage> all = (*run)->damage(); !all.empty()) {
                    first[i] = std::move(all.front());
                }
            }
        });
    }
    std::vector<std::pair<std::string, Damage>> found;
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (first[i]) {
            found.emplace_back(runs[i], *std::move(first[i]));
        }
    }
    return found;
}

/// How the body of a download is called.
struct ExportFormat {
    std::string_view name;
    query::TableFormat table;
    std::string_view media_type;
};

constexpr ExportFormat kFormats[] = {
    {"csv", query::TableFormat::Csv, "text/csv; charset=utf-8"},
    {"jsonl", query::TableFormat::Jsonl, "application/x-ndjson"},
    {"parquet", query::TableFormat::Parquet, "application/vnd.apache.parquet"}};

Response prepare(const ApiContext& context, ExportTickets& tickets, const Request& request) {
    const Json body = body_object(request);
    ExportJob job;
    const std::string format = body.string_or("format", "csv"),
                      shape = body.string_or("shape", "tidy"),
                      what = body.string_or("what", "series");
    const auto known = std::ranges::find(kFormats, format, &ExportFormat::name);
    if (known == std::end(kFormats)) {
        refuse(400, "invalid", "'format' is csv, jsonl or parquet");
    }
    if ((shape != "tidy" && shape != "wide") || (what != "series" && what != "runs")) {
        refuse(400, "invalid", "'shape' is tidy or wide, 'what' is series or runs");
    }
    job.table = what == "runs" ? query::TableFormat::Csv : known->table;
    job.what = what == "runs" ? ExportJob::What::Runs
               : shape == "wide" && job.table == query::TableFormat::Csv
                   ? ExportJob::What::WideSeries
                   : ExportJob::What::Series;
    query::ExportQuestion& question = job.question;
    question.runs = string_list(body, "runs", 100'000);
    question.keys = string_list(body, "keys", 100'000);
    job.columns = string_list(body, "columns", 2000);
    const std::string attempts = body.string_or("attempts", "winning");
    if (attempts != "winning" && attempts != "all") {
        refuse(400, "invalid", "'attempts' is winning or all");
    }
    question.attempts = attempts == "all" ? Attempts::All : Attempts::Winning;
    if (const Json* x = body.find("x"); x != nullptr && !x->is_null()) {
        question.x = parse_axis(x);
    }
    std::string stem = what == "runs"              ? "runs"
                       : question.keys.size() == 1 ? folder_safe(question.keys.front())
                                                   : "series";
    job.name = (stem.empty() ? "series" : stem) + (what == "runs" ? ".csv" : '.' + format);
    const std::string name = job.name;
    const auto damage = find_damage(context, job);
    for (const auto& [run, first] : damage) {
        question.damaged.push_back(run);
    }
    const std::string id = tickets.add(std::move(job));
    if (id.empty()) {
        refuse(413, "too_large", "this names more runs, keys and columns than one download takes");
    }
    JsonWriter json;
    json.begin_object().member("href", "api/v1/export?id=" + id).member("name", name);
    if (!damage.empty()) {
        json.key("partial").begin_array();
        for (const auto& [run, first] : damage) {
            json.begin_object().member("run", run).member("file", first.file);
            json.member("reason", first.reason).end_object();
        }
        json.end_array();
    }
    json.end_object();
    return Response::json(std::move(json).take());
}

Response download(const ApiContext& context, ExportTickets& tickets, const Request& request) {
    const auto job = tickets.find(required_parameter(request, "id"));
    if (!job) {
        refuse(404, "not_found", "this download has expired; prepare it again");
    }
    for (const std::string& run : job->question.runs) {
        (void)find_details(context, run);  // a file that lacks one would not say so
    }
    Response response;
    const auto format = std::ranges::find(kFormats, job->table, &ExportFormat::table);
    response.headers = {{"Content-Type", std::string(format->media_type)},
                        {"Content-Disposition", "attachment; filename=\"" + job->name + '"'},
                        {"Cache-Control", "no-store"}};
    response.stream = export_stream(context, job);
    return response;
}

}  // namespace

void add_export_routes(Router& router, const ApiContext& context) {
    auto tickets = std::make_shared<ExportTickets>();
    router.post("exports", RouteKind::Read, guarded([&context, tickets](const Request& request) {
                    return prepare(context, *tickets, request);
                }));
    router.get("export", guarded([&context, tickets](const Request& request) {
                   return download(context, *tickets, request);
               }));
}

}  // namespace taffrail::server
