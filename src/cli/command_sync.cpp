#include <taffrail/progress.h>

#include "base/grouped.h"
#include "base/strings.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/native_runs.h"
#include "cli/run_json.h"
#include "cli/text_format.h"
#include "terminal/text.h"
#include "transfer/redelivery.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

namespace taffrail::cli {
namespace {

constexpr auto kWatchPause = std::chrono::seconds(2);

std::atomic<bool> watch_is_over = false;

void end_watch(int) {
    watch_is_over = true;
}

class Sync final : public Command {
  public:
    std::string_view name() const override { return "sync"; }

    std::string_view summary() const override {
        return "Delivers to sinks what is left over, or a whole run to one it never had";
    }

    std::string_view example() const override {
        return "taffrail sync vae-1\n"
               "taffrail sync vae-1 --sink mlflow -o tracking_uri=http://127.0.0.1:5000\n"
               "taffrail sync vae-1 --sink wandb --watch";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_, "names, ids or run folders", true);
        arguments.option("-s,--sink", sink_, "NAME",
                         "this sink only (default: every sink the run had); one that the run "
                         "never had gets all of it");
        arguments.option("-o,--option", option_texts_, "NAME=VALUE",
                         "an option of a sink that the run never had (taffrail list NAME)");
        arguments.flag("-n,--dry-run", is_dry_, "say what would be delivered, deliver nothing");
        arguments.flag("-w,--watch", watches_,
                       "go on until the runs are over, delivering what they log");
        declare_targets(arguments, where_);
        arguments.flag("-y,--yes", yes_, "do not ask before writing where the run's sinks say");
        arguments.flag("--json", json_, "for machines: what every sink received");
    }

