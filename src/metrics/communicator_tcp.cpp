// Ranks on a list of hosts: the collectives over a mesh of TCP connections.
#include <taffrail/communicators.h>

#include "base/try.h"
#include "metrics/gather_communicator.h"
#include "metrics/tcp_mesh.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>

namespace taffrail {

namespace {

using metrics::Gathered;
using metrics::TcpMesh;

// FNV-1a: the same on every rank and every machine, unlike std::hash.
std::uint64_t stable_hash(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : text) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    }
    return hash;
}

class TcpCommunicator final : public metrics::GatherCommunicator {
  public:
    TcpCommunicator(int rank, std::vector<int> members, std::string name,
                    std::shared_ptr<TcpMesh> mesh)
        : GatherCommunicator(rank, std::move(members), std::move(name)),
          mesh_(std::move(mesh)),
          group_(stable_hash(this->name())) {}

  protected:
    Result<Gathered> exchange(std::span<const std::byte> bytes) override {
        return mesh_->exchange(group_, next_round_++, members(), bytes);
    }

    Result<std::shared_ptr<Communicator>> make_group(NewGroup group) override {
        return std::shared_ptr<Communicator>(
            std::make_shared<TcpCommunicator>(group.rank, std::move(group.world_ranks),
                                              this->name() + "/" + std::string(group.name), mesh_));
    }

  private:
    std::shared_ptr<TcpMesh> mesh_;
    std::uint64_t group_;
    std::uint64_t next_round_ = 0;
};

}  // namespace

Result<std::shared_ptr<Communicator>> connect_tcp(const TcpOptions& options) {
    const int world_size = static_cast<int>(options.hosts.size());
    if (options.rank < 0 || options.rank >= world_size) {
        return Error{ErrorCode::InvalidArgument, "rank " + std::to_string(options.rank) +
                                                     " is not in a host list of " +
                                                     std::to_string(world_size) + " entries"};
    }
    auto mesh = std::make_shared<TcpMesh>(options);
    TAFFRAIL_TRY(mesh->connect());
    std::vector<int> members(options.hosts.size());
    std::iota(members.begin(), members.end(), 0);
    return std::shared_ptr<Communicator>(std::make_shared<TcpCommunicator>(
        options.rank, std::move(members), "world", std::move(mesh)));
}

Result<TcpListener> listen_on_loopback() {
    TcpListener listener;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    listener.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (listener.socket < 0 || ::bind(listener.socket, raw, length) != 0 ||
        ::listen(listener.socket, 128) != 0 || ::getsockname(listener.socket, raw, &length) != 0) {
        const std::string reason = std::strerror(errno);
        if (listener.socket >= 0) {
            ::close(listener.socket);
        }
        return Error{ErrorCode::Io, "cannot listen on loopback: " + reason};
    }
    listener.port = ntohs(address.sin_port);
    return listener;
}

}  // namespace taffrail
