// tag, note, rm, restore: what people set on runs afterwards. Each edit is a small log of its own
// in the run folder.
#include "base/strings.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/native_runs.h"
#include "cli/text_format.h"
#include "store/meta_edit.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace taffrail::cli {
namespace {

class TagCommand final : public Command {
  public:
    std::string_view name() const override { return "tag"; }

    std::string_view summary() const override { return "Adds tags to a run, or takes them away"; }

    std::string_view example() const override {
        return "taffrail tag vae-1 baseline ablation\ntaffrail tag vae-1 --remove baseline";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUN", target_, "name, id or run folder", true);
        arguments.positional("TAGS", tags_, "what to add", false);
        arguments.option("-r,--remove", removed_, "TAG", "take this one away");
        declare_root(arguments, root_);
    }

    ExitCode run(Session& session) override {
        if (tags_.empty() && removed_.empty()) {
            return session.wrong_usage("tag: say which tag to add, or --remove TAG");
        }
        for (const std::string& tag : tags_) {
            if (trim(tag).empty()) {
                return session.wrong_usage("tag: a tag must not be empty");
            }
        }
        const auto found = find_native_runs(session, {target_}, root_, false);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        // Before anything is changed: half an edit would have to be looked for.
        if (auto known = check_removed(*found); !known.ok()) {
            return session.fail(known.error());
        }
        for (const NativeRun& run : *found) {
            for (const std::string& tag : tags_) {
                if (auto done = storage::add_tag(run.folder, tag); !done.ok()) {
                    return session.fail(done.error());
                }
            }
            for (const std::string& tag : removed_) {
                if (auto done = storage::remove_tag(run.folder, tag); !done.ok()) {
                    return session.fail(done.error());
                }
            }
        }
        return ExitCode::Ok;
    }

  private:
    Result<void> check_removed(const std::vector<NativeRun>& runs) const {
        std::vector<std::string> known = tags_;
        for (const NativeRun& run : runs) {
            known.insert(known.end(), run.info.tags.begin(), run.info.tags.end());
        }
        for (const std::string& tag : removed_) {
            if (std::find(known.begin(), known.end(), tag) == known.end()) {
                return Error{ErrorCode::NotFound, target_ + " has no tag '" + tag + "'" +
                                                      did_you_mean(tag, known) +
                                                      " (taffrail show lists them)"};
            }
        }
        return {};
    }

    std::string target_, root_;
    std::vector<std::string> tags_, removed_;
};

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
        declare_root(arguments, root_);
    }

    ExitCode run(Session& session) override {
        const auto found = find_native_runs(session, {target_}, root_, false);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        for (const NativeRun& run : *found) {
            if (!text_) {
                session.print(run.info.notes + "\n");
            } else if (auto done = storage::set_notes(run.folder, *text_); !done.ok()) {
                return session.fail(done.error());
            }
        }
        return ExitCode::Ok;
    }

  private:
    std::string target_, root_;
    std::optional<std::string> text_;
};

/// rm and restore differ in one bit.
class DeleteCommand final : public Command {
  public:
    explicit DeleteCommand(bool deletes) : deletes_(deletes) {}

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
        declare_root(arguments, root_);
        arguments.flag("-n,--dry-run", dry_run_, "only say what would happen");
        if (deletes_) {
            arguments.flag("-y,--yes", yes_, "do not ask");
        }
    }

    ExitCode run(Session& session) override {
        auto found = find_native_runs(session, targets_, root_, true);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        std::erase_if(*found, [&](const NativeRun& run) {
            if (run.info.deleted == deletes_) {
                session.print(run.info.name +
                              (deletes_ ? " is deleted already  " : " was not deleted  ") +
                              session.styled(Style::Dim, run.info.id) + "\n");
            }
            return run.info.deleted == deletes_;
        });
        for (const NativeRun& run : *found) {
            session.print((dry_run_ ? "would " : "") + std::string(name()) + " " + run.info.name +
                          "  " + session.styled(Style::Dim, run.info.id) + "\n");
        }
        if (dry_run_ || found->empty()) {
            return ExitCode::Ok;
        }
        if (deletes_ && !yes_ &&
            !confirmed(session, "Hide " + std::to_string(found->size()) + " runs?")) {
            return ExitCode::Failed;
        }
        for (const NativeRun& run : *found) {
            if (auto done = storage::set_deleted(run.folder, deletes_); !done.ok()) {
                return session.fail(done.error());
            }
        }
        return ExitCode::Ok;
    }

  private:
    bool deletes_, dry_run_ = false, yes_ = false;
    std::vector<std::string> targets_;
    std::string root_;
};

}  // namespace

bool confirmed(const Session& session, std::string_view question) {
    if (isatty(STDIN_FILENO) == 0) {
        session.fail("nobody is here to ask; say --yes");
        return false;
    }
    session.warn(std::string(question) + " [y/N]");
    const int answer = std::getchar();
    return answer == 'y' || answer == 'Y';
}

Result<std::vector<NativeRun>> find_native_runs(const Session& session,
                                                const std::vector<std::string>& targets,
                                                std::string_view root, bool include_deleted) {
    std::vector<NativeRun> runs;
    for (const std::string& target : targets) {
        TAFFRAIL_ASSIGN(const Target found, find_runs(session, target, root, include_deleted));
        for (const RunInfo& info : found.catalogue->runs(include_deleted)) {
            if (std::find(found.ids.begin(), found.ids.end(), info.id) == found.ids.end()) {
                continue;
            }
            if (info.source != "taffrail") {
                return Error{
                    ErrorCode::Unsupported,
                    info.name + " is read from " + info.source +
                        " files, which are never changed; taffrail import makes a run of them"};
            }
            runs.push_back({info, info.location});
            // Of several folders opened under names: the files know the run by its own id.
            runs.back().info.id = info.id.substr(info.id.rfind('/') + 1);
        }
    }
    return runs;
}

std::unique_ptr<Command> make_tag() {
    return std::make_unique<TagCommand>();
}

std::unique_ptr<Command> make_note() {
    return std::make_unique<NoteCommand>();
}

std::unique_ptr<Command> make_rm() {
    return std::make_unique<DeleteCommand>(true);
}

std::unique_ptr<Command> make_restore() {
    return std::make_unique<DeleteCommand>(false);
}

}  // namespace taffrail::cli