    ExitCode run(Session& session) override {
        const auto found = find_native_runs(session, targets_, where_, Folders::OfManyRuns);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        for (const std::string& text : option_texts_) {
            const std::size_t equal = text.find('=');
            if (equal == std::string::npos || sink_.empty()) {
                return session.wrong_usage(sink_.empty()
                                               ? "--option needs --sink"
                                               : "--option takes NAME=VALUE, not '" + text + "'");
            }
            options_.emplace_back(text.substr(0, equal), text.substr(equal + 1));
        }
        // A name that no run knows may be that of a sink they never had.
        for (const SinkInfo& info : registered_sinks()) {
            if (!sink_.empty() && (info.name == sink_ || info.class_name == sink_)) {
                new_type_ = info.name;
            }
        }
        const Result<void> has_sinks = new_type_.empty() ? check_sinks(*found) : Result<void>();
        if (!has_sinks.ok() && !sink_.empty()) {
            return session.fail(has_sinks.error());
        }
        if (is_dry_) {
            return tell_pending(session, *found);
        }
        if (show_targets(session, *found) && !yes_ &&
            !confirmed(session, "Deliver to these places?")) {
            return ExitCode::Failed;
        }
        for (const NativeRun& run : *found) {
            if (is_new_to(run)) {
                if (auto added = transfer::add_destination(stored(run), new_type_, options_);
                    !added.ok()) {
                    return added.error().code == ErrorCode::InvalidArgument ||
                                   added.error().code == ErrorCode::Unsupported
                               ? session.wrong_usage(added.error().message)
                               : session.fail(added.error());
                }
            }
        }
        if (watches_) {
            return watch(session, *found);
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
    /// Whether --sink names a kind of sink that this run was not given.
    [[nodiscard]] bool is_new_to(const NativeRun& run) const {
        return !new_type_.empty() && transfer::destinations(stored(run), new_type_).empty();
    }

    ExitCode tell_pending(const Session& session, const std::vector<NativeRun>& runs) {
        json_text_.begin_array();
        for (const NativeRun& run : runs) {
            const bool is_new = is_new_to(run);
            const auto waiting = transfer::pending(
                stored(run), is_new || !new_type_.empty() ? new_type_ : sink_, is_new);
            if (!waiting.ok()) {
                return session.fail(waiting.error());
            }
            begin_run(json_text_, run.info).key("sinks").begin_array();
            for (const transfer::Pending& one : *waiting) {
                json_text_.begin_object().member("sink", one.sink);
                json_text_.member("records", one.records).end_object();
                if (!json_) {
                    session.print(terminal::without_controls(run.info.name) + ": " +
                                  terminal::without_controls(one.sink) + " would receive " +
                                  grouped(one.records) + " records\n");
                }
            }
            json_text_.end_array().end_object();
        }
        json_text_.end_array();
        if (json_) {
            session.print(json_text_.text() + "\n");
        }
        return ExitCode::Ok;
    }

    /// Until every run is over and delivered, or somebody presses Ctrl-C: what is left then waits
    /// for the next time.
    ExitCode watch(const Session& session, std::vector<NativeRun> runs) {
        watch_is_over = false;
        const auto before = std::signal(SIGINT, end_watch);
        bool complete = true;
        for (bool any_lives = true; any_lives && !watch_is_over;) {
            any_lives = false;
            complete = true;
            for (NativeRun& run : runs) {
                run.info = transfer::state_now(stored(run));
                std::uint64_t adopted = 0;
                if (auto done = sync_run(session, run, complete, adopted); !done.ok()) {
                    std::signal(SIGINT, before);
                    return session.fail(done.error());
                }
                any_lives = any_lives || run.info.state == RunState::Running;
            }
            session.flush();
            const auto until = std::chrono::steady_clock::now() + kWatchPause;
            while (any_lives && !watch_is_over && std::chrono::steady_clock::now() < until) {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
            }
        }
        std::signal(SIGINT, before);
        return complete ? ExitCode::Ok : ExitCode::Failed;
    }

    /// Where things would be written, for a person to look at; false when nowhere.
    bool show_targets(const Session& session, const std::vector<NativeRun>& runs) const {
        bool any = false;
        for (const NativeRun& run : runs) {
            if (is_new_to(run)) {
                any = true;
                std::string line =
                    terminal::without_controls(run.info.name) + ": all of it goes to " + new_type_;
                for (const auto& [name, value] : options_) {
                    line += ' ' + terminal::without_controls(name) + '=' +
                            (is_secret(name) ? "…" : terminal::without_controls(value));
                }
                json_ ? session.warn(line) : session.print(line + "\n");
                continue;
            }
            for (const auto& [noted, obstacle] : transfer::destinations(stored(run), meant())) {
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

    /// What --sink means to a run that knows it.
    [[nodiscard]] const std::string& meant() const { return new_type_.empty() ? sink_ : new_type_; }

    [[nodiscard]] bool is_secret(const std::string& option) const {
        for (const SinkInfo& info : registered_sinks()) {
            const OptionInfo* known =
                info.name == new_type_ ? find_option(info.options, option) : nullptr;
            if (known != nullptr && known->rules.secret) {
                return true;
            }
        }
        return false;
    }

    static transfer::StoredRun stored(const NativeRun& run) { return {run.info, run.folder}; }

    Result<void> sync_run(const Session& session, const NativeRun& run, bool& complete,
                          std::uint64_t& adopted_rows) {
        const std::string name = terminal::without_controls(run.info.name);
        std::optional<Progress> bar;
        if (!json_ && !watches_ && isatty(STDOUT_FILENO) != 0) {
            std::uint64_t total = 0;
            const auto waiting = transfer::pending(stored(run), meant(), false);
            for (const transfer::Pending& one :
                 waiting.ok() ? *waiting : std::vector<transfer::Pending>()) {
                total += one.records;
            }
            if (total > kWorthABar) {
                bar.emplace(ProgressOptions{.description = name,
                                            .total = static_cast<std::int64_t>(total),
                                            .leave = false,
                                            .unit = "records"});
            }
        }
        TAFFRAIL_ASSIGN(
            const bool all,
            transfer::redeliver(
                stored(run), meant(),
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
                    } else if (!json_ && (!watches_ || delivered.records > 0)) {
                        session.print(name + ": " + terminal::without_controls(delivered.sink) +
                                      " received " + grouped(delivered.records) + " records\n");
                    }
                },
                [&](std::uint64_t records) {
                    if (bar) {
                        bar->advance(static_cast<std::int64_t>(records));
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

    static constexpr std::uint64_t kWorthABar = 10'000;

    std::vector<std::string> targets_, option_texts_;
    std::string sink_, new_type_;
    OptionMap options_;
    bool is_dry_ = false, watches_ = false;
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
