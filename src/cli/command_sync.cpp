#include "base/strings.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/native_runs.h"
#include "cli/run_json.h"
#include "cli/text_format.h"
#include "run/adopt.h"
#include "terminal/text.h"

#include <algorithm>

namespace taffrail::cli {
namespace {

class Sync final : public Command {
  public:
    std::string_view name() const override { return "sync"; }

    std::string_view summary() const override {
        return "Delivers to sinks what a dead process left behind";
    }

    std::string_view example() const override {
        return "taffrail sync vae-1\ntaffrail sync vae-1 --sink tensorboard";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_, "names, ids or run folders", true);
        arguments.option("-s,--sink", sink_, "NAME",
                         "this sink only (default: every sink the run had)");
        declare_targets(arguments, where_);
        arguments.flag("-y,--yes", yes_, "do not ask before writing where the run's sinks say");
        arguments.flag("--json", json_, "for machines: what every sink received");
    }

    ExitCode run(Session& session) override {
        const auto found = find_native_runs(session, targets_, where_, Folders::OfManyRuns);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        const Result<void> has_sinks = check_sinks(*found);
        if (!has_sinks.ok() && !sink_.empty()) {
            return session.fail(has_sinks.error());
        }
        if (show_targets(session, *found) && !yes_ &&
            !confirmed(session, "Deliver to these places?")) {
            return ExitCode::Failed;
        }
        bool complete = true;
        std::uint64_t adopted = 0;
        json_text_.begin_array();
        for (const NativeRun& run : *found) {
            if (auto done = sync_run(session, run, complete, adopted); !done.ok()) {
                return session.fail(done.error());
            }
        }
        json_text_.end_array();
        if (json_) {
            session.print(json_text_.text() + "\n");
        }
        if (!has_sinks.ok() && adopted == 0) {
            return session.fail(has_sinks.error());
        }
        return complete ? ExitCode::Ok : ExitCode::Failed;
    }

  private:
    [[nodiscard]] bool is_meant(const running::NotedSink& noted) const {
        return sink_.empty() || sink_ == noted.name || sink_ == noted.type;
    }

    /// Options come out of the run folder, which may be anybody's: `$HOME/x` there would name a
    /// place that nobody has seen. note_sink() keeps values, never variables.
    static bool names_a_variable(const running::NotedSink& noted) {
        return std::ranges::any_of(noted.options, [](const auto& option) {
            return option.second.starts_with('~') || option.second.find('$') != std::string::npos;
        });
    }

    /// Where things would be written, for a person to look at; false when nowhere.
    bool show_targets(const Session& session, const std::vector<NativeRun>& runs) const {
        bool any = false;
        for (const NativeRun& run : runs) {
            for (const running::NotedSink& noted : running::noted_sinks(run.folder)) {
                if (!is_meant(noted) || noted.type.empty() || names_a_variable(noted)) {
                    continue;
                }
                any = true;
                std::string line = terminal::without_controls(run.info.name) + ": " +
                                   terminal::without_controls(noted.name) + " (" +
                                   terminal::without_controls(noted.type) + ") writes to";
                for (const auto& [name, value] : noted.options) {
                    line += ' ' + terminal::without_controls(name) + '=' +
                            terminal::without_controls(value);
                }
                line += noted.options.empty() ? " its usual place" : "";
                json_ ? session.warn(line) : session.print(line + "\n");
            }
        }
        return any;
    }

    /// An error when no run has a sink that is meant: then there is nothing to deliver to.
    Result<void> check_sinks(const std::vector<NativeRun>& runs) const {
        std::vector<std::string> names;
        for (const NativeRun& run : runs) {
            for (const running::NotedSink& noted : running::noted_sinks(run.folder)) {
                if (is_meant(noted)) {
                    return {};
                }
                names.push_back(noted.name);
            }
        }
        const std::string who = runs.size() == 1 ? runs[0].info.name : "none of these runs";
        if (names.empty()) {
            return Error{ErrorCode::NotFound,
                         runs.size() == 1
                             ? who +
                                   " was given no sinks, so there is nothing to deliver; "
                                   "taffrail export writes it in other formats"
                             : who +
                                   " was given a sink, so there is nothing to deliver; "
                                   "taffrail export writes them in other formats"};
        }
        std::string list;
        for (const std::string& name : names) {
            list += (list.empty() ? "" : ", ") + name;
        }
        return Error{ErrorCode::NotFound, (runs.size() == 1 ? who + " has no" : who + " has a") +
                                              " sink '" + sink_ + "'" + did_you_mean(sink_, names) +
                                              " (there are: " + list + ")"};
    }

    Result<void> sync_run(const Session& session, const NativeRun& run, bool& complete,
                          std::uint64_t& adopted_rows) {
        TAFFRAIL_ASSIGN(const running::Adopted adopted,
                        running::adopt_orphans(run.folder, run.info.id));
        adopted_rows += adopted.rows;
        begin_run(json_text_, run.info).member("adopted_rows", adopted.rows);
        json_text_.key("sinks").begin_array();
        if (adopted.rows > 0 && !json_) {
            session.print(terminal::without_controls(run.info.name) + ": " + grouped(adopted.rows) +
                          " rows taken over from " + std::to_string(adopted.writers) +
                          " dead writers\n");
        }
        SinkContext context;
        context.run_id = run.info.id;
        context.run_name = run.info.name;
        context.project = run.info.project;
        context.run_folder = run.folder;
        context.start_time_ns = run.info.start_time_ns;
        context.attempt = run.info.attempts > 0 ? run.info.attempts - 1 : 0;
        context.world_size = run.info.world_size;
        for (const running::NotedSink& noted : running::noted_sinks(run.folder)) {
            if (!is_meant(noted)) {
                continue;
            }
            if (noted.type.empty()) {
                session.warn(run.info.name + ": sink " + noted.name +
                             " was made by the program itself; resume the run to deliver to it");
                note(noted.name, 0, "made by the program itself");
                complete = false;
                continue;
            }
            if (names_a_variable(noted)) {
                session.warn(run.info.name + ": sink " + noted.name +
                             " was noted with a variable or ~ in its options, which are not "
                             "expanded here: resume the run to deliver to it, or use taffrail "
                             "export");
                complete = false;
                continue;
            }
            TAFFRAIL_ASSIGN(const auto sink, make_sink(noted.type, noted.options));
            const auto delivered = running::deliver_backlog(
                run.folder, run.info.id, noted, *sink, context, {run.info.state, run.info.message});
            if (!delivered.ok()) {
                session.warn(run.info.name + ": " + noted.name + ": " + delivered.error().message);
                note(noted.name, 0, delivered.error().message);
                complete = false;
                continue;
            }
            note(noted.name, *delivered, "");
            if (!json_) {
                session.print(terminal::without_controls(run.info.name + ": " + noted.name) +
                              " received " + grouped(*delivered) + " records\n");
            }
        }
        json_text_.end_array().end_object();
        return {};
    }

    void note(const std::string& sink, std::uint64_t records, std::string_view problem) {
        json_text_.begin_object().member("sink", sink).member("records", records).key("error");
        problem.empty() ? json_text_.null() : json_text_.value(problem);
        json_text_.end_object();
    }

    std::vector<std::string> targets_;
    std::string sink_;
    TargetOptions where_;
    bool yes_ = false;
    bool json_ = false;
    JsonWriter json_text_{1};
};

}  // namespace

std::unique_ptr<Command> make_sync() {
    return std::make_unique<Sync>();
}

}  // namespace taffrail::cli
