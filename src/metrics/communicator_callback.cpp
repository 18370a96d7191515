// The adapter: collectives of whatever the program already runs on.
#include <taffrail/communicators.h>

#include "base/try.h"
#include "metrics/gather_communicator.h"

#include <numeric>

namespace taffrail {

namespace {

using metrics::Gathered;

class CallbackCommunicator final : public metrics::GatherCommunicator {
  public:
    CallbackCommunicator(CollectiveFunctions functions, std::vector<int> members, std::string name)
        : GatherCommunicator(functions.rank, std::move(members), std::move(name)),
          functions_(std::move(functions)) {}

  protected:
    Result<Gathered> exchange(std::span<const std::byte> bytes) override {
        TAFFRAIL_ASSIGN(Gathered all, functions_.all_gather(bytes));
        if (all.size() != static_cast<std::size_t>(world_size())) {
            return Error{ErrorCode::Internal, "the all_gather function gave " +
                                                  std::to_string(all.size()) + " pieces for " +
                                                  std::to_string(world_size()) + " ranks"};
        }
        return all;
    }

    Result<std::shared_ptr<Communicator>> make_group(NewGroup group) override {
        TAFFRAIL_ASSIGN(CollectiveFunctions functions, ask_for_group(group.name, group.ranks));
        functions.rank = group.rank;
        functions.world_size = static_cast<int>(group.ranks.size());
        return std::shared_ptr<Communicator>(std::make_shared<CallbackCommunicator>(
            std::move(functions), std::move(group.world_ranks), std::string(group.name)));
    }

    Result<void> skip_group(std::string_view name, const std::vector<int>& group_members) override {
        TAFFRAIL_TRY(ask_for_group(name, group_members));
        return {};
    }

  private:
    Result<CollectiveFunctions> ask_for_group(std::string_view name,
                                              const std::vector<int>& group_members) {
        if (!functions_.group) {
            return Error{ErrorCode::Unsupported, "group '" + std::string(name) +
                                                     "' needs CollectiveFunctions::group, which is "
                                                     "not set"};
        }
        return functions_.group(name, group_members);
    }

    CollectiveFunctions functions_;
};

}  // namespace

Result<std::shared_ptr<Communicator>> callback_communicator(CollectiveFunctions functions) {
    if (!functions.all_gather || functions.world_size < 1 || functions.rank < 0 ||
        functions.rank >= functions.world_size) {
        return Error{ErrorCode::InvalidArgument,
                     "a callback communicator needs all_gather and 0 <= rank < world_size"};
    }
    std::vector<int> members(static_cast<std::size_t>(functions.world_size));
    std::iota(members.begin(), members.end(), 0);
    return std::shared_ptr<Communicator>(
        std::make_shared<CallbackCommunicator>(std::move(functions), std::move(members), "world"));
}

}  // namespace taffrail
