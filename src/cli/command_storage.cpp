// du, gc, verify: what runs cost, what can go, what is damaged.
#include "base/try.h"
#include "cli/commands.h"
#include "cli/native_runs.h"
#include "cli/text_format.h"
#include "codec/json_writer.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "store/sealing.h"
#include "terminal/format.h"
#ifdef TAFFRAIL_HAS_TENSORBOARD
#include "sources/tensorboard/discovery.h"
#include "sources/tensorboard/repair.h"
#endif

#include <algorithm>

namespace taffrail::cli {
namespace {

/// Bytes below a folder, by what the first folder below it is called.
struct Usage {
    std::uint64_t live = 0, sealed = 0, media = 0, other = 0;

    [[nodiscard]] std::uint64_t total() const { return live + sealed + media + other; }
};

std::uint64_t bytes_below(const std::string& folder) {
    const auto entries = io::list(folder);
    std::uint64_t bytes = 0;
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        const std::string path = io::join(folder, entry.name);
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
        declare_root(arguments, root_);
        arguments.flag("--json", json_, "for machines");
    }

    ExitCode run(Session& session) override {
        if (targets_.empty()) {
            targets_.emplace_back();
        }
        const auto found = find_native_runs(session, targets_, root_, true);
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

    static void print_table(const Session& session, const Rows& rows) {
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
            table.row({session.styled(Style::Bold, size(usage.total())), size(usage.live),
                       size(usage.sealed), size(usage.media), size(usage.other),
                       run->info.name + (run->info.deleted ? " (deleted)" : "")});
            sum += usage.total();
        }
        session.print(table.render(session) + size(sum) + " in " + std::to_string(rows.size()) +
                      " runs\n");
    }

    std::vector<std::string> targets_;
    std::string root_;
    bool json_ = false;
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
    }

    ExitCode run(Session& session) override {
        const auto catalogue = session.open(default_root(root_));
        if (!catalogue.ok()) {
            return session.fail(catalogue.error());
        }
        std::vector<RunInfo> doomed = (*catalogue)->runs(true);
        std::erase_if(doomed,
                      [](const RunInfo& run) { return !run.deleted || run.source != "taffrail"; });
        if (!dry_run_) {
            drop_sealed(session, **catalogue);
        }
        std::uint64_t bytes = 0;
        for (const RunInfo& run : doomed) {
            bytes += usage_of(run.location).total();
            session.print((dry_run_ ? "would remove " : "removing ") + run.name + "  " +
                          session.styled(Style::Dim, run.id) + "\n");
        }
        session.print(terminal::format_bytes(static_cast<double>(bytes)) + " in " +
                      std::to_string(doomed.size()) + " runs\n");
        if (dry_run_ || doomed.empty()) {
            return ExitCode::Ok;
        }
        if (!yes_ && !confirmed(session, "Remove them for ever?")) {
            return ExitCode::Failed;
        }
        for (const RunInfo& run : doomed) {
            if (auto done = io::remove_tree(run.location); !done.ok()) {
                return session.fail(done.error());
            }
        }
        return ExitCode::Ok;
    }

  private:
    /// Live logs whose content is in sealed files and has been for a day are only copies.
    static void drop_sealed(const Session& session, const Catalogue& catalogue) {
        std::uint64_t freed = 0;
        for (const RunInfo& run : catalogue.runs()) {
            if (run.source == "taffrail" && run.state != RunState::Running) {
                freed += storage::drop_sealed_logs(run.location).value_or(0);
            }
        }
        if (freed > 0) {
            session.print(terminal::format_bytes(static_cast<double>(freed)) + " of sealed logs\n");
        }
    }

    std::string root_;
    bool dry_run_ = false, yes_ = false;
};

class Verify final : public Command {
  public:
    std::string_view name() const override { return "verify"; }

    std::string_view summary() const override {
        return "Reads every byte of runs and says exactly what is damaged";
    }

    std::string_view example() const override {
        return "taffrail verify vae-1\ntaffrail verify logs/tensorboard --repair logs/repaired";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_, "names, ids, folders or logdirs (default: all)",
                             false);
        declare_root(arguments, root_);
        arguments.path_option("--repair", repair_, "DIR",
                              "write a copy of one logdir without its damage to a new folder");
        arguments.flag("--json", json_, "for machines");
    }

    ExitCode run(Session& session) override;

  private:
    struct Report {
        RunInfo info;
        std::uint64_t points = 0, values = 0, blobs = 0;
        std::vector<Damage> damage;
    };

    static Result<Report> check(const RecordedRun& run);
    static void print(const Session& session, const Report& report);
    ExitCode repair(const Session& session) const;

    std::vector<std::string> targets_;
    std::string root_, repair_;
    bool json_ = false;
};

