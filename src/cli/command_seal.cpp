#include "base/try.h"
#include "cli/commands.h"
#include "cli/native_runs.h"
#include "cli/text_format.h"
#include "store/sealing.h"
#include "terminal/format.h"

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
        arguments.flag("-a,--all", all_, "every run of the root that has ended");
        declare_root(arguments, root_);
    }

    ExitCode run(Session& session) override {
        if (targets_.empty() && !all_) {
            return session.wrong_usage("seal: say which runs to seal, or --all");
        }
        if (all_) {
            targets_.assign(1, "");
        }
        const auto found = find_native_runs(session, targets_, root_, false);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        ExitCode outcome = ExitCode::Ok;
        for (const NativeRun& run : *found) {
            if (run.info.state == RunState::Running) {
                if (!all_) {
                    return session.fail(run.info.name + " is still being written; finish it first");
                }
                continue;
            }
            if (const auto done = seal(session, run); !done.ok()) {
                outcome = session.fail(done.error());
            }
        }
        return outcome;
    }

  private:
    /// What is sealed already is read once more, and written anew where it is damaged.
    static Result<void> seal(const Session& session, const NativeRun& run) {
        TAFFRAIL_ASSIGN(const auto mended, storage::reseal_damaged(run.folder));
        if (mended) {
            print(session, run.info.name + "  was damaged and is sealed anew: ", *mended);
        }
        TAFFRAIL_ASSIGN(const seal::SealReport report, storage::seal_finished(run.folder));
        if (!report.files.empty()) {
            print(session, run.info.name + "  ", report);
        } else if (!mended) {
            session.print(run.info.name + "  already sealed\n");
        }
        return {};
    }

    static void print(const Session& session, const std::string& head,
                      const seal::SealReport& report) {
        std::uint64_t bytes = 0;
        for (const auto& file : report.files) {
            bytes += file.bytes;
        }
        session.print(head + grouped(report.points) + " points, " + grouped(report.values) +
                      " values in " + std::to_string(report.files.size()) + " files, " +
                      terminal::format_bytes(static_cast<double>(bytes)) + "\n");
    }

    std::vector<std::string> targets_;
    std::string root_;
    bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_seal() {
    return std::make_unique<Seal>();
}

}  // namespace taffrail::cli
