#include "io/locks.h"

#include "base/fork_guard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>
#include <tuple>

namespace taffrail::io {
namespace {

using Held = std::tuple<pid_t, std::uint64_t, std::uint64_t>;

struct Table {
    std::mutex mutex;
    std::set<Held> held;
};

// Leaked on purpose: collectors may close rings while statics are being destroyed.
Table& table() {
    static auto* instance = new Table;
    return *instance;
}

std::mutex& table_mutex() {
    return table().mutex;
}

}  // namespace

void guard_locks_over_fork() noexcept {
    guard_over_fork<table_mutex>();
}

int lock_descriptor(int descriptor) noexcept {
    struct stat info{};
    if (fstat(descriptor, &info) != 0) {
        return -1;
    }
    const Held entry{getpid(), info.st_dev, info.st_ino};
    const std::lock_guard guard(table().mutex);
    if (table().held.contains(entry)) {
        return 0;
    }
    struct flock request{};
    request.l_type = F_WRLCK;
    request.l_whence = SEEK_SET;
    if (fcntl(descriptor, F_SETLK, &request) != 0) {
        return errno == EACCES || errno == EAGAIN ? 0 : -1;
    }
    table().held.insert(entry);
    return 1;
}

void forget_lock(int descriptor) noexcept {
    struct stat info{};
    if (fstat(descriptor, &info) == 0) {
        const std::lock_guard guard(table().mutex);
        table().held.erase({getpid(), info.st_dev, info.st_ino});
    }
}

bool holds_lock(std::uint64_t device, std::uint64_t inode) noexcept {
    const std::lock_guard guard(table().mutex);
    return table().held.contains({getpid(), device, inode});
}

}  // namespace taffrail::io
