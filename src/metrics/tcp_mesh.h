// One TCP connection between each pair of ranks, and "send to all of these, hear from all of these"
// over it.
#pragma once

#include <taffrail/communicators.h>
#include <taffrail/result.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace taffrail::metrics {

/// Owns the sockets of one rank. One thread at a time.
class TcpMesh {
  public:
    explicit TcpMesh(const TcpOptions& options) : options_(options), peers_(options.hosts.size()) {}

    TcpMesh(const TcpMesh&) = delete;
    TcpMesh& operator=(const TcpMesh&) = delete;
    ~TcpMesh();

    /// Connects to all lower ranks and accepts all higher ones; both sides show rank, world size
    /// and key.
    Result<void> connect();

    /// Sends `bytes` to every other rank in `members` and waits for the same round of each of them.
    /// Groups are told apart by `group`, rounds by `round`; messages of other groups that arrive
    /// meanwhile are kept for later.
    Result<std::vector<std::vector<std::byte>>> exchange(std::uint64_t group, std::uint64_t round,
                                                         std::span<const int> members,
                                                         std::span<const std::byte> bytes);

    [[nodiscard]] int rank() const noexcept { return options_.rank; }

    [[nodiscard]] int world_size() const noexcept {
        return static_cast<int>(options_.hosts.size());
    }

  private:
    using Clock = std::chrono::steady_clock;

    struct Peer {
        int socket = -1;
        std::vector<std::byte> incoming;  // bytes of a message that is not complete yet
        std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::byte>> messages;
    };

    Result<void> dial(int peer, Clock::time_point deadline);
    Result<void> accept_one(int listener, Clock::time_point deadline);
    Result<void> read_some(int peer);
    void drop(int peer) noexcept;

    TcpOptions options_;
    std::vector<Peer> peers_;
};

}  // namespace taffrail::metrics
