#include "metrics/tcp_mesh.h"

#include "base/sha256.h"
#include "base/try.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

namespace taffrail::metrics {

namespace {

using Clock = std::chrono::steady_clock;

struct Hello {
    std::uint32_t magic = 0x43464154;  // "TAFC" on the wire
    std::uint32_t version = 1;
    std::uint32_t rank = 0;
    std::uint32_t world_size = 0;
    std::array<std::uint8_t, 32> key{};
};

struct Header {
    std::uint64_t group = 0;
    std::uint64_t round = 0;
    std::uint64_t length = 0;
};

// Far above anything a metric exchanges; a longer length is a stray client or a damaged stream.
constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 30;

int milliseconds_until(Clock::time_point deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    return left.count() < 0 ? 0 : static_cast<int>(left.count()) + 1;
}

Error socket_error(const std::string& what) {
    return Error{ErrorCode::Io, what + ": " + std::strerror(errno)};
}

// Whole small message over a non-blocking socket, or false at the deadline or when the other side
// went away.
bool transfer(int socket, void* data, std::size_t size, bool sending, Clock::time_point deadline) {
    auto* position = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t moved = sending ? ::send(socket, position, size, MSG_NOSIGNAL)
                                      : ::recv(socket, position, size, 0);
        if (moved > 0) {
            position += moved;
            size -= static_cast<std::size_t>(moved);
            continue;
        }
        if (moved == 0 || (errno != EAGAIN && errno != EINTR)) {
            return false;
        }
        pollfd wait{socket, static_cast<short>(sending ? POLLOUT : POLLIN), 0};
        if (::poll(&wait, 1, milliseconds_until(deadline)) == 0) {
            return false;
        }
    }
    return true;
}

void prepare(int socket) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    ::fcntl(socket, F_SETFL, O_NONBLOCK);
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
}

struct Address {
    addrinfo* list = nullptr;

    ~Address() {
        if (list != nullptr) {
            ::freeaddrinfo(list);
        }
    }
};

Result<void> resolve(const std::string& entry, bool passive, Address& address) {
    const std::size_t colon = entry.rfind(':');
    if (colon == std::string::npos || colon + 1 == entry.size()) {
        return Error{ErrorCode::InvalidArgument, "'" + entry + "' is not host:port"};
    }
    std::string host = entry.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = passive ? AI_PASSIVE : 0;
    const int failure =
        ::getaddrinfo(host.c_str(), entry.substr(colon + 1).c_str(), &hints, &address.list);
    if (failure != 0) {
        return Error{ErrorCode::NotFound,
                     "cannot resolve '" + entry + "': " + ::gai_strerror(failure)};
    }
    return {};
}

Result<int> listen_on(const std::string& entry) {
    Address address;
    TAFFRAIL_TRY(resolve(entry, true, address));
    const int listener =
        ::socket(address.list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, address.list->ai_protocol);
    const int on = 1;
    if (listener >= 0) {
        ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    }
    if (listener < 0 || ::bind(listener, address.list->ai_addr, address.list->ai_addrlen) != 0 ||
        ::listen(listener, 128) != 0) {
        Error error = socket_error("cannot listen on " + entry);
        if (listener >= 0) {
            ::close(listener);
        }
        return error;
    }
    return listener;
}

Hello make_hello(const TcpOptions& options) {
    Hello hello;
    hello.rank = static_cast<std::uint32_t>(options.rank);
    hello.world_size = static_cast<std::uint32_t>(options.hosts.size());
    hello.key = sha256(std::as_bytes(std::span(options.key.data(), options.key.size())));
    return hello;
}

}  // namespace

TcpMesh::~TcpMesh() {
    for (int peer = 0; peer < world_size(); ++peer) {
        drop(peer);
    }
}

void TcpMesh::drop(int peer) noexcept {
    int& socket = peers_[static_cast<std::size_t>(peer)].socket;
    if (socket >= 0) {
        ::close(socket);
        socket = -1;
    }
}

