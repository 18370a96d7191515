// rm, restore: hidden runs, which gc removes for ever.
#include "cli/deletion.h"

#include "cli/native_runs.h"
#include "cli/run_json.h"
#include "cli/text_format.h"
#include "store/meta_edit.h"
#include "terminal/text.h"

namespace taffrail::cli {
namespace {

/// rm and restore differ in one bit.
class DeleteCommand final : public Command {
  public:
    explicit DeleteCommand(bool deletes) : deletes_(deletes) {
        // A name means what can still be deleted, or what can be brought back.
        where_.deleted = deletes ? TargetOptions::Deleted::Also : TargetOptions::Deleted::First;
    }

    std::string_view name() const override { return deletes_ ? "rm" : "restore"; }

    std::string_view summary() const override {
        return deletes_ ? "Hides runs; restore brings them back until gc removes their bytes"
                        : "Brings back runs that rm hid";
    }

    std::string_view example() const override {
        return deletes_ ? "taffrail rm vae-1 vae-2 --dry-run" : "taffrail restore vae-1";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_, "names, ids or run folders", true);
        declare_targets(arguments, where_);
        declare_all(arguments, all_);
        arguments.flag("-n,--dry-run", dry_run_, "only say what would happen");
        if (deletes_) {
            arguments.flag("-y,--yes", yes_, "do not ask");
        }
        arguments.flag("--json", json_, "for machines: what became of each run");
    }

    ExitCode run(Session& session) override;

  private:
    /// Why a run stays as it is; "" when it can be changed.
    [[nodiscard]] std::string obstacle(const NativeRun& run) const;
    void say(const Session& session, const NativeRun& run, std::string_view outcome,
             std::string_view text);

    bool deletes_, dry_run_ = false, yes_ = false, all_ = false, json_ = false;
    TargetOptions where_;
    std::vector<std::string> targets_;
    JsonWriter json_text_{1};
};

std::string DeleteCommand::obstacle(const NativeRun& run) const {
    return deletes_ && run.info.state == RunState::Running
               ? "is still being written: stop its program first, or wait until it has ended"
               : "";
}

void DeleteCommand::say(const Session& session, const NativeRun& run, std::string_view outcome,
                        std::string_view text) {
    if (!json_) {
        session.print(std::string(text) + "  " + session.styled(Style::Dim, run.info.id) + "\n");
    }
    begin_run(json_text_, run.info).member("outcome", outcome).end_object();
}

ExitCode DeleteCommand::run(Session& session) {
    const auto found = find_native_runs(session, targets_, where_, folders_of(all_));
    if (!found.ok()) {
        return session.fail(found.error());
    }
    json_text_.begin_array();
    ExitCode outcome = ExitCode::Ok;
    std::vector<const NativeRun*> changed;
    std::string names;
    for (const NativeRun& run : *found) {
        const std::string shown = terminal::without_controls(run.info.name);
        if (run.info.deleted == deletes_) {
            say(session, run, "unchanged",
                shown + (deletes_ ? " is deleted already" : " was not deleted"));
        } else if (const std::string why = obstacle(run); !why.empty()) {
            outcome = session.fail(run.info.name + " " + why);
            begin_run(json_text_, run.info).member("outcome", "refused").member("reason", why);
            json_text_.end_object();
        } else {
            changed.push_back(&run);
            names += (names.empty() ? "" : ", ") + run.info.name;
        }
    }
    if (deletes_ && !yes_ && !dry_run_ && !changed.empty() &&
        !confirmed(session, "Hide " + std::to_string(changed.size()) + " runs (" + names + ")?")) {
        return ExitCode::Failed;
    }
    for (const NativeRun* run : changed) {
        const std::string what =
            std::string(name()) + " " + terminal::without_controls(run->info.name);
        if (dry_run_) {
            say(session, *run, "would change", "would " + what);
        } else if (auto done = store::set_deleted(run->folder, deletes_); done.ok()) {
            say(session, *run, "changed", what);
        } else {
            outcome = session.fail("cannot " + what + ": " + done.error().message);
            begin_run(json_text_, run->info).member("outcome", "failed");
            json_text_.member("reason", done.error().message).end_object();
        }
    }
    json_text_.end_array();
    if (json_) {
        session.print(json_text_.text() + "\n");
    }
    return outcome;
}

}  // namespace

std::unique_ptr<Command> make_deletion(Deletion what) {
    return std::make_unique<DeleteCommand>(what == Deletion::Hide);
}

}  // namespace taffrail::cli
