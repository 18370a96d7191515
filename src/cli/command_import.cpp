#include "base/names.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/damage.h"
#include "cli/imported_runs.h"
#include "cli/run_copy.h"
#include "cli/text_format.h"
#include "terminal/text.h"

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
        arguments.flag("--json", json_, "for machines: what became of each run");
    }

    ExitCode run(Session& session) override {
        if (!again_) {
            here_ = imported_runs(session, default_root(root_));
        }
        json_text_.begin_array();
        for (const std::string& path : paths_) {
            if (auto done = import_all(session, path); !done.ok()) {
                return session.fail(done.error());
            }
        }
        json_text_.end_array();
        if (json_) {
            session.print(json_text_.text() + "\n");
        }
        return outcome_;
    }

  private:
    Result<void> import_all(const Session& session, const std::string& path);
    Result<void> import_run(const Session& session, const RecordedRun& run);
    /// `id` is that of the copy.
    void note(const RunInfo& original, const std::string& id, std::string_view outcome,
              std::uint64_t points, std::uint64_t values);

    std::vector<std::string> paths_;
    std::string root_, project_;
    bool again_ = false, json_ = false;
    ImportedRuns here_;
    ExitCode outcome_ = ExitCode::Ok;
    JsonWriter json_text_{1};
};

void Import::note(const RunInfo& original, const std::string& id, std::string_view outcome,
                  std::uint64_t points, std::uint64_t values) {
    json_text_.begin_object()
        .member("id", id)
        .member("name", original.name)
        .member("origin", original.location);
    json_text_.member("outcome", outcome).member("points", points).member("values", values);
    json_text_.end_object();
}

Result<void> Import::import_all(const Session& session, const std::string& path) {
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
        const bool is_same = earlier->second.records == records;
        note(info, earlier->second.id, is_same ? "unchanged" : "has grown", 0, 0);
        if (is_same && !json_) {
            session.print(terminal::without_controls(info.name) + "  is here already, unchanged  " +
                          session.styled(Style::Dim, earlier->second.id) + "\n");
        } else if (!is_same) {
            session.warn(
                info.name + " was imported as " + earlier->second.id + " with " +
                grouped(earlier->second.records) + " records and has " + grouped(records) +
                " now; nothing was changed, --again imports it anew beside the older copy");
            outcome_ = ExitCode::Failed;
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
    note(original, info.id, "imported", copy->points(), copy->values());
    if (!json_) {
        session.print(terminal::without_controls(info.name) + "  " + grouped(copy->points()) +
                      " points, " + grouped(copy->values()) + " values  " +
                      session.styled(Style::Dim, info.id) + "\n");
    }
    // What the original could not give is not in the copy either.
    outcome_ = worse(outcome_, report_damage(session, original.name, run.damage_met()));
    return {};
}

}  // namespace

std::unique_ptr<Command> make_import() {
    return std::make_unique<Import>();
}

}  // namespace taffrail::cli
