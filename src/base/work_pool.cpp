#include "base/work_pool.h"

#include <algorithm>
#include <exception>

namespace taffrail {

WorkPool& WorkPool::shared() {
    static WorkPool pool(std::max(2u, std::thread::hardware_concurrency()) - 1);
    return pool;
}

WorkPool::~WorkPool() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

std::size_t WorkPool::threads() const {
    const std::lock_guard lock(mutex_);
    return threads_.size();
}

void WorkPool::start_threads(std::size_t wanted) {
    try {
        while (idle_ < wanted && threads_.size() < most_helpers_) {
            threads_.emplace_back([this] { work(); });
            ++idle_;
        }
    } catch (const std::exception&) {
        // No more threads, or no memory for them: those that are there do it.
    }
}

void WorkPool::run(std::size_t helpers, const std::function<void()>& body) {
    Job job{&body, helpers, 0};
    if (helpers > 0) {
        const std::lock_guard lock(mutex_);
        start_threads(helpers);
        jobs_.push_back(&job);
    }
    wake_.notify_all();
    body();
    std::unique_lock lock(mutex_);
    jobs_.remove(&job);
    done_.wait(lock, [&job] { return job.running == 0; });
}

void WorkPool::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto has_work = [](const Job* job) { return job->wanted > 0; };
        wake_.wait(lock, [&] { return ending_ || std::ranges::any_of(jobs_, has_work); });
        if (ending_) {
            return;
        }
        Job& job = **std::ranges::find_if(jobs_, has_work);
        --job.wanted;
        ++job.running;
        --idle_;
        lock.unlock();
        (*job.body)();
        lock.lock();
        ++idle_;
        --job.running;
        done_.notify_all();
    }
}

}  // namespace taffrail
