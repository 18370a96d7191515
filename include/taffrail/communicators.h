// The ready Communicators: one process alone, threads of one process, TCP over a list of hosts, and
// an adapter for whatever a program already has (NCCL, torch.distributed, …). MPI is the component
// taffrail::mpi.
#pragma once

#include <taffrail/api.h>
#include <taffrail/communicator.h>

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// How long a collective waits for the other ranks before it fails and names the missing ones.
inline constexpr std::chrono::milliseconds kCollectiveTimeout = std::chrono::seconds(60);

/// A world of one rank.
TAFFRAIL_API [[nodiscard]] std::shared_ptr<Communicator> single_communicator();

/// `world_size` communicators for the threads of one process; hand one to each.
TAFFRAIL_API [[nodiscard]] std::vector<std::shared_ptr<Communicator>> thread_communicators(
    int world_size, std::chrono::milliseconds timeout = kCollectiveTimeout);

struct TcpOptions {
    /// "host:port" of every rank, in rank order; each rank listens on its own entry.
    std::vector<std::string> hosts = {};
    int rank = 0;
    /// For connecting and for every collective.
    std::chrono::milliseconds timeout = kCollectiveTimeout;
    /// Ranks that do not know the same key are refused. Not a secret channel: use a private
    /// network.
    std::string key = {};
    /// An already listening socket for this rank's entry (tests let the system choose the port); -1
    /// = open one.
    int listener = -1;
};

/// Connects all ranks with each other; returns when every pair is connected.
TAFFRAIL_API Result<std::shared_ptr<Communicator>> connect_tcp(const TcpOptions& options);

/// A socket that listens on loopback at a port the system chose, and that port: for launchers and
/// tests.
struct TcpListener {
    int socket = -1;
    int port = 0;
};

TAFFRAIL_API Result<TcpListener> listen_on_loopback();

/// Collectives the program already has. `all_gather` is the only one needed.
struct CollectiveFunctions {
    int rank = 0;
    int world_size = 1;
    /// The bytes of every rank in rank order; lengths may differ.
    std::function<Result<std::vector<std::vector<std::byte>>>(std::span<const std::byte>)>
        all_gather = {};
    /// The functions of a group of these ranks; called on every rank, also on those outside.
    /// Without it groups fail.
    std::function<Result<CollectiveFunctions>(std::string_view name, std::span<const int> ranks)>
        group = {};
};

TAFFRAIL_API Result<std::shared_ptr<Communicator>> callback_communicator(
    CollectiveFunctions functions);

}  // namespace taffrail
