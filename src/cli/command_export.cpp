#include "base/strings.h"
#include "base/try.h"
#include "cli/charts.h"
#include "cli/commands.h"
#include "cli/damage.h"
#include "cli/export/pictures.h"
#include "cli/export/tensorboard.h"
#include "cli/run_json.h"
#include "cli/targets.h"
#include "io/files.h"
#include "seal/page_cache.h"

#include <algorithm>
#include <cstdio>

namespace taffrail::cli {
namespace {

constexpr std::size_t kPageCacheBytes = 16u << 20;

class Export final : public Command {
  public:
    std::string_view name() const override { return "export"; }

    std::string_view summary() const override {
        return "Writes runs as JSONL, CSV, Parquet, media files, a TensorBoard logdir, or as "
               "charts";
    }

    std::string_view example() const override {
        return "taffrail export vae-1 --format jsonl --media pictures -o vae-1.jsonl\n"
               "taffrail export logs/tensorboard --format csv --wide\n"
               "taffrail export vae-1 vae-2 --format html -o vae.html";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_,
                             "names, ids, folders or logdirs (default: every run of the root)",
                             false);
        declare_targets(arguments, where_);
        arguments.choice("-t,--format", format_,
                         {"jsonl", "csv", "parquet", "media", "tensorboard", "html", "svg", "png"},
                         "what to write; html is one page with the charts inside, which opens "
                         "without a server, svg and png are a picture of them");
        arguments.path_option(
            "-o,--output", output_, "PATH",
            "file to write, or folder for tensorboard, where each run makes one of its own "
            "(default: standard output)");
        arguments.path_option("-m,--media", media_, "DIR",
                              "write pictures, sound, meshes and arrays below this folder");
        arguments.option("-k,--keys", pattern_, "GLOB", "only keys that match");
        arguments.choice("--attempts", attempts_, {"winning", "all"},
                         "only points that no later attempt superseded, or every point (default: "
                         "winning; of jsonl and media, which keep everything: all)");
        arguments.choice("--x", x_, axis_names(), "the x axis of html, svg and png");
        arguments.flag("--log-y", log_y_, "a logarithmic y axis in html, svg and png");
        arguments.flag("--dark", dark_, "svg and png on a dark ground");
        arguments.flag("--wide", wide_,
                       "CSV with one column a key and one line a step, rank and attempt");
        arguments.flag("--json", json_,
                       "for machines: what was written and what could not be read; with -o");
    }

    ExitCode run(Session& session) override {
        if (const std::string wrong = wrong_usage(); !wrong.empty()) {
            return session.wrong_usage("export: " + wrong);
        }
        // Every page is read once: keeping them would only take memory.
        seal::PageCache::shared().set_limit(kPageCacheBytes);
        const auto request = collect(session);
        if (!request.ok()) {
            return session.fail(request.error());
        }
        if (const Result<void> done = write(session, *request); !done.ok()) {
            return session.fail(done.error());
        }
        return report(session, *request);
    }

  private:
    /// What makes no sense together; "" when all is well.
    [[nodiscard]] std::string wrong_usage() const;
    Result<query::ExportRequest> collect(const Session& session);
    Result<void> check_keys(const query::ExportRequest& request) const;
    Result<void> write(const Session& session, const query::ExportRequest& request);
    /// What the runs could not give is said, after everything else is written.
    ExitCode report(const Session& session, const query::ExportRequest& request) const;
    Result<void> write_tensorboard(const Session& session,
                                   const query::ExportRequest& request) const;
    Result<void> write_as(const query::ExportRequest& request,
                          const query::ExportOutput& output) const;
    Result<void> write_charts(const Session& session, const query::ExportOutput& output) const;

    [[nodiscard]] bool is_drawn() const {
        return format_ == "html" || format_ == "svg" || format_ == "png";
    }

