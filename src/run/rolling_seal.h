// Seals the logs of a run that goes on, as they are rolled: on a thread of its own that runs when
// the machine has nothing better to do.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace taffrail::run {

class RollingSeal {
  public:
    RollingSeal(std::string run_folder, std::string run_id, std::uint64_t writer,
                std::uint64_t roll_bytes);
    ~RollingSeal();

    /// The writer has written that much; quick. The thread begins with the first rolled log.
    void note_bytes(std::uint64_t bytes) noexcept;
    /// Returns when nothing is being sealed any more: the portion under way is completed.
    void stop() noexcept;

  private:
    void work();

    const std::string run_folder_, run_id_;
    const std::uint64_t writer_, roll_bytes_;
    std::uint64_t asked_at_ = 0;  // bytes written when the thread was woken last
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool wanted_ = false;
    std::thread thread_;
};

}  // namespace taffrail::run
