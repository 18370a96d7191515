#include "base/try.h"
#include "cli/commands.h"
#include "cli/native_runs.h"
#include "cli/text_format.h"
#include "run/adopt.h"

namespace taffrail::cli {
namespace {

class Sync final : public Command {
  public:
    std::string_view name() const override { return "sync"; }
    std::string_view summary() const override { return "Delivers to sinks what a dead process left behind"; }
    std::string_view example() const override { return "taffrail sync vae-1\ntaffrail sync vae-1 --sink tensorboard"; }
    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_, "names, ids or run folders", true);
        arguments.option("-s,--sink", sink_, "NAME", "this sink only (default: every sink the run had)");
        declare_root(arguments, root_);
    }
    ExitCode run(Session& session) override {
        const auto found = find_native_runs(session, targets_, root_, false);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        bool complete = true;
        for (const NativeRun& run : *found) {
            if (auto done = sync_run(session, run, complete); !done.ok()) {
                return session.fail(done.error());
            }
        }
        return complete ? ExitCode::Ok : ExitCode::Failed;
    }

  private:
    Result<void> sync_run(const Session& session, const NativeRun& run, bool& complete) const {
        TAFFRAIL_ASSIGN(const running::Adopted adopted, running::adopt_orphans(run.folder, run.info.id));
        if (adopted.rows > 0) {
            session.print(run.info.name + ": " + grouped(adopted.rows) + " rows taken over from " +
                          std::to_string(adopted.writers) + " dead writers\n");
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
            if (!sink_.empty() && sink_ != noted.name && sink_ != noted.type) {
                continue;
            }
            if (noted.type.empty()) {
                session.warn(run.info.name + ": sink " + noted.name + " was made by the program itself; resume the run to deliver to it");
                complete = false;
                continue;
            }
            TAFFRAIL_ASSIGN(const auto sink, make_sink(noted.type, noted.options));
            const auto delivered = running::deliver_backlog(run.folder, run.info.id, noted, *sink, context);
            if (!delivered.ok()) {
                session.warn(run.info.name + ": " + noted.name + ": " + delivered.error().message);
                complete = false;
                continue;
            }
            session.print(run.info.name + ": " + noted.name + " received " + grouped(*delivered) + " records\n");
        }
        return {};
    }

    std::vector<std::string> targets_;
    std::string sink_, root_;
};

}  // namespace

std::unique_ptr<Command> make_sync() {
    return std::make_unique<Sync>();
}

}  // namespace taffrail::cli
