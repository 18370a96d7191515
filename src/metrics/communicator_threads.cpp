// Ranks that are threads of one process: they meet at a shared table of rounds.
#include <taffrail/communicators.h>

#include "metrics/gather_communicator.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>

namespace taffrail {

namespace {

using metrics::Gathered;

// One collective: who has put its bytes down, and how many have taken everything away.
struct Round {
    std::vector<bool> arrived;
    Gathered bytes;
    std::size_t missing = 0;
    std::size_t taken = 0;
};

// Where the ranks of one group meet. Rounds are numbered by each rank for itself, so a rank may
// already be in the next round while a slow one still reads the last.
struct Hub {
    explicit Hub(std::size_t size_of_group) : size(size_of_group) {}

    std::mutex mutex;
    std::condition_variable changed;
    std::size_t size;
    std::map<std::uint64_t, Round> rounds;
};

// The groups of one world, by name: the first member to ask makes the hub.
struct World {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<Hub>, std::less<>> hubs;
};

class ThreadCommunicator final : public metrics::GatherCommunicator {
  public:
    ThreadCommunicator(int rank, std::vector<int> members, std::string name,
                       std::shared_ptr<World> world, std::shared_ptr<Hub> hub,
                       std::chrono::milliseconds timeout)
        : GatherCommunicator(rank, std::move(members), std::move(name)),
          world_(std::move(world)),
          hub_(std::move(hub)),
          timeout_(timeout) {}

  protected:
    Result<Gathered> exchange(std::span<const std::byte> bytes) override {
        const auto self = static_cast<std::size_t>(rank());
        std::unique_lock lock(hub_->mutex);
        const std::uint64_t number = next_round_++;
        Round& round = hub_->rounds[number];
        if (round.bytes.empty()) {
            round.bytes.resize(hub_->size);
            round.arrived.resize(hub_->size);
            round.missing = hub_->size;
        }
        round.bytes[self].assign(bytes.begin(), bytes.end());
        round.arrived[self] = true;
        if (--round.missing == 0) {
            hub_->changed.notify_all();
        } else if (!hub_->changed.wait_for(lock, timeout_, [&] { return round.missing == 0; })) {
            std::vector<int> absent;
            for (std::size_t member = 0; member < hub_->size; ++member) {
                if (!round.arrived[member]) {
                    absent.push_back(static_cast<int>(member));
                }
            }
            return Error{ErrorCode::Timeout, name_ranks(absent) + " of group '" + name() +
                                                 "' did not show up within " +
                                                 std::to_string(timeout_.count()) + " ms"};
        }
        Gathered all = round.bytes;
        if (++round.taken == hub_->size) {
            hub_->rounds.erase(number);
        }
        return all;
    }

    Result<std::shared_ptr<Communicator>> make_group(NewGroup group) override {
        const std::string path = this->name() + "/" + std::string(group.name);
        const std::lock_guard lock(world_->mutex);
        std::shared_ptr<Hub>& hub = world_->hubs[path];
        if (!hub) {
            hub = std::make_shared<Hub>(group.ranks.size());
        }
        if (hub->size != group.ranks.size()) {
            return Error{ErrorCode::InvalidArgument,
                         "group '" + path + "' was made with other ranks on another rank"};
        }
        return std::shared_ptr<Communicator>(std::make_shared<ThreadCommunicator>(
            group.rank, std::move(group.world_ranks), path, world_, hub, timeout_));
    }

  private:
    std::shared_ptr<World> world_;
    std::shared_ptr<Hub> hub_;
    std::chrono::milliseconds timeout_;
    std::uint64_t next_round_ = 0;
};

}  // namespace

std::vector<std::shared_ptr<Communicator>> thread_communicators(int world_size,
                                                                std::chrono::milliseconds timeout) {
    std::vector<int> members(static_cast<std::size_t>(world_size));
    std::iota(members.begin(), members.end(), 0);
    auto world = std::make_shared<World>();
    auto hub = std::make_shared<Hub>(members.size());
    std::vector<std::shared_ptr<Communicator>> ranks;
    for (int rank = 0; rank < world_size; ++rank) {
        ranks.push_back(
            std::make_shared<ThreadCommunicator>(rank, members, "world", world, hub, timeout));
    }
    return ranks;
}

}  // namespace taffrail
