// note: the notes people set on runs afterwards.
#include "cli/commands.h"
#include "cli/native_runs.h"
#include "cli/run_json.h"
#include "store/meta_edit.h"
#include "terminal/text.h"

#include <optional>

namespace taffrail::cli {
namespace {

class NoteCommand final : public Command {
  public:
    std::string_view name() const override { return "note"; }

    std::string_view summary() const override { return "Sets the notes of a run, or prints them"; }

    std::string_view example() const override {
        return "taffrail note vae-1 'larger decoder, same seed'";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUN", target_, "name, id or run folder", true);
        arguments.positional("TEXT", text_, "the new notes; '' clears them, nothing prints them");
        declare_targets(arguments, where_);
        declare_all(arguments, all_);
        arguments.flag("--json", json_, "for machines: the runs as they are now");
    }

    ExitCode run(Session& session) override {
        const auto found = find_native_runs(session, {target_}, where_, folders_of(all_));
        if (!found.ok()) {
            return session.fail(found.error());
        }
        JsonWriter json(1);
        json.begin_array();
        for (const NativeRun& run : *found) {
            if (!text_ && !json_) {
                session.print(terminal::without_controls(run.info.notes) + "\n");
            } else if (text_) {
                if (auto done = store::set_notes(run.folder, *text_); !done.ok()) {
                    return session.fail(done.error());
                }
            }
            begin_run(json, run.info).member("notes", text_.value_or(run.info.notes)).end_object();
        }
        if (json_) {
            session.print(json.end_array().text() + "\n");
        }
        return ExitCode::Ok;
    }

  private:
    TargetOptions where_;
    std::string target_;
    std::optional<std::string> text_;
    bool all_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_note() {
    return std::make_unique<NoteCommand>();
}

}  // namespace taffrail::cli
