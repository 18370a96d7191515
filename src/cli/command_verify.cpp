// verify: what is damaged in runs, read from the first byte to the last.
#include "base/grouped.h"
#include "cli/commands.h"
#include "cli/damage.h"
#include "cli/run_profiles.h"
#include "cli/targets.h"
#include "cli/text_format.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "sources/tensorboard/discovery.h"
#include "sources/tensorboard/repair.h"
#include "store/run_check.h"
#include "terminal/text.h"

#include <algorithm>

namespace taffrail::cli {
namespace {

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
        declare_targets(arguments, where_);
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

    static Report check(const RecordedRun& run);
    /// One target; what cannot be opened is a report too, so that the others are checked.
    void check_target(const Session& session, const std::string& target);
    void take(const Session& session, const Report& report);
    static void say_strays(const Session& session, const std::string& path);
    static void print(const Session& session, const Report& report);
    ExitCode repair(const Session& session) const;

    std::vector<std::string> targets_;
    TargetOptions where_;
    std::string repair_;
    bool json_ = false, all_fine_ = true;
    JsonWriter json_text_{1};
};

/// Both the reader and the check of whole files may have met a place.
void add_once(std::vector<Damage>& to, std::vector<Damage> more) {
    for (Damage& damage : more) {
        const bool known = std::any_of(to.begin(), to.end(), [&](const Damage& old) {
            return !old.file.empty() && old.file == damage.file && old.offset == damage.offset;
        });
        if (!known) {
            to.push_back(std::move(damage));
        }
    }
}

Verify::Report Verify::check(const RecordedRun& run) {
    Report report;
    report.info = run.info();
    std::vector<std::pair<std::string, BlobRef>> blobs;
    const auto walked = run.for_each([&](const Record& record) {
        ++(record.kind == Kind::Scalar ? report.points : report.values);
        if (record.value != nullptr) {
            for_each_blob(*record.value,
                          [&](const Blob& blob) { blobs.emplace_back(record.key, blob.ref); });
        }
        return true;
    });
    report.damage = run.damage();
    if (!walked.ok()) {
        report.damage.push_back({report.info.location, 0, 0, 0, 0, walked.error().message});
    }
    if (report.info.source == "taffrail") {
        add_once(report.damage, store::check_run_files(report.info.location));
        add_once(report.damage, check_profiles(report.info.location));
    }
    for (const auto& [key, blob] : blobs) {
        ++report.blobs;
        if (const auto loaded = run.load(blob); !loaded.ok()) {
            report.damage.push_back(
                {"media of " + key, 0, blob.size, 0, 0, loaded.error().message});
        }
    }
    return report;
}

void Verify::print(const Session& session, const Report& report) {
    const bool fine = report.damage.empty();
    session.print(
        (fine ? session.styled(Style::Green, "whole  ") : session.styled(Style::Red, "damaged")) +
        "  " + terminal::without_controls(report.info.name) + "  " + grouped(report.points) +
        " points, " + grouped(report.values) + " values, " + grouped(report.blobs) + " blobs\n");
    for (const Damage& damage : report.damage) {
        session.print("    " + terminal::without_controls(damage_text(damage)) + "\n");
    }
}

void Verify::take(const Session& session, const Report& report) {
    all_fine_ = all_fine_ && report.damage.empty();
    if (!json_) {
        print(session, report);
    }
    json_text_.begin_object()
        .member("id", report.info.id)
        .member("points", report.points)
        .member("values", report.values);
    json_text_.member("blobs", report.blobs).key("damage");
    write_damage(json_text_, report.damage);
    json_text_.end_object();
}

void Verify::say_strays(const Session& session, const std::string& path) {
    for (const std::string& folder : store::find_stray_folders(path)) {
        session.warn(folder + " holds nothing of a run: left alone");
    }
}

void Verify::check_target(const Session& session, const std::string& target) {
    const auto found = find_runs(session, target, where_);
    if (!found.ok()) {
        session.fail(found.error());
        all_fine_ = false;
        return;
    }
    if (found->is_folder) {
        say_strays(session, found->path);
        all_fine_ = report_unreadable(session, *found->catalogue) == ExitCode::Ok && all_fine_;
    }
    for (const std::string& id : found->ids) {
        if (const auto run = found->catalogue->run(id); run.ok()) {
            take(session, check(**run));
        } else {
            Report unreadable;
            unreadable.info.id = unreadable.info.name = id;
            unreadable.damage.push_back({found->path, 0, 0, 0, 0, run.error().message});
            take(session, unreadable);
        }
    }
}

ExitCode Verify::run(Session& session) {
    if (targets_.empty()) {
        targets_.emplace_back();
    }
    json_text_.begin_array();
    for (const std::string& target : targets_) {
        check_target(session, target);
    }
    if (json_) {
        session.print(json_text_.end_array().text() + "\n");
    }
    if (!repair_.empty()) {
        return repair(session);
    }
    return all_fine_ ? ExitCode::Ok : ExitCode::Failed;
}

/// Ends well when the copy is written: the damage was said above.
ExitCode Verify::repair(const Session& session) const {
    const auto parts =
        sources::tensorboard::split_spec(targets_.size() == 1 ? targets_.front() : "");
    if (parts.empty()) {
        return session.fail("--repair takes one logdir of event files; give its folder");
    }
    for (const sources::tensorboard::NamedPath& part : parts) {
        const std::string to = part.name.empty() ? repair_ : io::join(repair_, part.name);
        const auto done = sources::tensorboard::repair_logdir(part.path, to);
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
}

}  // namespace

std::unique_ptr<Command> make_verify() {
    return std::make_unique<Verify>();
}

}  // namespace taffrail::cli
