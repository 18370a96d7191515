// One snapshot for all runs that a process opens within a short time. A sweep that makes thousands
// of runs asks git and the drivers once; a notebook that lives for days sees its later commits.
#include "system/environment.h"

#include <unistd.h>

#include <atomic>
#include <mutex>

namespace taffrail::system {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kGoodFor = std::chrono::seconds(30);

struct Shared {
    pid_t process = getpid();
    std::mutex mutex;
    std::shared_ptr<const Hparams> snapshot;
    std::string folder;
    Clock::time_point taken;
};

// A forked child starts over: the lock may have been held when it was made.
Shared& shared() {
    static std::atomic<Shared*> current{nullptr};
    Shared* known = current.load(std::memory_order_acquire);
    if (known == nullptr || known->process != getpid()) {
        auto* fresh = new Shared;
        if (!current.compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) {
            delete fresh;
        }
    }
    return *current.load(std::memory_order_acquire);
}

std::string working_folder() {
    char folder[4096];
    return getcwd(folder, sizeof folder) != nullptr ? folder : "";
}

}  // namespace

std::shared_ptr<const Hparams> shared_environment_snapshot() {
    Shared& state = shared();
    const std::lock_guard guard(state.mutex);
    const std::string folder = working_folder();
    if (!state.snapshot || state.folder != folder || Clock::now() - state.taken > kGoodFor) {
        state.snapshot = std::make_shared<const Hparams>(take_environment_snapshot());
        state.folder = folder;
        state.taken = Clock::now();
    }
    return state.snapshot;
}

}  // namespace taffrail::system