Result<Verify::Report> Verify::check(const RecordedRun& run) {
    Report report;
    report.info = run.info();
    std::vector<std::pair<std::string, BlobRef>> blobs;
    TAFFRAIL_TRY(run.for_each([&](const Record& record) {
        ++(record.kind == Kind::Scalar ? report.points : report.values);
        if (record.value != nullptr) {
            for_each_blob(*record.value,
                          [&](const Blob& blob) { blobs.emplace_back(record.key, blob.ref); });
        }
        return true;
    }));
    for (const auto& [key, blob] : blobs) {
        ++report.blobs;
        if (const auto loaded = run.load(blob); !loaded.ok()) {
            report.damage.push_back(
                {"media of " + key, 0, blob.size, 0, 0, loaded.error().message});
        }
    }
    const auto damage = run.damage();
    report.damage.insert(report.damage.begin(), damage.begin(), damage.end());
    return report;
}

void Verify::print(const Session& session, const Report& report) {
    const bool fine = report.damage.empty();
    session.print(
        (fine ? session.styled(Style::Green, "whole  ") : session.styled(Style::Red, "damaged")) +
        "  " + report.info.name + "  " + grouped(report.points) + " points, " +
        grouped(report.values) + " values, " + grouped(report.blobs) + " blobs\n");
    for (const Damage& damage : report.damage) {
        session.print("    " + damage.file + " at byte " + std::to_string(damage.offset) + ", " +
                      grouped(damage.length) + " bytes" +
                      (damage.last_seq > 0 ? ", rows " + std::to_string(damage.first_seq) + "…" +
                                                 std::to_string(damage.last_seq)
                                           : "") +
                      ": " + damage.reason + "\n");
    }
}

ExitCode Verify::run(Session& session) {
    if (targets_.empty()) {
        targets_.emplace_back();
    }
    JsonWriter json(1);
    json.begin_array();
    bool all_fine = true;
    for (const std::string& target : targets_) {
        const auto found = find_runs(session, target, root_);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        for (const std::string& id : found->ids) {
            const auto run = found->catalogue->run(id);
            if (!run.ok()) {
                return session.fail(run.error());
            }
            const auto report = check(**run);
            if (!report.ok()) {
                return session.fail(report.error());
            }
            all_fine = all_fine && report->damage.empty();
            if (!json_) {
                print(session, *report);
            }
            json.begin_object()
                .member("id", report->info.id)
                .member("points", report->points)
                .member("values", report->values);
            json.member("blobs", report->blobs).key("damage").begin_array();
            for (const Damage& damage : report->damage) {
                json.begin_object()
                    .member("file", damage.file)
                    .member("offset", damage.offset)
                    .member("length", damage.length);
                json.member("first_seq", damage.first_seq)
                    .member("last_seq", damage.last_seq)
                    .member("reason", damage.reason);
                json.end_object();
            }
            json.end_array().end_object();
        }
    }
    if (json_) {
        session.print(json.end_array().text() + "\n");
    }
    if (!repair_.empty()) {
        return repair(session);
    }
    return all_fine ? ExitCode::Ok : ExitCode::Failed;
}

/// Ends well when the copy is written: the damage was said above.
ExitCode Verify::repair(const Session& session) const {
#ifdef TAFFRAIL_HAS_TENSORBOARD
    const auto parts = tensorboard::split_spec(targets_.size() == 1 ? targets_.front() : "");
    if (parts.empty()) {
        return session.fail("--repair takes one logdir of event files; give its folder");
    }
    for (const tensorboard::NamedPath& part : parts) {
        const std::string to = part.name.empty() ? repair_ : io::join(repair_, part.name);
        const auto done = tensorboard::repair_logdir(part.path, to);
        if (!done.ok()) {
            return session.fail(done.error());
        }
        session.warn("wrote " + to + ": " + grouped(done->records) + " records in " +
                     grouped(done->event_files) + " event files, " + grouped(done->other_files) +
                     " other files, " + grouped(done->left_out_bytes) + " bytes left out" +
                     (done->retimed_records > 0
                          ? ", " + grouped(done->retimed_records) +
                                " records without a time given that of the one before"
                          : ""));
    }
    return ExitCode::Ok;
#else
    return session.fail("this build has no TensorBoard reader, so nothing to repair with");
#endif
}

}  // namespace

std::unique_ptr<Command> make_du() {
    return std::make_unique<Du>();
}

std::unique_ptr<Command> make_gc() {
    return std::make_unique<Gc>();
}

std::unique_ptr<Command> make_verify() {
    return std::make_unique<Verify>();
}

}  // namespace taffrail::cli
