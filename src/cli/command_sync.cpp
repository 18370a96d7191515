#include "base/strings.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/native_runs.h"
#include "cli/run_json.h"
#include "cli/text_format.h"
#include "terminal/text.h"
#include "transfer/redelivery.h"

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
    /// Where things would be written, for a person to look at; false when nowhere.
    bool show_targets(const Session& session, const std::vector<NativeRun>& runs) const {
        bool any = false;
        for (const NativeRun& run : runs) {
            for (const auto& [noted, obstacle] : transfer::destinations(stored(run), sink_)) {
                if (!obstacle.empty()) {
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
            if (!transfer::destinations(stored(run), sink_).empty()) {
                return {};
            }
            for (const transfer::Destination& other : transfer::destinations(stored(run), "")) {
                names.push_back(other.sink.name);
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

    static transfer::StoredRun stored(const NativeRun& run) { return {run.info, run.folder}; }

    Result<void> sync_run(const Session& session, const NativeRun& run, bool& complete,
                          std::uint64_t& adopted_rows) {
        const std::string name = terminal::without_controls(run.info.name);
        TAFFRAIL_ASSIGN(
            const bool all,
            transfer::redeliver(
                stored(run), sink_,
                [&](const transfer::Adopted& adopted) {
                    adopted_rows += adopted.rows;
                    begin_run(json_text_, run.info).member("adopted_rows", adopted.rows);
                    json_text_.key("sinks").begin_array();
                    if (adopted.rows > 0 && !json_) {
                        session.print(name + ": " + grouped(adopted.rows) +
                                      " rows taken over from " + std::to_string(adopted.writers) +
                                      " dead writers\n");
                    }
                },
                [&](const transfer::Delivered& delivered) {
                    note(delivered.sink, delivered.records, delivered.problem);
                    if (!delivered.problem.empty()) {
                        session.warn(run.info.name + ": " + delivered.sink + ": " +
                                     delivered.problem);
                    } else if (!json_) {
                        session.print(name + ": " + terminal::without_controls(delivered.sink) +
                                      " received " + grouped(delivered.records) + " records\n");
                    }
                }));
        complete = complete && all;
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
