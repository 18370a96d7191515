#include "run/rolling_seal.h"

#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "store/seal_portions.h"

#include <sys/resource.h>
#include <unistd.h>

#include <system_error>

namespace taffrail::run {

RollingSeal::RollingSeal(std::string run_folder, std::string run_id, std::uint64_t writer,
                         std::uint64_t roll_bytes)
    : run_folder_(std::move(run_folder)),
      run_id_(std::move(run_id)),
      writer_(writer),
      roll_bytes_(roll_bytes) {}

RollingSeal::~RollingSeal() {
    stop();
}

void RollingSeal::note_bytes(std::uint64_t bytes) noexcept {
    if (bytes - asked_at_ < roll_bytes_ || stop_.load(std::memory_order_relaxed)) {
        return;
    }
    asked_at_ = bytes;
    try {
        const std::lock_guard guard(mutex_);
        wanted_ = true;
        if (!thread_.joinable()) {
            thread_ = start_quiet_thread("taffrail-seal", [this] { work(); });
        }
    } catch (const std::system_error&) {
        // finish() seals what nobody sealed before.
    }
    changed_.notify_one();
}

void RollingSeal::work() {
    // Behind the training, but not starved on a machine whose processors are all busy: finish()
    // would have to wait for it.
    constexpr int kNice = 5;
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return wanted_ || stop_.load(); });
            wanted_ = false;
        }
        if (stop_.load()) {
            return;
        }
        try {
            const auto sealed =
                store::seal_rolled(run_folder_, run_id_, writer_, [this] { return !stop_.load(); });
            if (!sealed.ok()) {
                diagnose_once(DiagnosticLevel::Warning, "run.seal",
                              "rolled logs are not sealed while the run goes on: " +
                                  sealed.error().message + "; finish() tries again");
            }
        } catch (const std::exception& error) {
            diagnose_once(DiagnosticLevel::Warning, "run.seal", error.what());
        }
    }
}

void RollingSeal::stop() noexcept {
    {
        const std::lock_guard guard(mutex_);
        stop_.store(true);
    }
    changed_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
}

}  // namespace taffrail::run
