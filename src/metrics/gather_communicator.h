// Every collective built on one: "give me everybody's bytes".
//
// Synced metrics exchange a handful of numbers a few times per epoch, so one gather per collective
// costs nothing that matters and buys two things: sums are added in rank order on every rank
// (identical bits everywhere), and each message says what its sender believes it is doing, so ranks
// that run apart are told so by name.
#pragma once

#include <taffrail/api.h>
#include <taffrail/communicator.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::metrics {

using Gathered = std::vector<std::vector<std::byte>>;

/// Visible, because the component taffrail::mpi stands outside of the library.
class TAFFRAIL_API GatherCommunicator : public Communicator {
  public:
    GatherCommunicator(int rank, std::vector<int> members, std::string name);

    /// Ends the wait of whoever stands in a collective of this communicator or its groups, and
    /// fails later ones: a member is known to be gone. Safe from any thread.
    void interrupt(std::string_view why) noexcept;

    /// This rank stops for a reason of its own: whatever collective of the group the others are in,
    /// or come to next, fails there with this rank's name and the reason. Waits until they have
    /// come. Nothing is said after a collective that failed: the others know, or cannot be reached.
    void say_farewell(std::string_view why) noexcept;
    /// A new try: farewells heard before do not count any more.
    void forget_farewells() noexcept;

    [[nodiscard]] int rank() const noexcept override { return rank_; }

    [[nodiscard]] int world_size() const noexcept override {
        return static_cast<int>(members_.size());
    }

    Result<void> barrier() override;
    Result<void> all_reduce(std::span<double> values, ReduceOp op) override;
    Result<void> all_reduce(std::span<std::int64_t> values, ReduceOp op) override;
    Result<Gathered> all_gather(std::span<const std::byte> bytes) override;
    Result<void> broadcast(std::vector<std::byte>& bytes, int root) override;
    Result<std::shared_ptr<Communicator>> group(std::string_view name,
                                                std::span<const int> ranks) override;
    [[nodiscard]] Result<std::shared_ptr<Communicator>> find_group(
        std::string_view name) const override;

  protected:
    /// Everybody's bytes in rank order, own ones included, or an error that names the ranks that
    /// are missing.
    virtual Result<Gathered> exchange(std::span<const std::byte> bytes) = 0;

    /// A group in the making.
    struct NewGroup {
        std::string_view name;
        std::vector<int> ranks;        ///< its members by their ranks here, ascending
        std::vector<int> world_ranks;  ///< the same ones by their ranks in the world
        int rank = 0;                  ///< this process in the group
    };

    /// The communicator of a group this rank belongs to.
    virtual Result<std::shared_ptr<Communicator>> make_group(NewGroup group) = 0;

    /// Called on ranks outside of a new group; some transports must take part in its creation.
    virtual Result<void> skip_group(std::string_view name, const std::vector<int>& ranks);

    /// What interrupt() said, if it was called. Transports that can wait ask now and then.
    [[nodiscard]] std::optional<Error> interrupted() const;

    /// World ranks of this group's members, by rank in the group.
    [[nodiscard]] const std::vector<int>& members() const noexcept { return members_; }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// "rank 2" or "ranks 1, 3" for ranks of this group, by their world numbers.
    [[nodiscard]] std::string name_ranks(const std::vector<int>& ranks) const;

  private:
    struct Group {
        std::vector<int> members;
        std::shared_ptr<Communicator> communicator;
    };

    struct Interruption {
        std::atomic<bool> set = false;
        std::mutex mutex;
        std::string why;
        bool by_farewell = false;
    };

    Result<Gathered> labelled_exchange(std::string_view label, std::span<const std::byte> bytes);
    Result<Gathered> compared_exchange(std::string_view label, std::span<const std::byte> bytes);
    void hear_farewell(const std::string& why);
    template <typename Number>
    Result<void> reduce(std::span<Number> values, ReduceOp op, std::string_view type);

    int rank_;
    std::vector<int> members_;
    std::string name_;
    std::map<std::string, Group, std::less<>> groups_;
    std::shared_ptr<Interruption> interruption_ = std::make_shared<Interruption>();
    bool settled_ = false;  // a collective failed here: nobody waits for a farewell
};

}  // namespace taffrail::metrics
