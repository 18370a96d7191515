// Runs one function on every rank of a world of threads, over any of the transports, and waits for
// all.
#pragma once

#include <taffrail/communicators.h>

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace taffrail::metrics_test {

using RankFunction = std::function<void(Communicator&)>;

inline void join_all(std::vector<std::thread>& threads) {
    for (std::thread& thread : threads) {
        thread.join();
    }
}

inline void on_threads(int world, const RankFunction& work,
                       std::chrono::milliseconds timeout = kCollectiveTimeout) {
    const auto ranks = thread_communicators(world, timeout);
    std::vector<std::thread> threads;
    for (const auto& rank : ranks) {
        threads.emplace_back([&work, rank] { work(*rank); });
    }
    join_all(threads);
}

inline void on_tcp(int world, const RankFunction& work,
                   std::chrono::milliseconds timeout = kCollectiveTimeout) {
    TcpOptions options{.timeout = timeout, .key = "suite"};
    std::vector<TcpListener> listeners;
    for (int rank = 0; rank < world; ++rank) {
        listeners.push_back(listen_on_loopback().value());
        options.hosts.push_back("127.0.0.1:" + std::to_string(listeners.back().port));
    }
    std::vector<std::thread> threads;
    for (int rank = 0; rank < world; ++rank) {
        options.rank = rank;
        options.listener = listeners[static_cast<std::size_t>(rank)].socket;
        threads.emplace_back([&work, options] { work(*connect_tcp(options).value()); });
    }
    join_all(threads);
}

// The adapter, fed with another transport's collectives as if they were NCCL's.
inline CollectiveFunctions functions_of(std::shared_ptr<Communicator> inner) {
    CollectiveFunctions functions;
    functions.rank = inner ? inner->rank() : 0;
    functions.world_size = inner ? inner->world_size() : 1;
    functions.all_gather = [inner](std::span<const std::byte> bytes) {
        return inner->all_gather(bytes);
    };
    functions.group = [inner](std::string_view name,
                              std::span<const int> ranks) -> Result<CollectiveFunctions> {
        auto group = inner->group(name, ranks);
        if (!group.ok()) {
            return group.error();
        }
        return functions_of(*group);
    };
    return functions;
}

inline void on_callbacks(int world, const RankFunction& work,
                         std::chrono::milliseconds timeout = kCollectiveTimeout) {
    const auto ranks = thread_communicators(world, timeout);
    std::vector<std::thread> threads;
    for (const auto& rank : ranks) {
        threads.emplace_back(
            [&work, rank] { work(*callback_communicator(functions_of(rank)).value()); });
    }
    join_all(threads);
}

}  // namespace taffrail::metrics_test
