#include "run/watch.h"

#include "base/diagnostics.h"
#include "codec/tlog/meta.h"
#include "record/threads.h"
#include "system/environment.h"

namespace taffrail::running {
namespace {

void log_load(record::Recorder& recorder,
              const std::vector<std::pair<std::string, double>>& readings) {
    std::vector<std::string_view> names;
    std::vector<double> values;
    for (const auto& [name, value] : readings) {
        names.emplace_back(name);
        values.push_back(value);
    }
    std::size_t offset = 0;
    for (auto* row = recorder.keys().row(names); row != nullptr; row = row->continuation) {
        recorder.log(*row, kAutoStep, values.data() + offset, {.route = kStoreOnly});
        offset += row->width;
    }
}

}  // namespace

Watch::Watch(record::Recorder& recorder, const Settings& settings, const std::string& run_folder)
    : recorder_(recorder) {
    const RunOptions& options = settings.options;
    try {
        // One reading a machine is enough; one snapshot a run is.
        if (options.machine_load && settings.launch.local_rank == 0) {
            load_ = std::make_unique<system::LoadMonitor>(
                system::LoadOptions{.interval = *options.machine_load, .folder = run_folder},
                [&recorder](const auto& readings) { log_load(recorder, readings); });
        }
        if (options.environment && options.rank.value_or(0) == 0) {
            snapshot_ = record::start_quiet_thread("taffrail-env", [&recorder] {
                const Bytes payload = tlog::encode_cells(system::take_environment_snapshot());
                const ByteSpan part = payload;
                recorder.log_bytes(record::BytesKind::Meta,
                                   static_cast<std::uint32_t>(tlog::MetaType::Environment), 0,
                                   {&part, 1});
            });
        }
        if (options.console) {
            auto started = system::ConsoleCapture::start(
                [&recorder](system::ConsoleStream stream, std::int64_t, std::string_view bytes) {
                    const ByteSpan part = as_bytes(bytes);
                    recorder.log_bytes(record::BytesKind::Console,
                                       stream == system::ConsoleStream::Output ? 1 : 2, 0,
                                       {&part, 1});
                });
            if (started.ok()) {
                console_ = *std::move(started);
            } else {
                diagnose(DiagnosticLevel::Warning,
                         "the console is not captured: " + started.error().message);
            }
        }
    } catch (const std::exception& error) {
        diagnose(DiagnosticLevel::Warning,
                 std::string("the machine is not watched: ") + error.what());
    }
}

Watch::~Watch() {
    stop();
}

void Watch::stop() {
    if (console_) {
        console_->stop();
        console_.reset();
    }
    load_.reset();
    if (snapshot_.joinable()) {
        snapshot_.join();
    }
}

}  // namespace taffrail::running
