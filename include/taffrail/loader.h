// Where batches come from: loaders with a known length (map style) and streams.
#pragma once

#include <taffrail/api.h>
#include <taffrail/batch.h>
#include <taffrail/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail {

/// Gives the batches of one pass after another. Used by one thread.
class TAFFRAIL_API Loader {
  public:
    virtual ~Loader() = default;

    /// Batches in a pass; nothing for a stream.
    [[nodiscard]] virtual std::optional<std::int64_t> size() const { return std::nullopt; }

    /// A pass begins. `epoch` lets a loader shuffle differently each time.
    virtual void start(std::int64_t epoch) = 0;
    /// The next batch, or nothing at the end of the pass.
    virtual std::optional<Batch> next() = 0;

    /// Passes over batches that a resumed epoch has seen already. The default draws and drops them.
    virtual void skip(std::int64_t batches);

    // For a loader whose next pass depends on more than its number, such as a generator that
    // shuffles: what a checkpoint keeps of it. Asked before start(), and given back before start()
    // of the epoch that is resumed.

    [[nodiscard]] virtual std::string state() const { return ""; }

    virtual Result<void> load_state(std::string_view state);
};

using LoaderList = std::vector<std::shared_ptr<Loader>>;

/// A loader of `size` batches, each made by its number.
TAFFRAIL_API std::shared_ptr<Loader> map_loader(std::int64_t size,
                                                std::function<Batch(std::int64_t index)> make);
/// A loader without a length: `open` begins a pass and gives the function that makes its batches.
TAFFRAIL_API std::shared_ptr<Loader> stream_loader(
    std::function<std::function<std::optional<Batch>()>(std::int64_t epoch)> open);
/// A loader over batches that are at hand.
TAFFRAIL_API std::shared_ptr<Loader> list_loader(std::vector<Batch> batches);

/// At most so many batches, or a share of them.
class BatchLimit {
  public:
    BatchLimit() = default;

    BatchLimit(int batches) : count_(batches) {}  // NOLINT: implicit on purpose

    BatchLimit(std::int64_t batches) : count_(batches) {}  // NOLINT

    BatchLimit(double share) : share_(share) {}  // NOLINT

    [[nodiscard]] std::optional<std::int64_t> count() const noexcept { return count_; }

    [[nodiscard]] double share() const noexcept { return share_; }

    /// The loop does not run at all.
    [[nodiscard]] bool off() const noexcept { return count_ ? *count_ == 0 : share_ == 0; }

  private:
    std::optional<std::int64_t> count_;
    double share_ = 1.0;
};

}  // namespace taffrail