    std::vector<std::string> targets_;
    TargetOptions where_;
    std::string format_ = "jsonl", output_, media_, pattern_;
    std::string attempts_, x_ = "step";
    std::vector<ChartRun> drawn_;  ///< the runs, with their colours
    bool log_y_ = false, dark_ = false;
    bool wide_ = false, json_ = false;
    std::uint64_t bytes_ = 0;  ///< written to the output
};

std::string Export::wrong_usage() const {
    if (format_ == "media" && media_.empty()) {
        return "--format media needs a folder: --media DIR";
    }
    if (format_ == "tensorboard" && output_.empty()) {
        return "--format tensorboard writes a folder; say which with -o DIR";
    }
    if ((format_ == "png" || format_ == "html") && output_.empty()) {
        return "--format " + format_ + " writes a file; say which with -o FILE";
    }
    if (!is_drawn() && (log_y_ || dark_ || x_ != "step")) {
        return "--x, --log-y and --dark are for --format html, svg and png";
    }
    if (json_ && (output_.empty() || output_ == "-")) {
        return "--json tells what was written to a file; say which with -o";
    }
    if (wide_ && format_ != "csv") {
        return "--wide is a form of --format csv; " + format_ + " has one form only";
    }
    if (!media_.empty() && format_ != "jsonl" && format_ != "media") {
        return "--media goes with --format jsonl or media; " + format_ + " writes no media files";
    }
    return {};
}

/// Nothing to export is an error only where a pattern caused it: a run may well be empty.
Result<void> Export::check_keys(const query::ExportRequest& request) const {
    if (pattern_.empty()) {
        return {};
    }
    const bool scalars_only = format_ == "csv" || format_ == "parquet" || is_drawn();
    std::vector<std::string> known;
    for (const auto& run : request.runs) {
        for (const KeyInfo& key : run->keys()) {
            const bool fits = scalars_only         ? key.kind == Kind::Scalar
                              : format_ == "media" ? key.kind != Kind::Scalar
                                                   : true;
            if (fits && glob_match(pattern_, key.key)) {
                return {};
            }
            if (fits) {
                known.push_back(key.key);
            }
        }
    }
    return no_key(scalars_only ? "scalar key" : "key", pattern_, known);
}

Result<query::ExportRequest> Export::collect(const Session& session) {
    query::ExportRequest request;
    request.pattern = pattern_;
    request.media_folder = media_;
    const bool keeps_everything = format_ == "jsonl" || format_ == "media";
    request.attempts = attempts_ == "all" || (attempts_.empty() && keeps_everything)
                           ? Attempts::All
                           : Attempts::Winning;
    std::vector<std::string> targets = targets_;
    if (targets.empty()) {
        targets.emplace_back();
    }
    for (const std::string& target : targets) {
        TAFFRAIL_ASSIGN(const Target found, find_runs(session, target, where_));
        auto slots = is_drawn() ? slots_of(*found.catalogue) : std::map<std::string, std::size_t>();
        for (const std::string& id : found.ids) {
            TAFFRAIL_ASSIGN(auto run, found.catalogue->run(id));
            if (is_drawn()) {
                drawn_.push_back({run, slots[id]});
            }
            request.runs.push_back(std::move(run));
        }
    }
    return request;
}

Result<void> Export::write_as(const query::ExportRequest& request,
                              const query::ExportOutput& output) const {
    if (wide_) {
        return query::export_wide(request, output);
    }
    if (format_ == "csv" || format_ == "parquet") {
        return query::export_points(
            request, format_ == "csv" ? query::TableFormat::Csv : query::TableFormat::Parquet,
            output);
    }
    return format_ == "media" ? query::export_media(request, output)
                              : query::export_records(request, output);
}

Result<void> Export::write_charts(const Session& session, const query::ExportOutput& output) const {
    const PictureRequest request{.runs = drawn_,
                                 .pattern = pattern_,
                                 .format = format_,
                                 .x = x_,
                                 .log_y = log_y_,
                                 .dark = dark_};
    TAFFRAIL_ASSIGN(const Picture picture,
                    format_ == "html" ? export_page(request) : export_charts(request));
    if (picture.charts < picture.metrics) {
        session.warn("the first " + std::to_string(picture.charts) + " of " +
                     std::to_string(picture.metrics) + " metrics; --keys chooses others");
    }
    return output(picture.bytes);
}

Result<void> Export::write_tensorboard(const Session& session,
                                       const query::ExportRequest& request) const {
    return export_tensorboard(request, output_,
                              [&](std::string_view message) { session.warn(message); });
}

Result<void> Export::write(const Session& session, const query::ExportRequest& request) {
    TAFFRAIL_TRY(check_keys(request));
    if (format_ == "tensorboard") {
        return write_tensorboard(session, request);
    }
    const auto write_to = [&](const query::ExportOutput& output) {
        return is_drawn() ? write_charts(session, output) : write_as(request, output);
    };
    if (output_.empty() || output_ == "-") {
        return write_to([&](std::string_view bytes) -> Result<void> {
            session.print(bytes);
            return {};
        });
    }
    TAFFRAIL_TRY(io::make_directories(io::parent(output_)));
    TAFFRAIL_ASSIGN(const auto file, io::open(output_, io::OpenMode::Truncate));
    return write_to([&](std::string_view bytes) {
        bytes_ += bytes.size();
        return file->append(as_bytes(bytes));
    });
}

ExitCode Export::report(const Session& session, const query::ExportRequest& request) const {
    ExitCode outcome = ExitCode::Ok;
    JsonWriter json(1);
    json.begin_object().member("format", format_).member("output", output_).member("bytes", bytes_);
    json.key("runs").begin_array();
    for (const auto& run : request.runs) {
        const RunInfo info = run->info();
        const auto damage = run->damage_met();
        outcome = worse(outcome, report_damage(session, info.name, damage));
        begin_run(json, info).key("damage");
        write_damage(json, damage);
        json.end_object();
    }
    if (json_) {
        session.print(json.end_array().end_object().text() + "\n");
    }
    return outcome;
}

}  // namespace

std::unique_ptr<Command> make_export() {
    return std::make_unique<Export>();
}

}  // namespace taffrail::cli
