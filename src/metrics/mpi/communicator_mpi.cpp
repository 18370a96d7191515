// MPI as a transport. Collectives of MPI cannot say who is missing nor give up waiting, so every
// rank sends to every other one and listens with a deadline; the messages are a few hundred bytes.
#include <taffrail/mpi.h>

#include "base/try.h"
#include "metrics/gather_communicator.h"

#include <mpi.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>

namespace taffrail {

namespace {

using metrics::Gathered;
using Clock = std::chrono::steady_clock;

constexpr int kTags = 16384;  // MPI promises at least 32767

// A member is gone: MPI_Finalize would wait for it.
std::atomic<bool> incomplete = false;

Result<void> check(int code, const char* what) {
    if (code == MPI_SUCCESS) {
        return {};
    }
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    return Error{ErrorCode::Unavailable, std::string("MPI ") + what + ": " +
                                             std::string(text, static_cast<std::size_t>(length))};
}

class MpiCommunicator final : public metrics::GatherCommunicator {
  public:
    MpiCommunicator(MPI_Comm ranks, int rank, std::vector<int> members, std::string name,
                    std::chrono::milliseconds timeout)
        : GatherCommunicator(rank, std::move(members), std::move(name)),
          ranks_(ranks),
          timeout_(timeout) {
        // A rank that died shall be an error here, not the end of the job.
        MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
    }

    ~MpiCommunicator() override {
        int finalized = 0;
        MPI_Finalized(&finalized);
        if (finalized == 0) {
            MPI_Comm_free(&ranks_);
        }
    }

  protected:
    Result<Gathered> exchange(std::span<const std::byte> bytes) override {
        const int tag = static_cast<int>(next_round_++ % kTags);
        const auto size = static_cast<std::size_t>(world_size());
        Gathered all(size);
        std::vector<MPI_Request> sends;
        for (int peer = 0; peer < world_size(); ++peer) {
            if (peer == rank()) {
                all[static_cast<std::size_t>(peer)].assign(bytes.begin(), bytes.end());
                continue;
            }
            MPI_Request request = MPI_REQUEST_NULL;
            TAFFRAIL_TRY(check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                                         peer, tag, ranks_, &request),
                               "send"));
            sends.push_back(request);
        }
        std::vector<int> missing;
        for (int peer = 0; peer < world_size(); ++peer) {
            if (peer != rank()) {
                missing.push_back(peer);
            }
        }
        TAFFRAIL_TRY(receive(all, missing, tag));
        TAFFRAIL_TRY(finish_sends(sends));
        return all;
    }

    Result<std::shared_ptr<Communicator>> make_group(NewGroup group) override {
        MPI_Group own = MPI_GROUP_NULL;
        MPI_Group chosen = MPI_GROUP_NULL;
        MPI_Comm ranks = MPI_COMM_NULL;
        TAFFRAIL_TRY(check(MPI_Comm_group(ranks_, &own), "group"));
        TAFFRAIL_TRY(check(
            MPI_Group_incl(own, static_cast<int>(group.ranks.size()), group.ranks.data(), &chosen),
            "group"));
        TAFFRAIL_TRY(check(MPI_Comm_create_group(ranks_, chosen, kTags + 1, &ranks), "group"));
        MPI_Group_free(&chosen);
        MPI_Group_free(&own);
        return std::shared_ptr<Communicator>(std::make_shared<MpiCommunicator>(
            ranks, group.rank, std::move(group.world_ranks),
            this->name() + "/" + std::string(group.name), timeout_));
    }