Result<void> TcpMesh::dial(int peer, Clock::time_point deadline) {
    const std::string& entry = options_.hosts[static_cast<std::size_t>(peer)];
    Address address;
    TAFFRAIL_TRY(resolve(entry, false, address));
    // The other rank may not listen yet: keep trying until the deadline, a little slower each time.
    for (auto pause = std::chrono::milliseconds(2); Clock::now() < deadline;
         pause = std::min(pause * 2, std::chrono::milliseconds(200))) {
        const int socket = ::socket(address.list->ai_family, SOCK_STREAM | SOCK_CLOEXEC,
                                    address.list->ai_protocol);
        if (socket >= 0 &&
            ::connect(socket, address.list->ai_addr, address.list->ai_addrlen) == 0) {
            prepare(socket);
            Hello mine = make_hello(options_);
            Hello theirs;
            if (transfer(socket, &mine, sizeof(mine), true, deadline) &&
                transfer(socket, &theirs, sizeof(theirs), false, deadline)) {
                if (theirs.magic == mine.magic && theirs.rank == static_cast<std::uint32_t>(peer) &&
                    theirs.key == mine.key && theirs.world_size == mine.world_size) {
                    peers_[static_cast<std::size_t>(peer)].socket = socket;
                    return {};
                }
                ::close(socket);
                return Error{ErrorCode::InvalidArgument,
                             entry + " does not answer as rank " + std::to_string(peer) +
                                 " of this job: host list, world size or key differ"};
            }
        }
        if (socket >= 0) {
            ::close(socket);
        }
        std::this_thread::sleep_for(pause);
    }
    return Error{ErrorCode::Timeout, "rank " + std::to_string(peer) + " (" + entry +
                                         ") did not answer within " +
                                         std::to_string(options_.timeout.count()) + " ms"};
}

Result<void> TcpMesh::accept_one(int listener, Clock::time_point deadline) {
    pollfd wait{listener, POLLIN, 0};
    if (::poll(&wait, 1, milliseconds_until(deadline)) <= 0) {
        return {};
    }
    const int socket = ::accept(listener, nullptr, nullptr);
    if (socket < 0) {
        return {};
    }
    prepare(socket);
    // A stranger that connects and says nothing must not eat the time the ranks have.
    const auto patience = std::min(deadline, Clock::now() + std::chrono::seconds(2));
    Hello theirs;
    Hello mine = make_hello(options_);
    const bool heard = transfer(socket, &theirs, sizeof(theirs), false, patience);
    const bool fits = heard && theirs.magic == mine.magic && theirs.version == mine.version &&
                      theirs.world_size == mine.world_size && theirs.key == mine.key &&
                      theirs.rank > mine.rank && theirs.rank < mine.world_size &&
                      peers_[theirs.rank].socket < 0;
    if (heard && theirs.magic == mine.magic) {
        transfer(socket, &mine, sizeof(mine), true, patience);
    }
    if (!fits) {
        ::close(socket);
        return {};
    }
    peers_[theirs.rank].socket = socket;
    return {};
}

Result<void> TcpMesh::connect() {
    const auto deadline = Clock::now() + options_.timeout;
    int listener = options_.listener;
    if (listener < 0 && options_.rank + 1 < world_size()) {
        TAFFRAIL_ASSIGN(listener,
                        listen_on(options_.hosts[static_cast<std::size_t>(options_.rank)]));
    }
    Result<void> outcome;
    for (int peer = 0; outcome.ok() && peer < options_.rank; ++peer) {
        outcome = dial(peer, deadline);
    }
    const auto missing = [&] {
        std::string names;
        for (int peer = options_.rank + 1; peer < world_size(); ++peer) {
            if (peers_[static_cast<std::size_t>(peer)].socket < 0) {
                names += (names.empty() ? "rank " : ", rank ") + std::to_string(peer);
            }
        }
        return names;
    };
    while (outcome.ok() && !missing().empty()) {
        if (Clock::now() >= deadline) {
            outcome =
                Error{ErrorCode::Timeout, missing() + " did not connect within " +
                                              std::to_string(options_.timeout.count()) + " ms"};
            break;
        }
        outcome = accept_one(listener, deadline);
    }
    if (listener >= 0) {
        ::close(listener);
    }
    return outcome;
}

