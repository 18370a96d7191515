// du, gc: what runs cost, and what can go.
#include "cli/commands.h"
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

/// Bytes below a folder, by what the first folder below it is called.
struct Usage {
    std::uint64_t live = 0, sealed = 0, media = 0, other = 0;

    [[nodiscard]] std::uint64_t total() const { return live + sealed + media + other; }
};

// Links count for nothing: what they lead to is not this run's, and may lead back here.
std::uint64_t bytes_below(const std::string& folder) {
    const auto entries = io::list(folder);
    std::uint64_t bytes = 0;
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        const std::string path = io::join(folder, entry.name);
        if (io::is_link(path)) {
            continue;
        }
        if (entry.type == io::EntryType::Directory) {
            bytes += bytes_below(path);
        } else if (const auto info = io::stat(path); info.ok()) {
            bytes += info->size;
        }
    }
    return bytes;
}

Usage usage_of(const std::string& run_folder) {
    Usage usage;
    usage.live = bytes_below(io::join(run_folder, "live"));
    usage.sealed = bytes_below(io::join(run_folder, "data"));
    usage.media = bytes_below(io::join(run_folder, "blobs"));
    usage.other = bytes_below(run_folder) - usage.live - usage.sealed - usage.media;
    return usage;
}

class Du final : public Command {
  public:
    std::string_view name() const override { return "du"; }

    std::string_view summary() const override { return "Shows the space runs take, largest first"; }

    std::string_view example() const override { return "taffrail du"; }

    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_, "names, ids or folders (default: all)", false);
        declare_targets(arguments, where_);
        declare_wide(arguments, wide_);
        arguments.flag("--json", json_, "for machines: bytes");
    }

    ExitCode run(Session& session) override {
        if (targets_.empty()) {
            targets_.emplace_back();
        }
        where_.deleted = TargetOptions::Deleted::Also;
        const auto found = find_native_runs(session, targets_, where_, Folders::OfManyRuns);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        std::vector<std::pair<Usage, const NativeRun*>> rows;
        for (const NativeRun& run : *found) {
            rows.emplace_back(usage_of(run.folder), &run);
        }
        std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
            return a.first.total() > b.first.total();
        });
        json_ ? print_json(session, rows) : print_table(session, rows);
        return ExitCode::Ok;
    }

  private:
    using Rows = std::vector<std::pair<Usage, const NativeRun*>>;

    static void print_json(const Session& session, const Rows& rows) {
        JsonWriter json(1);
        json.begin_array();
        for (const auto& [usage, run] : rows) {
            json.begin_object()
                .member("id", run->info.id)
                .member("name", run->info.name)
                .member("bytes", usage.total());
            json.member("live", usage.live)
                .member("sealed", usage.sealed)
                .member("media", usage.media);
            json.member("other", usage.other).member("deleted", run->info.deleted).end_object();
        }
        session.print(json.end_array().text() + "\n");
    }

    void print_table(const Session& session, const Rows& rows) const {
        TextTable table;
        for (const char* title : {"TOTAL", "LIVE", "SEALED", "MEDIA", "OTHER"}) {
            table.column(title, TextTable::Align::Right);
        }
        table.column("RUN");
        const auto size = [](std::uint64_t bytes) {
            return terminal::format_bytes(static_cast<double>(bytes));
        };
        std::uint64_t sum = 0;
        for (const auto& [usage, run] : rows) {
            table.row({{size(usage.total()), Style::Bold},
                       size(usage.live),
                       size(usage.sealed),
                       size(usage.media),
                       size(usage.other),
                       run->info.name + (run->info.deleted ? " (deleted)" : "")});
            sum += usage.total();
        }
        session.print(table.render(session, "", fit_of(wide_)) + size(sum) + " in " +
                      std::to_string(rows.size()) + " runs\n");
    }

    std::vector<std::string> targets_;
    TargetOptions where_;
    bool wide_ = false, json_ = false;
};

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
                refuse(session, run, storage::still_written(run.name).message);
            } else if (run.deleted) {
                bytes_[run.id] = io::is_link(run.location) ? 0 : usage_of(run.location).total();
                deleted_.push_back(run);
            } else if (run.state != RunState::Running && !io::is_link(run.location)) {
                auto spare = storage::find_spare_logs(run.location, storage::kSealedLogGrace,
                                                      session.now_ns);
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
            const auto done = storage::remove_run(run.location);
            if (!done.ok()) {
                refuse(session, run, done.error().message);
            }
            return !done.ok();
        });
        std::erase_if(sealed_, [&](const auto& each) {
            const RunInfo& run = each.first;
            const auto done =
                storage::drop_sealed_logs(run.location, storage::kSealedLogGrace, session.now_ns);
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
    std::vector<std::pair<RunInfo, storage::SpareLogs>> sealed_;
    ExitCode outcome_ = ExitCode::Ok;
};

}  // namespace

std::unique_ptr<Command> make_du() {
    return std::make_unique<Du>();
}

std::unique_ptr<Command> make_gc() {
    return std::make_unique<Gc>();
}

}  // namespace taffrail::cli
