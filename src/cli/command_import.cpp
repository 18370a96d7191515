#include "base/names.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/imported_runs.h"
#include "cli/run_copy.h"
#include "cli/text_format.h"

namespace taffrail::cli {
namespace {

class Import final : public Command {
  public:
    std::string_view name() const override { return "import"; }

    std::string_view summary() const override {
        return "Makes native runs of foreign ones, every point and file kept; what is here stays";
    }

    std::string_view example() const override {
        return "taffrail import logs/tensorboard --root taffrail";
    }

    void declare(Arguments& arguments) override {
        arguments.positional(
            "PATHS", paths_,
            "logdirs or other folders a source understands (taffrail list sources)", true);
        declare_root(arguments, root_);
        arguments.option("-p,--project", project_, "NAME",
                         "project of the new runs (default: as found)");
        arguments.flag("--again", again_, "make new copies of runs that were imported before");
    }

    ExitCode run(Session& session) override {
        if (!again_) {
            here_ = imported_runs(session, default_root(root_));
        }
        bool complete = true;
        for (const std::string& path : paths_) {
            if (auto done = import_all(session, path, complete); !done.ok()) {
                return session.fail(done.error());
            }
        }
        return complete ? ExitCode::Ok : ExitCode::Failed;
    }

  private:
    Result<void> import_all(const Session& session, const std::string& path, bool& complete);
    Result<void> import_run(const Session& session, const RecordedRun& run);

    std::vector<std::string> paths_;
    std::string root_, project_;
    bool again_ = false;
    ImportedRuns here_;
};

Result<void> Import::import_all(const Session& session, const std::string& path, bool& complete) {
    TAFFRAIL_ASSIGN(const auto catalogue, session.open(path));
    const std::vector<RunInfo> runs = catalogue->runs();
    for (const RunInfo& info : runs) {
        if (info.source == "taffrail" && lies_in(info.location, default_root(root_))) {
            return Error{ErrorCode::InvalidArgument,
                         info.name + " is a run of " + default_root(root_) +
                             " already; name another folder to import from, or another --root"};
        }
    }
    for (const RunInfo& info : runs) {
        TAFFRAIL_ASSIGN(const auto run, catalogue->run(info.id));
        const auto earlier = here_.find(origin_of(info));
        if (again_ || earlier == here_.end()) {
            TAFFRAIL_TRY(import_run(session, *run));
            continue;
        }
        const std::uint64_t records = count_records(*run);
        if (earlier->second.records == records) {
            session.print(info.name + "  is here already, unchanged  " +
                          session.styled(Style::Dim, earlier->second.id) + "\n");
        } else {
            session.warn(
                info.name + " was imported as " + earlier->second.id + " with " +
                grouped(earlier->second.records) + " records and has " + grouped(records) +
                " now; nothing was changed, --again imports it anew beside the older copy");
            complete = false;
        }
    }
    return {};
}

Result<void> Import::import_run(const Session& session, const RecordedRun& run) {
    RunInfo info = run.info();
    const RunInfo original = info;
    info.id = make_run_id(info.start_time_ns != 0 ? info.start_time_ns : session.now_ns);
    info.project = project_.empty() ? info.project : project_;
    // Settings come as records too; writing them twice would double them.
    info.config.clear();
    Hparams environment = run.environment();
    const std::uint64_t records = count_records(run);
    note_origin(environment, original, records);
    TAFFRAIL_ASSIGN(const auto copy, RunCopy::create(default_root(root_), info));
    TAFFRAIL_TRY(copy->take(run, environment));
    here_.insert_or_assign(origin_of(original), ImportedRun{info.id, records});
    session.print(info.name + "  " + grouped(copy->points()) + " points, " +
                  grouped(copy->values()) + " values  " + session.styled(Style::Dim, info.id) +
                  "\n");
    return {};
}

}  // namespace

std::unique_ptr<Command> make_import() {
    return std::make_unique<Import>();
}

}  // namespace taffrail::cli
