// tag: words people set on runs afterwards. Each edit is a small log of its own in the run folder.
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/native_runs.h"
#include "cli/run_json.h"
#include "store/meta_edit.h"
#include "terminal/text.h"

#include <algorithm>

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
        declare_targets(arguments, where_);
        declare_all(arguments, all_);
        arguments.flag("--json", json_, "for machines: the runs as they are now");
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
        const auto found = find_native_runs(session, {target_}, where_, folders_of(all_));
        if (!found.ok()) {
            return session.fail(found.error());
        }
        // Before anything is changed: half an edit would have to be looked for.
        if (auto known = check_removed(*found); !known.ok()) {
            return session.fail(known.error());
        }
        for (const NativeRun& run : *found) {
            for (const std::string& tag : tags_) {
                if (auto done = store::add_tag(run.folder, tag); !done.ok()) {
                    return session.fail(done.error());
                }
            }
            for (const std::string& tag : removed_) {
                if (auto done = store::remove_tag(run.folder, tag); !done.ok()) {
                    return session.fail(done.error());
                }
            }
        }
        if (json_) {
            print_json(session, *found);
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

    /// The tags every run has now.
    void print_json(const Session& session, const std::vector<NativeRun>& runs) const {
        JsonWriter json(1);
        json.begin_array();
        for (const NativeRun& run : runs) {
            std::vector<std::string> tags = run.info.tags;
            for (const std::string& tag : tags_) {
                if (std::find(tags.begin(), tags.end(), tag) == tags.end()) {
                    tags.push_back(tag);
                }
            }
            begin_run(json, run.info).key("tags").begin_array();
            for (const std::string& tag : tags) {
                if (std::find(removed_.begin(), removed_.end(), tag) == removed_.end()) {
                    json.value(tag);
                }
            }
            json.end_array().end_object();
        }
        session.print(json.end_array().text() + "\n");
    }

    TargetOptions where_;
    std::string target_;
    std::vector<std::string> tags_, removed_;
    bool all_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_tag() {
    return std::make_unique<TagCommand>();
}

}  // namespace taffrail::cli