Result<void> TcpMesh::read_some(int peer_rank) {
    Peer& peer = peers_[static_cast<std::size_t>(peer_rank)];
    std::byte buffer[65536];
    const ssize_t received = ::recv(peer.socket, buffer, sizeof(buffer), 0);
    if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR)) {
        drop(peer_rank);
        return Error{ErrorCode::Unavailable, "rank " + std::to_string(peer_rank) +
                                                 " closed its connection: it ended or died"};
    }
    if (received < 0) {
        return {};
    }
    peer.incoming.insert(peer.incoming.end(), buffer, buffer + received);
    std::size_t used = 0;
    while (peer.incoming.size() - used >= sizeof(Header)) {
        Header header;
        std::memcpy(&header, peer.incoming.data() + used, sizeof(header));
        if (header.length > kMaxMessageBytes) {
            drop(peer_rank);
            return Error{ErrorCode::Corrupt, "rank " + std::to_string(peer_rank) +
                                                 " sent a message of impossible length"};
        }
        if (peer.incoming.size() - used - sizeof(Header) < header.length) {
            break;
        }
        const auto* begin = peer.incoming.data() + used + sizeof(Header);
        peer.messages[{header.group, header.round}].assign(begin, begin + header.length);
        used += sizeof(Header) + header.length;
    }
    peer.incoming.erase(peer.incoming.begin(),
                        peer.incoming.begin() + static_cast<std::ptrdiff_t>(used));
    return {};
}

Result<std::vector<std::vector<std::byte>>> TcpMesh::exchange(std::uint64_t group,
                                                              std::uint64_t round,
                                                              std::span<const int> members,
                                                              std::span<const std::byte> bytes) {
    const auto deadline = Clock::now() + options_.timeout;
    const Header header{group, round, bytes.size()};
    std::vector<std::byte> message(sizeof(header) + bytes.size());
    std::memcpy(message.data(), &header, sizeof(header));
    if (!bytes.empty()) {
        std::memcpy(message.data() + sizeof(header), bytes.data(), bytes.size());
    }
    const std::pair key{group, round};
    std::vector<std::size_t> sent(members.size(), 0);
    // Sending and receiving progress together: two ranks that both send much would otherwise wait
    // for each other.
    while (true) {
        std::vector<pollfd> waits;
        std::vector<std::size_t> places;
        std::string missing;
        for (std::size_t place = 0; place < members.size(); ++place) {
            const int member = members[place];
            Peer& peer = peers_[static_cast<std::size_t>(member)];
            if (member == rank()) {
                continue;
            }
            const bool to_send = sent[place] < message.size();
            const bool to_hear = !peer.messages.contains(key);
            if (!to_send && !to_hear) {
                continue;
            }
            if (peer.socket < 0) {
                return Error{ErrorCode::Unavailable,
                             "rank " + std::to_string(member) + " is gone: it ended or died"};
            }
            missing += (missing.empty() ? "rank " : ", rank ") + std::to_string(member);
            waits.push_back({peer.socket, static_cast<short>((to_send ? POLLOUT : 0) | POLLIN), 0});
            places.push_back(place);
        }
        if (waits.empty()) {
            break;
        }
        if (Clock::now() >= deadline) {
            return Error{ErrorCode::Timeout, missing + " did not show up within " +
                                                 std::to_string(options_.timeout.count()) + " ms"};
        }
        ::poll(waits.data(), waits.size(), milliseconds_until(deadline));
        for (std::size_t index = 0; index < waits.size(); ++index) {
            const std::size_t place = places[index];
            if ((waits[index].revents & POLLOUT) != 0) {
                const ssize_t moved = ::send(waits[index].fd, message.data() + sent[place],
                                             message.size() - sent[place], MSG_NOSIGNAL);
                sent[place] += moved > 0 ? static_cast<std::size_t>(moved) : 0;
            }
            if ((waits[index].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
                TAFFRAIL_TRY(read_some(members[place]));
            }
        }
    }
    std::vector<std::vector<std::byte>> all;
    for (const int member : members) {
        if (member == rank()) {
            all.emplace_back(bytes.begin(), bytes.end());
        } else {
            all.push_back(
                std::move(peers_[static_cast<std::size_t>(member)].messages.extract(key).mapped()));
        }
    }
    return all;
}

}  // namespace taffrail::metrics
