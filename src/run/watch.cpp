#include "run/watch.h"

#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "codec/tlog/meta.h"
#include "record/identity.h"
#include "system/environment.h"

#include <filesystem>

namespace taffrail::run {
namespace {

constexpr std::string_view kSystem = "system/";

/// Whether several processes, perhaps on several machines, may record this run together.
bool is_shared(const Settings& settings) {
    return settings.options.world_size.value_or(1) > 1 || settings.id_from_variable;
}

/// Where several processes share a run, machines have their own series: system/<host>/…
std::string load_prefix(const Settings& settings) {
    const std::string host = is_shared(settings) ? record::host_name() : std::string();
    return host.empty() ? std::string(kSystem) : std::string(kSystem) + host + '/';
}

void log_load(record::Recorder& recorder, const std::string& prefix,
              const std::vector<std::pair<std::string, double>>& readings) {
    std::vector<std::string> own;
    std::vector<double> values;
    for (const auto& [name, value] : readings) {
        own.push_back(prefix + name.substr(kSystem.size()));
        values.push_back(value);
    }
    const std::vector<std::string_view> names(own.begin(), own.end());
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
        watch_load(settings, run_folder);
        // One snapshot a run is enough.
        if (options.environment && options.rank.value_or(0) == 0) {
            snapshot_ = start_quiet_thread("taffrail-env", [&recorder] {
                const Bytes payload = tlog::encode_cells(*system::shared_environment_snapshot());
                const ByteSpan part = payload;
                recorder.log_bytes(record::BytesKind::Meta,
                                   static_cast<std::uint32_t>(tlog::MetaType::Environment), 0,
                                   {&part, 1});
            });
        }
        if (options.console) {
            watch_console();
        }
    } catch (const std::exception& error) {
        diagnose(DiagnosticLevel::Warning,
                 std::string("the machine is not watched: ") + error.what());
    }
}

// Lines rather than bytes: of a progress bar only the last state is worth keeping.
void Watch::watch_console() {
    auto started = system::ConsoleCapture::start(
        [this](system::ConsoleStream stream, std::int64_t time_ns, std::string_view bytes) {
            lines_[stream == system::ConsoleStream::Output ? 0 : 1].add(time_ns, bytes,
                                                                        log_lines_of(stream));
        });
    if (started.ok()) {
        console_ = *std::move(started);
    } else {
        diagnose(DiagnosticLevel::Warning,
                 "the console is not captured: " + started.error().message);
    }
}

system::LineAssembler::Emit Watch::log_lines_of(system::ConsoleStream stream) {
    return [this, stream](std::int64_t, std::string_view line) {
        const ByteSpan part = as_bytes(line);
        recorder_.log_bytes(record::BytesKind::Console,
                            stream == system::ConsoleStream::Output ? 1 : 2, 0, {&part, 1});
    };
}

void Watch::watch_load(const Settings& settings, const std::string& run_folder) {
    // One reading a machine is enough. Launchers say who is first on a machine; ranks that were
    // set by hand all seem to be, so the machine itself decides.
    if (!settings.options.machine_load || settings.launch.local_rank != 0) {
        return;
    }
    if (is_shared(settings)) {
        claim_ = std::make_unique<system::MachineClaim>(
            std::filesystem::absolute(run_folder).lexically_normal().string());
        if (!claim_->held()) {
            return;
        }
    }
    load_ = std::make_unique<system::LoadMonitor>(
        system::LoadOptions{.interval = *settings.options.machine_load, .folder = run_folder},
        [&recorder = recorder_, prefix = load_prefix(settings)](const auto& readings) {
            log_load(recorder, prefix, readings);
        });
}

Watch::~Watch() {
    stop();
}

void Watch::stop() {
    if (console_) {
        console_->stop();
        console_.reset();
        lines_[0].finish(log_lines_of(system::ConsoleStream::Output));
        lines_[1].finish(log_lines_of(system::ConsoleStream::Errors));
    }
    load_.reset();
    claim_.reset();
    if (snapshot_.joinable()) {
        snapshot_.join();
    }
}

}  // namespace taffrail::run
