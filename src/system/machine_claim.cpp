#include "system/machine_claim.h"

#include "base/sha256.h"
#include "base/strings.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

namespace taffrail::system {

MachineClaim::MachineClaim(std::string_view name) {
    // A socket name without a file (the first byte is zero) belongs to one process and vanishes
    // with it. The hash makes any name fit.
    const Sha256 hash = sha256(as_bytes(name));
    const std::string text = "taffrail-load-" + to_hex({hash.data(), 16});
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, text.data(), text.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
    socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_ >= 0 && ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), length) != 0) {
        held_ = errno != EADDRINUSE;
    }
}

MachineClaim::~MachineClaim() {
    if (socket_ >= 0) {
        ::close(socket_);
    }
}

}  // namespace taffrail::system
