// How ranks of one training job exchange small vectors: what synced metrics need, no more.
#pragma once

#include <taffrail/api.h>
#include <taffrail/result.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

enum class ReduceOp : std::uint8_t { Sum, Min, Max };

/// A group of ranks. Every member makes the same calls in the same order; a member that does not
/// show up within the time-out is named in the error. One thread at a time.
class TAFFRAIL_API Communicator {
  public:
    virtual ~Communicator() = default;
    [[nodiscard]] virtual int rank() const noexcept = 0;
    [[nodiscard]] virtual int world_size() const noexcept = 0;

    virtual Result<void> barrier() = 0;
    virtual Result<void> all_reduce(std::span<double> values, ReduceOp op) = 0;
    /// Exact for counts and weights.
    virtual Result<void> all_reduce(std::span<std::int64_t> values, ReduceOp op) = 0;
    /// The bytes of every rank, in rank order; lengths may differ.
    virtual Result<std::vector<std::vector<std::byte>>> all_gather(
        std::span<const std::byte> bytes) = 0;
    virtual Result<void> broadcast(std::vector<std::byte>& bytes, int root) = 0;

    /// A named group of some of the ranks; every rank calls it with the same arguments. Ranks
    /// outside get a null pointer.
    virtual Result<std::shared_ptr<Communicator>> group(std::string_view name,
                                                        std::span<const int> ranks) = 0;
    /// A group made before. An unknown name is an error, never the whole world.
    [[nodiscard]] virtual Result<std::shared_ptr<Communicator>> find_group(
        std::string_view name) const = 0;
};

}  // namespace taffrail
