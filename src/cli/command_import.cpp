#include "base/grouped.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/damage.h"
#include "cli/text_format.h"
#include "terminal/text.h"
#include "transfer/import.h"

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
        transfer::Import import({.root = default_root(root_),
                                 .project = project_,
                                 .again = again_,
                                 .now_ns = session.now_ns});
        json_text_.begin_array();
        for (const std::string& path : paths_) {
            if (auto done = import_all(session, import, path); !done.ok()) {
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
    Result<void> import_all(const Session& session, transfer::Import& import,
                            const std::string& path) {
        TAFFRAIL_ASSIGN(const auto catalogue, session.open(path));
        return import.take(*catalogue, [&](const transfer::ImportReport& report) {
            note(report);
            tell(session, report);
        });
    }

    void note(const transfer::ImportReport& report);
    void tell(const Session& session, const transfer::ImportReport& report);

    std::vector<std::string> paths_;
    std::string root_, project_;
    bool again_ = false, json_ = false;
    ExitCode outcome_ = ExitCode::Ok;
    JsonWriter json_text_{1};
};

std::string_view word_of(transfer::ImportOutcome outcome) {
    switch (outcome) {
        case transfer::ImportOutcome::Imported:
            return "imported";
        case transfer::ImportOutcome::Unchanged:
            return "unchanged";
        case transfer::ImportOutcome::Grown:
            return "has grown";
    }
    return "";
}

void Import::note(const transfer::ImportReport& report) {
    json_text_.begin_object()
        .member("id", report.id)
        .member("name", report.original.name)
        .member("origin", report.original.location);
    json_text_.member("outcome", word_of(report.outcome))
        .member("points", report.points)
        .member("values", report.values);
    json_text_.end_object();
}

void Import::tell(const Session& session, const transfer::ImportReport& report) {
    const std::string name = terminal::without_controls(report.original.name);
    const std::string id = session.styled(Style::Dim, report.id);
    switch (report.outcome) {
        case transfer::ImportOutcome::Imported:
            if (!json_) {
                session.print(name + "  " + grouped(report.points) + " points, " +
                              grouped(report.values) + " values  " + id + "\n");
            }
            break;
        case transfer::ImportOutcome::Unchanged:
            if (!json_) {
                session.print(name + "  is here already, unchanged  " + id + "\n");
            }
            break;
        case transfer::ImportOutcome::Grown:
            session.warn(
                report.original.name + " was imported as " + report.id + " with " +
                grouped(report.earlier_records) + " records and has " + grouped(report.records) +
                " now; nothing was changed, --again imports it anew beside the older copy");
            outcome_ = ExitCode::Failed;
            break;
    }
    // What the original could not give is not in the copy either.
    outcome_ = worse(outcome_, report_damage(session, report.original.name, report.damage));
}

}  // namespace

std::unique_ptr<Command> make_import() {
    return std::make_unique<Import>();
}

}  // namespace taffrail::cli