  private:
    Result<void> receive(Gathered& all, std::vector<int>& missing, int tag) {
        const auto deadline = Clock::now() + timeout_;
        for (int idle = 0; !missing.empty(); ++idle) {
            for (auto peer = missing.begin(); peer != missing.end();) {
                int there = 0;
                MPI_Message message = MPI_MESSAGE_NULL;
                MPI_Status status;
                TAFFRAIL_TRY(
                    check(MPI_Improbe(*peer, tag, ranks_, &there, &message, &status), "receive"));
                if (there == 0) {
                    ++peer;
                    continue;
                }
                int count = 0;
                MPI_Get_count(&status, MPI_BYTE, &count);
                std::vector<std::byte>& to = all[static_cast<std::size_t>(*peer)];
                to.resize(static_cast<std::size_t>(count));
                if (auto received = take(message, to, *peer, deadline); !received.ok()) {
                    incomplete = true;
                    return received;
                }
                peer = missing.erase(peer);
                idle = 0;
            }
            if (auto gone = interrupted(); gone && !missing.empty()) {
                incomplete = true;
                return *gone;
            }
            if (!missing.empty() && Clock::now() >= deadline) {
                incomplete = true;
                return Error{ErrorCode::Timeout, name_ranks(missing) + " of group '" + name() +
                                                     "' did not show up within " +
                                                     std::to_string(timeout_.count()) + " ms"};
            }
            // Ranks usually arrive within microseconds; a slow one must not cost the others a core.
            if (idle > 1000) {
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        }
        return {};
    }

    // The body of a long message comes after its head, and never when the sender is killed between
    // the two.
    Result<void> take(MPI_Message& message, std::vector<std::byte>& to, int peer,
                      Clock::time_point deadline) {
        const auto gone_peer = [&](const std::string& why) {
            return Error{ErrorCode::Unavailable,
                         name_ranks({peer}) + " of group '" + name() + "' is gone: " + why};
        };
        MPI_Request request = MPI_REQUEST_NULL;
        if (auto begun = check(
                MPI_Imrecv(to.data(), static_cast<int>(to.size()), MPI_BYTE, &message, &request),
                "receive");
            !begun.ok()) {
            return gone_peer(begun.error().message);
        }
        for (int idle = 0;; ++idle) {
            int done = 0;
            if (auto tested = check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "receive");
                !tested.ok()) {
                return gone_peer(tested.error().message);
            }
            if (done != 0) {
                return {};
            }
            const auto gone = interrupted();
            if (gone || Clock::now() >= deadline) {
                abandoned_.push_back(std::move(to));  // MPI may still write there
                return gone ? *gone
                            : Error{ErrorCode::Timeout, name_ranks({peer}) + " of group '" +
                                                            name() + "' broke off a message"};
            }
            if (idle > 1000) {
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        }
    }

    // Long messages are taken by their receiver, which may be gone by now.
    Result<void> finish_sends(std::vector<MPI_Request>& sends) {
        const auto deadline = Clock::now() + timeout_;
        for (int idle = 0;; ++idle) {
            int done = 0;
            TAFFRAIL_TRY(check(MPI_Testall(static_cast<int>(sends.size()), sends.data(), &done,
                                           MPI_STATUSES_IGNORE),
                               "send"));
            if (done != 0) {
                return {};
            }
            const auto gone = interrupted();
            if (gone || Clock::now() >= deadline) {
                incomplete = true;
                return gone ? *gone
                            : Error{ErrorCode::Timeout,
                                    "a rank of group '" + name() + "' took no message for " +
                                        std::to_string(timeout_.count()) + " ms"};
            }
            if (idle > 1000) {
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        }
    }

    MPI_Comm ranks_;
    std::chrono::milliseconds timeout_;
    std::vector<std::vector<std::byte>> abandoned_;
    std::uint64_t next_round_ = 0;
};

void finalize() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0 && !incomplete) {
        MPI_Finalize();
    }
}

}  // namespace

Result<std::shared_ptr<Communicator>> mpi_communicator(std::chrono::milliseconds timeout) {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized == 0) {
        int provided = 0;
        TAFFRAIL_TRY(
            check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "start"));
        std::atexit(finalize);
    }
    MPI_Comm world = MPI_COMM_NULL;
    int rank = 0;
    int size = 0;
    TAFFRAIL_TRY(check(MPI_Comm_dup(MPI_COMM_WORLD, &world), "duplicate"));
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    std::vector<int> members(static_cast<std::size_t>(size));
    std::iota(members.begin(), members.end(), 0);
    return std::shared_ptr<Communicator>(
        std::make_shared<MpiCommunicator>(world, rank, std::move(members), "world", timeout));
}

}  // namespace taffrail
