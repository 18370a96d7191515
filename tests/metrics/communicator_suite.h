// What every Communicator must do, whatever carries it: called on each rank of a world of four.
// Returns what went wrong, empty when nothing did, so that the same text runs under GoogleTest and
// under mpirun.
#pragma once

#include <taffrail/communicator.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace taffrail::metrics_test {

inline std::string check_collectives(Communicator& world) {
    const int rank = world.rank();
    const int size = world.world_size();
    const auto fail = [&](const std::string& what) {
        return "rank " + std::to_string(rank) + ": " + what;
    };
    if (auto done = world.barrier(); !done.ok()) {
        return fail(done.error().message);
    }
    std::vector<double> numbers{static_cast<double>(rank), 1.0, 0.1 * (rank + 1)};
    if (!world.all_reduce(numbers, ReduceOp::Sum).ok() || numbers[0] != size * (size - 1) / 2.0 ||
        numbers[1] != size) {
        return fail("sum of numbers");
    }
    numbers = {static_cast<double>(rank), -static_cast<double>(rank)};
    if (!world.all_reduce(numbers, ReduceOp::Max).ok() || numbers[0] != size - 1 ||
        numbers[1] != 0) {
        return fail("max of numbers");
    }
    numbers = {rank == size - 1 ? std::nan("") : 1.0};
    if (!world.all_reduce(numbers, ReduceOp::Min).ok() || !std::isnan(numbers[0])) {
        return fail("a NaN on one rank must survive a min");
    }
    // 2^53 + 1 has no double: only exact integer arithmetic gets this right.
    std::vector<std::int64_t> counts{(std::int64_t{1} << 53) + 1, rank};
    if (!world.all_reduce(counts, ReduceOp::Sum).ok() ||
        counts[0] != size * ((std::int64_t{1} << 53) + 1)) {
        return fail("sum of integers");
    }
    // Lengths differ, one is empty, one is larger than any socket buffer.
    std::vector<std::byte> mine(rank == 0   ? 0
                                : rank == 1 ? 3'000'000
                                            : static_cast<std::size_t>(rank),
                                static_cast<std::byte>(rank));
    auto all = world.all_gather(mine);
    if (!all.ok() || all->size() != static_cast<std::size_t>(size)) {
        return fail("all_gather");
    }
    for (int other = 0; other < size; ++other) {
        const auto& bytes = (*all)[static_cast<std::size_t>(other)];
        const std::size_t expected = other == 0   ? 0
                                     : other == 1 ? 3'000'000
                                                  : static_cast<std::size_t>(other);
        if (bytes.size() != expected ||
            (!bytes.empty() && bytes.back() != static_cast<std::byte>(other))) {
            return fail("all_gather piece of rank " + std::to_string(other));
        }
    }
    std::vector<std::byte> word(rank == size - 1 ? 5 : 0, std::byte{7});
    if (!world.broadcast(word, size - 1).ok() || word != std::vector<std::byte>(5, std::byte{7})) {
        return fail("broadcast");
    }
    if (world.broadcast(word, size).ok()) {
        return fail("broadcast from a rank that does not exist must fail");
    }
    return {};
}

inline std::string check_groups(Communicator& world) {
    const int rank = world.rank();
    const auto fail = [&](const std::string& what) {
        return "rank " + std::to_string(rank) + ": " + what;
    };
    if (world.find_group("low").ok()) {
        return fail("an unknown group must be an error, never the world");
    }
    const int low_ranks[] = {0, 1};
    const int high_ranks[] = {3, 2};
    auto low = world.group("low", low_ranks);
    auto high = world.group("high", high_ranks);
    if (!low.ok() || !high.ok() || (rank < 2) != (*low != nullptr) ||
        (rank < 2) != (*high == nullptr)) {
        return fail("groups {0,1} and {2,3}");
    }
    if (world.find_group(rank < 2 ? "high" : "low").ok()) {
        return fail("a group this rank is outside of must be an error");
    }
    auto own = world.find_group(rank < 2 ? "low" : "high");
    if (!own.ok() || (*own)->world_size() != 2 || (*own)->rank() != rank % 2) {
        return fail("find_group");
    }
    // Groups and world interleave differently on the two sides.
    std::vector<double> mean{static_cast<double>(rank)};
    if (!(*own)->all_reduce(mean, ReduceOp::Sum).ok() || mean[0] != (rank < 2 ? 1 : 5)) {
        return fail("sum in group");
    }
    for (int round = 0; round < (rank < 2 ? 3 : 1); ++round) {
        if (!(*own)->barrier().ok()) {
            return fail("barrier in group");
        }
    }
    if (!world.barrier().ok()) {
        return fail("barrier of the world after groups");
    }
    if (world.group("low", high_ranks).ok()) {
        return fail("the same group name with other ranks must fail");
    }
    const int wrong[] = {0, 4};
    if (world.group("wrong", wrong).ok()) {
        return fail("a group with a rank that does not exist must fail");
    }
    return {};
}

}  // namespace taffrail::metrics_test
