// Log calls when memory is gone: a value less, and the training goes on. Replaces operator new, so
// it stands alone.
#include <taffrail/module.h>

#include "base/diagnostics.h"
#include "metrics/log_fixture.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {

thread_local bool no_memory = false;

struct NoMemory {
    NoMemory() { no_memory = true; }

    ~NoMemory() { no_memory = false; }
};

}  // namespace

void* operator new(std::size_t size) {
    void* memory = no_memory ? nullptr : std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace taffrail {
namespace {

constexpr const char* kLong = "a/name/that/needs/memory/because/it/is/longer/than/a/small/string";

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

}  // namespace
}  // namespace taffrail
