// Log calls when memory is gone: a value less, and the training goes on. Replaces operator new, so
// it stands alone.
#include <taffrail/logger.h>
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "io/temporary_folder.h"
#include "metrics/log_fixture.h"
#include "trainer/fixtures.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>

namespace {

thread_local bool no_memory = false;
thread_local std::int64_t until_failure = -1;  // allocations of this thread that still succeed

struct NoMemory {
    NoMemory() { no_memory = true; }

    ~NoMemory() { no_memory = false; }
};

/// One allocation of this thread fails, after so many that do not.
struct OneFails {
    explicit OneFails(std::int64_t after) { until_failure = after; }

    ~OneFails() { until_failure = -1; }

    [[nodiscard]] bool has_failed() const { return until_failure < 0; }
};

bool fails() {
    return no_memory || (until_failure >= 0 && until_failure-- == 0);
}

}  // namespace

// Not inlined: the compiler would see free() beside operator new and take it for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
    void* memory = fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

// std::stable_sort asks this way, and goes on without.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
}

[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto step = static_cast<std::size_t>(alignment);
    void* memory = fails() ? nullptr : std::aligned_alloc(step, (size + step - 1) / step * step);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace taffrail {
namespace {

constexpr const char* kLong = "a/name/that/needs/memory/because/it/is/longer/than/a/small/string";

/// Notes calls without memory of its own.
class NotedCalls final : public metrics::RowOutput {
  public:
    int calls = 0;
    double last = 0;

    void log_metrics(std::span<const metrics::RowEntry>, Step, metrics::Level) override {}

    std::uint32_t bind(std::string_view key) override {
        keys_.emplace_back(key);
        return static_cast<std::uint32_t>(keys_.size() - 1);
    }

    void call(std::uint32_t, double value, Step) noexcept override {
        ++calls;
        last = value;
    }

  private:
    std::vector<std::string> keys_;
};

TEST(LogCallsWithoutMemory, FindingH01_LogLosesAValueAndNotTheTraining) {
    metrics::LogState state = metrics_test::started();
    state.begin_batch(Batch(std::vector<float>(2)), metrics::kNoLoader);
    const metrics::Hook before = state.enter(metrics::Hook::TrainingStep);
    {
        const NoMemory gone;
        metrics_test::log(state, kLong, 1.0);
    }
    EXPECT_FALSE(state.failed()) << "memory that comes back is used again";
    metrics_test::log(state, kLong, 2.0);
    EXPECT_FALSE(state.failed());
    state.leave(before);
    reset_diagnostics();
}

TEST(LogCallsWithoutMemory, FindingH01_ModuleLogOutsideOfATrainerIsIgnoredQuietly) {
    Module module;
    {
        const NoMemory gone;
        module.log(kLong, 1.0);
    }
    reset_diagnostics();
}

// Each allocation of the first call of a name in turn: what was half made must not be in the way of
// the next call.
TEST(LogCallsWithoutMemory, FindingH01_WhicheverAllocationFailsTheNextCallIsWhole) {
    std::int64_t number = 0;
    for (bool failed = true; failed; ++number) {
        NotedCalls output;
        metrics::LogState state = metrics_test::started({.output = &output});
        const Batch batch(std::vector<float>(2));
        state.begin_batch(batch, metrics::kNoLoader);
        const metrics::Hook before = state.enter(metrics::Hook::TrainingStep);
        {
            const OneFails one(number);
            metrics_test::log(state, kLong, 1.0, {.prog_bar = true, .on_epoch = true});
            failed = one.has_failed();
        }
        EXPECT_FALSE(state.failed());
        metrics_test::log(state, kLong, 2.0, {.prog_bar = true, .on_epoch = true});
        state.leave(before);
        state.end_batch();
        EXPECT_EQ(state.callback_metrics().find(std::string(kLong) + "_step"), 2.0) << number;
        EXPECT_EQ(output.calls, failed ? 1 : 2) << number;
        EXPECT_EQ(output.last, 2.0) << number;
        reset_diagnostics();
    }
    EXPECT_GT(number, 5) << "there was something to fail";
}

// The same through a Trainer, a run on a disk and a Logger that tracks the name.
TEST(LogCallsWithoutMemory, FindingH01_ATrainingGoesOnAndRecordsTheNextCall) {
    const test::TemporaryFolder folder;
    taffrail::Run run =
        taffrail::Run::open({.root = folder.file("runs"), .environment = false, .machine_load = {}})
            .value();
    const std::string id = run.id();
    set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    std::int64_t number = 0;
    for (bool failed = true; failed; ++number) {
        const std::string name = kLong + std::to_string(number);
        trainer_test::HookModule module;
        module.train = [&](trainer_test::HookModule& self, std::int64_t index) {
            std::optional<OneFails> one;
            if (index == 0) {
                one.emplace(number);
            }
            self.log(name, static_cast<double>(index));
            failed = one ? one->has_failed() : failed;
        };
        TrainerOptions options = trainer_test::quiet();
        LoggerOptions tracking;
        tracking.tracked_variables = {{"metric", std::vector<std::string>{name}}};
        tracking.print_epochs = false;
        options.loggers = {Logger::make(run, tracking).value()};
        const auto done = Trainer(options).fit(module, {.train = trainer_test::batches(2)});
        ASSERT_TRUE(done.ok()) << number << ": " << done.error().message;
    }
    run.finish().value();
    const auto recorded = read(folder.file("runs")).value()->run(id).value();
    for (std::int64_t one = 0; one < number; ++one) {
        const auto points = recorded->points(kLong + std::to_string(one));
        ASSERT_TRUE(points.ok()) << one;
        EXPECT_EQ(points->back().value, 1.0) << one;
    }
    EXPECT_GT(number, 5);
    set_diagnostic_handler(nullptr);
    reset_diagnostics();
}

}  // namespace
}  // namespace taffrail
