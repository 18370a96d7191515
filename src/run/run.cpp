// Run: life cycle, handles and scalars. Values are in run_values.cpp.
#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "builtins/builtins.h"
#include "run/run_core.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

namespace taffrail {
namespace {

// Runs that nobody finished when the program ends. A leaked list: the exit handler outlives
// statics.
struct OpenRuns {
    std::mutex mutex;
    std::vector<std::weak_ptr<detail::RunCore>> runs;
    std::uint32_t opened = 0;
};

OpenRuns& open_runs() {
    static auto* runs = new OpenRuns;
    return *runs;
}

void finish_at_exit(int status, void*) {
    std::vector<std::weak_ptr<detail::RunCore>> runs;
    {
        const std::lock_guard guard(open_runs().mutex);
        runs = std::move(open_runs().runs);
    }
    for (const auto& run : runs) {
        if (const auto core = run.lock()) {
            (void)core->finish(status == 0 ? RunState::Finished : RunState::Failed);
        }
    }
}

// Names of a row on the stack for usual widths.
class Names {
  public:
    explicit Names(std::span<const std::pair<std::string_view, double>> values) {
        if (values.size() > small_.size()) {
            large_.resize(values.size());
            large_values_.resize(values.size());
        }
        std::string_view* names = large_.empty() ? small_.data() : large_.data();
        double* numbers = large_.empty() ? small_values_.data() : large_values_.data();
        for (std::size_t i = 0; i < values.size(); ++i) {
            names[i] = values[i].first;
            numbers[i] = values[i].second;
        }
        names_ = {names, values.size()};
        values_ = numbers;
    }

    [[nodiscard]] std::span<const std::string_view> names() const noexcept { return names_; }

    [[nodiscard]] const double* values() const noexcept { return values_; }

