#include "base/names.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/run_writer.h"
#include "cli/text_format.h"
#include "codec/capture.h"
#include "codec/value_codec.h"

namespace taffrail::cli {
namespace {

class Import final : public Command {
  public:
    std::string_view name() const override { return "import"; }

    std::string_view summary() const override {
        return "Makes native runs of foreign ones, every point and file kept";
    }

    std::string_view example() const override {
        return "taffrail import logs/tensorboard --root taffrail";
    }

    void declare(Arguments& arguments) override {
        arguments.positional(
            "PATHS", paths_,
            "logdirs or other folders a source understands (taffrail list sources)", true);
        declare_root(arguments, root_);
        arguments.option("-p,--project", project_, "NAME",
                         "project of the new runs (default: as found)");
    }

    ExitCode run(Session& session) override {
        for (const std::string& path : paths_) {
            if (auto done = import_all(session, path); !done.ok()) {
                return session.fail(done.error());
            }
        }
        return ExitCode::Ok;
    }

  private:
    Result<void> import_all(const Session& session, const std::string& path) const {
        TAFFRAIL_ASSIGN(const auto catalogue, session.open(path));
        for (const RunInfo& info : catalogue->runs()) {
            TAFFRAIL_ASSIGN(const auto run, catalogue->run(info.id));
            TAFFRAIL_TRY(import_run(session, *run));
        }
        return {};
    }

    Result<void> import_run(const Session& session, const RecordedRun& run) const;

    std::vector<std::string> paths_;
    std::string root_, project_;
};

Result<void> Import::import_run(const Session& session, const RecordedRun& run) const {
    RunInfo info = run.info();
    const std::string source = info.source;
    info.id = make_run_id(info.start_time_ns != 0 ? info.start_time_ns : session.now_ns);
    info.project = project_.empty() ? info.project : project_;
    // Settings come as records too; writing them twice would double them.
    info.config.clear();
    TAFFRAIL_ASSIGN(const auto writer, RunWriter::create(default_root(root_), info));
    std::uint64_t points = 0, values = 0;
    Result<void> status;
    TAFFRAIL_TRY(run.for_each([&](const Record& record) {
        if (record.kind == Kind::Scalar) {
            Point point;
            point.step = record.step, point.time_ns = record.time_ns, point.value = record.scalar;
            point.epoch = record.epoch.value_or(point.epoch);
            point.samples = record.samples.value_or(INT64_MIN);
            point.phase = record.phase;
            status = writer->scalar(record.key, point);
            ++points;
            return status.ok();
        }
        Value value = *record.value;
        for_each_blob(value, [&](Blob& blob) {
            if (blob.bytes == nullptr && status.ok()) {
                auto loaded = run.load(blob.ref);
                if (loaded.ok()) {
                    blob.bytes = *loaded;
                } else {
                    status = loaded.error();
                }
            }
            // A foreign reference may name a place; ours names the bytes.
            if (blob.bytes != nullptr) {
                blob.ref = {};
                seal_blob(blob);
            }
        });
        if (status.ok()) {
            Entry entry;
            entry.step = record.step, entry.time_ns = record.time_ns, entry.phase = record.phase;
            entry.epoch = record.epoch, entry.samples = record.samples;
            entry.value = std::make_shared<const Value>(std::move(value));
            status = writer->value(record.key, entry);
            ++values;
        }
        return status.ok();
    }));
    TAFFRAIL_TRY(status);
    Hparams environment = run.environment();
    environment.emplace_back("import/source", Cell(source));
    environment.emplace_back("import/location", Cell(run.info().location));
    TAFFRAIL_TRY(writer->environment(environment));
    TAFFRAIL_TRY(writer->console(run.console(0, SIZE_MAX)));
    const bool open_ended = info.state == RunState::Running || info.state == RunState::Idle;
    TAFFRAIL_TRY(writer->finish(open_ended ? RunState::Finished : info.state));
    session.print(info.name + "  " + grouped(points) + " points, " + grouped(values) + " values  " +
                  session.styled(Style::Dim, info.id) + "\n");
    return {};
}

}  // namespace

std::unique_ptr<Command> make_import() {
    return std::make_unique<Import>();
}

}  // namespace taffrail::cli
