// The threads that a process shares for pieces of work: as many as there are cores, however many
// questions are asked at once.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

namespace taffrail {

/// Safe from any thread, also from one that the pool runs: the caller works as well, so that
/// nothing waits for a thread that is waiting for it. Threads are started when they are needed
/// first and end with the process.
class WorkPool {
  public:
    /// The one of this process; one helper for each core but the caller's, at least one.
    static WorkPool& shared();

    explicit WorkPool(std::size_t most_helpers) : most_helpers_(most_helpers) {}

    ~WorkPool();
    WorkPool(const WorkPool&) = delete;
    WorkPool& operator=(const WorkPool&) = delete;

    /// Calls `body`, which must not throw, here and on up to `helpers` threads that are free;
    /// returns when every call did. Helpers that are busy until then do not come.
    void run(std::size_t helpers, const std::function<void()>& body);

    /// Threads started so far.
    [[nodiscard]] std::size_t threads() const;

  private:
    struct Job {
        const std::function<void()>* body = nullptr;
        std::size_t wanted = 0, running = 0;
    };

    void work();
    void start_threads(std::size_t wanted);

    const std::size_t most_helpers_;
    mutable std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::list<Job*> jobs_;
    std::size_t idle_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace taffrail
