#include "base/try.h"
#include "cli/commands.h"
#include "cli/export/exporters.h"
#include "cli/session.h"
#include "io/files.h"

#include <cstdio>

#if defined(TAFFRAIL_HAS_TENSORBOARD)
#include "base/names.h"
#include "sinks/tensorboard/sink.h"
#endif

namespace taffrail::cli {
namespace {

class Export final : public Command {
  public:
    std::string_view name() const override { return "export"; }

    std::string_view summary() const override {
        return "Writes runs as JSONL, CSV, Parquet, media files or a TensorBoard logdir";
    }

    std::string_view example() const override {
        return "taffrail export vae-1 --format jsonl --media pictures -o vae-1.jsonl\n"
               "taffrail export logs/tensorboard --format csv --wide";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_,
                             "names, ids, folders or logdirs (default: every run of the root)",
                             false);
        declare_root(arguments, root_);
        arguments.choice("-t,--format", format_,
                         {"jsonl", "csv", "parquet", "media", "tensorboard"}, "what to write");
        arguments.path_option(
            "-o,--output", output_, "PATH",
            "file to write, or folder for tensorboard (default: standard output)");
        arguments.path_option("-m,--media", media_, "DIR",
                              "write pictures, sound, meshes and arrays below this folder");
        arguments.option("-k,--keys", pattern_, "GLOB", "only keys that match");
        arguments.flag("--wide", wide_, "CSV with one column a key instead of one line a point");
    }

    ExitCode run(Session& session) override {
        const Result<void> done = write(session);
        return done.ok() ? ExitCode::Ok : session.fail(done.error());
    }

  private:
    Result<ExportRequest> collect(const Session& session) const;
    Result<void> write(const Session& session) const;
    Result<void> write_tensorboard(const ExportRequest& request) const;
    Result<void> write_as(const ExportRequest& request, const ExportOutput& output) const;

    std::vector<std::string> targets_;
    std::string root_, format_ = "jsonl", output_, media_, pattern_;
    bool wide_ = false;
};

Result<ExportRequest> Export::collect(const Session& session) const {
    ExportRequest request;
    request.pattern = pattern_;
    request.media_folder = media_;
    std::vector<std::string> targets = targets_;
    if (targets.empty()) {
        targets.emplace_back();
    }
    for (const std::string& target : targets) {
        TAFFRAIL_ASSIGN(const Target found, find_runs(session, target, root_));
        for (const std::string& id : found.ids) {
            TAFFRAIL_ASSIGN(auto run, found.catalogue->run(id));
            request.runs.push_back(std::move(run));
        }
    }
    return request;
}

Result<void> Export::write_as(const ExportRequest& request, const ExportOutput& output) const {
    if (format_ == "csv") {
        return wide_ ? export_csv_wide(request, output) : export_csv_tidy(request, output);
    }
    if (format_ == "parquet") {
        return export_parquet(request, output);
    }
    return format_ == "media" ? export_media(request, output) : export_jsonl(request, output);
}

Result<void> Export::write_tensorboard([[maybe_unused]] const ExportRequest& request) const {
    if (output_.empty()) {
        return Error{ErrorCode::InvalidArgument,
                     "--format tensorboard writes a folder; say which with -o DIR"};
    }
#if defined(TAFFRAIL_HAS_TENSORBOARD)
    for (const auto& run : request.runs) {
        const RunInfo info = run->info();
        TAFFRAIL_TRY(tensorboard::export_to_logdir(
            *run, io::join(output_, folder_safe(info.name) + "-" + info.id)));
    }
    return {};
#else
    return Error{ErrorCode::Unsupported, "this build has no TensorBoard writer"};
#endif
}

Result<void> Export::write(const Session& session) const {
    if (format_ == "media" && media_.empty()) {
        return Error{ErrorCode::InvalidArgument, "--format media needs a folder: --media DIR"};
    }
    TAFFRAIL_ASSIGN(const ExportRequest request, collect(session));
    if (format_ == "tensorboard") {
        return write_tensorboard(request);
    }
    if (output_.empty() || output_ == "-") {
        return write_as(request, [&](std::string_view bytes) -> Result<void> {
            session.print(bytes);
            return {};
        });
    }
    TAFFRAIL_TRY(io::make_directories(io::parent(output_)));
    TAFFRAIL_ASSIGN(const auto file, io::open(output_, io::OpenMode::Truncate));
    return write_as(request, [&](std::string_view bytes) { return file->append(as_bytes(bytes)); });
}

}  // namespace

std::unique_ptr<Command> make_export() {
    return std::make_unique<Export>();
}

}  // namespace taffrail::cli
