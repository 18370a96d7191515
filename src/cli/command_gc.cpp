// gc: what can go.
#include "cli/commands.h"
#include "cli/disk_usage.h"
#include "cli/native_runs.h"
#include "cli/run_json.h"
#include "cli/text_format.h"
#include "io/files.h"
#include "io/inside.h"
#include "store/run_removal.h"
#include "store/sealing.h"
#include "terminal/format.h"
#include "terminal/text.h"

#include <algorithm>
#include <map>

namespace taffrail::cli {
namespace {

class Gc final : public Command {
  public:
    std::string_view name() const override { return "gc"; }

    std::string_view summary() const override {
        return "Removes the bytes of runs that rm hid, and logs that are sealed; this cannot be "
               "undone";
    }

    std::string_view example() const override { return "taffrail gc --dry-run"; }

    void declare(Arguments& arguments) override {
        declare_root(arguments, root_);
        arguments.flag("-n,--dry-run", dry_run_, "only say what would go");
        arguments.flag("-y,--yes", yes_, "do not ask");
        arguments.flag("--json", json_, "for machines: what goes, and what cannot");
    }

    ExitCode run(Session& session) override {
        const auto catalogue = session.open(default_root(root_));
        if (!catalogue.ok()) {
            return session.fail(catalogue.error());
        }
        look_for_bytes(session, (*catalogue)->runs(true));
        if (!json_) {
            print(session);
        }
        if (!dry_run_ && !(deleted_.empty() && sealed_.empty())) {
            if (!yes_ && !confirmed(session, "Remove this for ever?")) {
                return ExitCode::Failed;
            }
            remove(session);
        }
        if (json_) {
            print_json(session);
        }
        return outcome_;
    }

  private:
    /// Deleted runs, and live logs whose content is in sealed files and has been for a day. What
    /// cannot go is said, and the others go nevertheless.
    void look_for_bytes(const Session& session, const std::vector<RunInfo>& runs) {
        for (const RunInfo& run : runs) {
            if (run.source != "taffrail") {
                continue;
            }
            if (run.deleted && run.state == RunState::Running) {
                refuse(session, run, store::still_written(run.name).message);
            } else if (run.deleted) {
                bytes_[run.id] = io::is_link(run.location) ? 0 : usage_of(run.location).total();
                deleted_.push_back(run);
            } else if (run.state != RunState::Running && !io::is_link(run.location)) {
                auto spare =
                    store::find_spare_logs(run.location, store::kSealedLogGrace, session.now_ns);
                if (!spare.ok()) {
                    refuse(session, run, spare.error().message);
                } else if (!spare->urls.empty()) {
                    sealed_.emplace_back(run, *std::move(spare));
                }
            }
        }
    }

    void refuse(const Session& session, const RunInfo& run, const std::string& why) {
        outcome_ = session.fail(why);
        refused_.emplace_back(run, why);
    }

    void remove(const Session& session) {
        std::erase_if(deleted_, [&](const RunInfo& run) {
            const auto done = store::remove_run(run.location);
            if (!done.ok()) {
                refuse(session, run, done.error().message);
            }
            return !done.ok();
        });
        std::erase_if(sealed_, [&](const auto& each) {
            const RunInfo& run = each.first;
            const auto done =
                store::drop_sealed_logs(run.location, store::kSealedLogGrace, session.now_ns);
            if (!done.ok()) {
                refuse(session, run, done.error().message);
            }
            return !done.ok();
        });
    }

    void print_json(const Session& session) const {
        JsonWriter json(1);
        json.begin_object().member("dry_run", dry_run_).key("deleted_runs").begin_array();
        for (const RunInfo& run : deleted_) {
            begin_run(json, run).member("bytes", bytes_.at(run.id)).end_object();
        }
        json.end_array().key("sealed_logs").begin_array();
        for (const auto& [run, spare] : sealed_) {
            begin_run(json, run).member("bytes", spare.bytes).end_object();
        }
        json.end_array().key("refused").begin_array();
        for (const auto& [run, why] : refused_) {
            begin_run(json, run).member("reason", why).end_object();
        }
        session.print(json.end_array().end_object().text() + "\n");
    }

    void print(const Session& session) const {
        const std::string verb = dry_run_ ? "would remove " : "to remove: ";
        const auto size = [](std::uint64_t bytes) {
            return terminal::format_bytes(static_cast<double>(bytes));
        };
        std::uint64_t bytes = 0, log_bytes = 0;
        for (const RunInfo& run : deleted_) {
            bytes += bytes_.at(run.id);
            const std::string name = terminal::without_controls(run.name);
            session.print(verb +
                          (io::is_link(run.location)
                               ? "the link to " + name + ", not the run itself"
                               : name) +
                          "  " + session.styled(Style::Dim, run.id) + "\n");
        }
        for (const auto& [run, spare] : sealed_) {
            log_bytes += spare.bytes;
            session.print(verb + "the sealed logs of " + terminal::without_controls(run.name) +
                          ", " + size(spare.bytes) + "  " + session.styled(Style::Dim, run.id) +
                          "\n");
        }
        session.print(size(bytes) + " in " + std::to_string(deleted_.size()) + " deleted runs, " +
                      size(log_bytes) + " in the sealed logs of " + std::to_string(sealed_.size()) +
                      " runs\n");
    }

    std::string root_;
    bool dry_run_ = false, yes_ = false, json_ = false;
    std::vector<RunInfo> deleted_;
    std::map<std::string, std::uint64_t> bytes_;  ///< of deleted runs, by id
    std::vector<std::pair<RunInfo, std::string>> refused_;
    std::vector<std::pair<RunInfo, store::SpareLogs>> sealed_;
    ExitCode outcome_ = ExitCode::Ok;
};

}  // namespace

std::unique_ptr<Command> make_gc() {
    return std::make_unique<Gc>();
}

}  // namespace taffrail::cli
