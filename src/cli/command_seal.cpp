#include "base/grouped.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/native_runs.h"
#include "cli/run_json.h"
#include "cli/text_format.h"
#include "store/sealing.h"
#include "terminal/format.h"
#include "terminal/text.h"

namespace taffrail::cli {
namespace {

class Seal final : public Command {
  public:
    std::string_view name() const override { return "seal"; }

    std::string_view summary() const override {
        return "Writes the Parquet form of runs that have ended";
    }

    std::string_view example() const override { return "taffrail seal vae-1\ntaffrail seal --all"; }

    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_, "names, ids or run folders", false);
        arguments.flag("-a,--all", all_,
                       "every run that has ended, of the root or of the folders named");
        declare_targets(arguments, where_);
        arguments.flag("--json", json_, "for machines: what became of each run");
    }

    ExitCode run(Session& session) override {
        if (targets_.empty() && !all_) {
            return session.wrong_usage("seal: say which runs to seal, or --all");
        }
        if (targets_.empty()) {
            targets_.emplace_back();
        }
        const auto found = find_native_runs(session, targets_, where_, folders_of(all_));
        if (!found.ok()) {
            return session.fail(found.error());
        }
        ExitCode outcome = ExitCode::Ok;
        json_text_.begin_array();
        for (const NativeRun& run : *found) {
            if (run.info.deleted && all_) {
                continue;
            }
            if (run.info.state == RunState::Running) {
                if (!all_) {
                    return session.fail(run.info.name + " is still being written; finish it first");
                }
                continue;
            }
            if (const auto done = seal(session, run); !done.ok()) {
                outcome = session.fail(done.error());
                begin_run(json_text_, run.info).member("outcome", "failed");
                json_text_.member("reason", done.error().message).end_object();
            }
        }
        json_text_.end_array();
        if (json_) {
            session.print(json_text_.text() + "\n");
        }
        return outcome;
    }

  private:
    /// What is sealed already is read once more, and written anew where it is damaged.
    Result<void> seal(const Session& session, const NativeRun& run) {
        TAFFRAIL_ASSIGN(const auto mended, store::reseal_damaged(run.folder));
        if (mended) {
            tell(session, run, "sealed anew", "was damaged and is sealed anew: ", *mended);
        }
        TAFFRAIL_ASSIGN(const seal::SealReport report, store::seal_finished(run.folder));
        if (!report.files.empty()) {
            tell(session, run, "sealed", "", report);
        } else if (!mended) {
            tell(session, run, "unchanged", "already sealed", report);
        }
        return {};
    }

    void tell(const Session& session, const NativeRun& run, std::string_view outcome,
              const std::string& words, const seal::SealReport& report) {
        std::uint64_t bytes = 0;
        for (const auto& file : report.files) {
            bytes += file.bytes;
        }
        begin_run(json_text_, run.info).member("outcome", outcome).member("points", report.points);
        json_text_.member("values", report.values)
            .member("files", report.files.size())
            .member("bytes", bytes)
            .end_object();
        if (json_) {
            return;
        }
        session.print(terminal::without_controls(run.info.name) + "  " + words +
                      (report.files.empty()
                           ? std::string()
                           : grouped(report.points) + " points, " + grouped(report.values) +
                                 " values in " + std::to_string(report.files.size()) + " files, " +
                                 terminal::format_bytes(static_cast<double>(bytes))) +
                      "\n");
    }

    std::vector<std::string> targets_;
    TargetOptions where_;
    bool all_ = false, json_ = false;
    JsonWriter json_text_{1};
};

}  // namespace

std::unique_ptr<Command> make_seal() {
    return std::make_unique<Seal>();
}

}  // namespace taffrail::cli
