#include "batches.h"

#include <taffrail/zone.h>

#include "random.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace vae_digits {
namespace {

class Shuffled : public taffrail::Loader {
  public:
    Shuffled(const Digits& data, std::int64_t batches, const Settings& settings, std::uint64_t seed)
        : data_(data),
          batches_(batches),
          size_(settings.batch_size),
          unreadable_(settings.unreadable_batch),
          read_time_(settings.read_ms),
          random_(seed),
          order_(data.labels.size()) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    [[nodiscard]] std::optional<std::int64_t> size() const override { return batches_; }

    void start(std::int64_t) override {
        next_ = 0;
        for (std::size_t i = order_.size() - 1; i > 0; --i) {
            std::swap(order_[i], order_[random_.below(i + 1)]);
        }
    }

    std::optional<taffrail::Batch> next() override {
        if (next_ >= batches_) {
            return std::nullopt;
        }
        if (read_time_.count() > 0) {
            TAFFRAIL_ZONE("read files");
            std::this_thread::sleep_for(read_time_);
        }
        if (next_ + 1 == unreadable_) {
            throw std::runtime_error("batch " + std::to_string(unreadable_) +
                                     " cannot be read (data.unreadable_batch)");
        }
        const auto first = order_.begin() + next_++ * size_;
        return taffrail::Batch(PictureBatch{
            data_.pixels(Eigen::all, std::vector<Eigen::Index>(first, first + size_))});
    }

  private:
    const Digits& data_;
    std::int64_t batches_, next_ = 0;
    int size_, unreadable_;
    std::chrono::milliseconds read_time_;
    Random random_;
    std::vector<Eigen::Index> order_;
};

/// One batch ahead of who asks, made by a thread that does nothing else.
class Ahead : public taffrail::Loader {
  public:
    explicit Ahead(std::shared_ptr<taffrail::Loader> source) : source_(std::move(source)) {
        thread_ = std::thread([this] { work(); });
    }

    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;

    ~Ahead() override {
        hand_over(Turn::End);
        thread_.join();
    }

    [[nodiscard]] std::optional<std::int64_t> size() const override { return source_->size(); }

    void start(std::int64_t epoch) override {
        {
            const auto lock = worker_done();
            made_.reset();  // what an earlier pass has left
            failure_ = nullptr;
        }
        source_->start(epoch);
        hand_over(Turn::Worker);
    }

    std::optional<taffrail::Batch> next() override {
        auto batch = take();
        if (batch) {
            hand_over(Turn::Worker);
        }
        return batch;
    }

  private:
    enum class Turn { Asker, Worker, End };

    void hand_over(Turn turn) {
        {
            const auto lock = worker_done();
            turn_ = turn;
        }
        changed_.notify_all();
    }

    std::unique_lock<std::mutex> worker_done() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return turn_ == Turn::Asker; });
        return lock;
    }

    std::optional<taffrail::Batch> take() {
        const auto lock = worker_done();
        if (failure_) {
            std::rethrow_exception(std::exchange(failure_, nullptr));
        }
        return std::exchange(made_, std::nullopt);
    }

    void work() {
        for (std::unique_lock lock(mutex_);;) {
            changed_.wait(lock, [this] { return turn_ != Turn::Asker; });
            if (turn_ == Turn::End) {
                return;
            }
            try {
                made_ = source_->next();
            } catch (...) {
                failure_ = std::current_exception();  // for who asks: here nobody would catch it
            }
            turn_ = Turn::Asker;
            changed_.notify_all();
        }
    }

    std::shared_ptr<taffrail::Loader> source_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Turn turn_ = Turn::Asker;
    std::optional<taffrail::Batch> made_;
    std::exception_ptr failure_;
    std::thread thread_;
};

}  // namespace

std::shared_ptr<taffrail::Loader> shuffled_batches(const Digits& data, std::int64_t batches,
                                                   const Settings& settings, std::uint64_t seed) {
    auto shuffled = std::make_shared<Shuffled>(data, batches, settings, seed);
    if (settings.workers == 0) {
        return shuffled;
    }
    return std::make_shared<Ahead>(std::move(shuffled));
}

}  // namespace vae_digits