  private:
    std::array<std::string_view, 32> small_;
    std::array<double, 32> small_values_;
    std::vector<std::string_view> large_;
    std::vector<double> large_values_;
    std::span<const std::string_view> names_;
    const double* values_ = nullptr;
};

const std::string& no_text() {
    static const auto* empty = new std::string;
    return *empty;
}

}  // namespace

void Scalar::log(double value, Step step) const noexcept {
    if (core_ != nullptr) {
        core_->target().log(*core_, step, &value);
    }
}

void Row::log(Step step, std::span<const double> values) const noexcept {
    if (core_ == nullptr) {
        return;
    }
    if (values.size() != core_->total_width) {
        core_->target().count_error(
            "row.width", "a row was logged with a wrong number of values and is not recorded");
        return;
    }
    const double* next = values.data();
    for (const detail::RowCore* part = core_; part != nullptr; part = part->continuation) {
        part->target().log(*part, step, next);
        next += part->width;
    }
}

std::size_t Row::size() const noexcept {
    return core_ == nullptr ? 0 : core_->total_width;
}

Run::Run() noexcept = default;
Run::Run(Run&&) noexcept = default;

Run::Run(std::shared_ptr<detail::RunCore> core) noexcept : core_(std::move(core)) {}

Run& Run::operator=(Run&& other) noexcept {
    if (this != &other) {
        (void)finish();
        core_ = std::move(other.core_);
    }
    return *this;
}

Run::~Run() {
    (void)finish();
}

Result<Run> Run::open(RunOptions options) {
    auto settings = run::resolve_settings(std::move(options), run::process_variables());
    if (!settings.ok()) {
        return std::move(settings).error();
    }
    if (settings->off) {
        return Run();
    }
    std::uint32_t number = 0;
    {
        static const int registered = on_exit(finish_at_exit, nullptr);
        (void)registered;
        const std::lock_guard guard(open_runs().mutex);
        number = open_runs().opened++;
    }
    auto core = detail::RunCore::open(*std::move(settings), number);
    if (!core.ok()) {
        return std::move(core).error();
    }
    {
        const std::lock_guard guard(open_runs().mutex);
        std::erase_if(open_runs().runs, [](const auto& known) { return known.expired(); });
        open_runs().runs.push_back(*core);
    }
    return Run(*std::move(core));
}

Run init(RunOptions options) noexcept {
    try {
        auto run = Run::open(std::move(options));
        if (run.ok()) {
            return *std::move(run);
        }
        diagnose(DiagnosticLevel::Error, "nothing is recorded: " + run.error().message);
    } catch (const std::exception& error) {
        diagnose(DiagnosticLevel::Error, std::string("nothing is recorded: ") + error.what());
    }
    return {};
}

bool Run::active() const noexcept {
    return core_ != nullptr;
}

const std::string& Run::id() const noexcept {
    return core_ ? core_->id() : no_text();
}

const std::string& Run::name() const noexcept {
    return core_ ? core_->name() : no_text();
}

const std::string& Run::folder() const noexcept {
    return core_ ? core_->folder() : no_text();
}

Scalar Run::scalar(std::string_view key) noexcept {
    Scalar handle;
    if (core_) {
        handle.core_ = core_->recorder().keys().handle({&key, 1});
        if (handle.core_ == nullptr) {
            core_->recorder().count_error("record.key", "a key longer than 64 KiB is not recorded");
        }
    }
    return handle;
}

Row Run::row(std::span<const std::string_view> keys) noexcept {
    Row handle;
    if (core_) {
        handle.core_ = core_->recorder().keys().handle(keys);
        if (handle.core_ == nullptr) {
            core_->recorder().count_error(
                "record.key",
                "a row without keys, or with one longer than 64 KiB, is not recorded");
        }
    }
    return handle;
}

void Run::log(std::string_view key, double value, Step step) noexcept {
    if (!core_) {
        return;
    }
    if (auto* row = core_->recorder().keys().row({&key, 1})) {
        core_->recorder().log(*row, step, &value);
    } else {
        core_->recorder().count_error("record.key", "a key longer than 64 KiB is not recorded");
    }
}

void Run::log(std::initializer_list<std::pair<std::string_view, double>> values,
              Step step) noexcept {
    log_routed(std::span(values.begin(), values.size()), step, {});
}

void Run::log(std::span<const std::pair<std::string_view, double>> values, Step step) noexcept {
    log_routed(values, step, {});
}

void Run::log_routed(std::span<const std::pair<std::string_view, double>> values, Step step,
                     Routing routing) noexcept {
    if (!core_ || values.empty()) {
        return;
    }
    record::Recorder& recorder = core_->recorder();
    try {
        const Names names(values);
        const double* next = names.values();
        const detail::RowCore* row = recorder.keys().row(names.names());
        if (row == nullptr) {
            recorder.count_error("record.key",
                                 "a row with a key longer than 64 KiB is not recorded");
        }
        for (; row != nullptr; row = row->continuation) {
            recorder.log(*row, step, next, routing);
            next += row->width;
        }
    } catch (const std::bad_alloc&) {
        recorder.count_error("record.memory", "out of memory; a row is not recorded");
    }
}

void Run::set_epoch(double epoch) noexcept {
    if (core_) {
        core_->recorder().change_context([&](record::Context& context) { context.epoch = epoch; });
    }
}

void Run::set_samples(std::int64_t samples) noexcept {
    if (core_) {
        core_->recorder().change_context(
            [&](record::Context& context) { context.samples = samples; });
    }
}

void Run::set_phase(Phase phase) noexcept {
    if (core_) {
        core_->recorder().change_context(
            [&](record::Context& context) { context.phase = static_cast<std::uint64_t>(phase); });
    }
}

Result<RouteMask> Run::add_sink(std::string_view name, const OptionMap& options) {
    if (!core_) {
        return kStoreOnly;
    }
    auto sink = make_sink(name, options);
    if (!sink.ok()) {
        return std::move(sink).error();
    }
    const auto info = builtins::find_sink(name);
    return core_->add_sink(
        *std::move(sink), name, std::string(name),
        without_secrets(info ? info->options : std::vector<OptionInfo>(), options));
}

Result<RouteMask> Run::add_sink(std::unique_ptr<Sink> sink, std::string_view name) {
    if (!core_) {
        return kStoreOnly;
    }
    return core_->add_sink(std::move(sink), name, "", {});
}

Result<void> Run::flush() noexcept {
    return core_ ? core_->flush(false) : Result<void>();
}

Result<void> Run::commit() noexcept {
    return core_ ? core_->flush(true) : Result<void>();
}

Result<void> Run::finish(RunState state) noexcept {
    return core_ ? core_->finish(state) : Result<void>();
}

void Run::note_outcome(std::string_view part, RunState state, std::string_view why) noexcept {
    if (core_) {
        core_->note_outcome(part, state, why);
    }
}

Result<void> Run::check() const noexcept {
    return core_ ? core_->check() : Result<void>();
}

RunStats Run::stats() const noexcept {
    return core_ ? core_->recorder().stats() : RunStats();
}

}  // namespace taffrail
