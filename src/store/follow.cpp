#include "store/follow.h"

#include "io/files.h"
#include "store/layout.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace taffrail::storage {

Follower::Follower(std::chrono::milliseconds poll_interval)
    : poll_interval_(poll_interval), descriptor_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    must_poll_ = descriptor_ < 0;
}

Follower::~Follower() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
}

bool Follower::watch(const std::string& folder) {
    if (watches_.contains(folder)) {
        return true;
    }
    const auto place = io::locate(folder);
    const bool local = place.ok() && io::is_local(folder);
    const int watch =
        local && descriptor_ >= 0
            ? inotify_add_watch(descriptor_, place->path.c_str(),
                                IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM)
            : -1;
    if (watch < 0) {
        must_poll_ = true;
        return false;
    }
    watches_[folder] = watch;
    return true;
}

void Follower::watch_run(const std::string& run_folder) {
    for (const std::string& folder :
         {run_folder, io::join(run_folder, kLiveFolder), io::join(run_folder, kMetaFolder)}) {
        if (io::exists(folder)) {
            watch(folder);
        }
    }
}

bool Follower::wait(std::chrono::milliseconds timeout) {
    const auto limit = must_poll_ ? std::min(timeout, poll_interval_) : timeout;
    if (descriptor_ < 0) {
        std::this_thread::sleep_for(limit);
        return limit < timeout;
    }
    pollfd waiting{descriptor_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(limit.count())) <= 0) {
        return must_poll_ && limit <= timeout;
    }
    // What changed does not matter, only that something did; an overflow of the queue is news as
    // well.
    char events[4096];
    while (::read(descriptor_, events, sizeof events) > 0) {
    }
    return true;
}

}  // namespace taffrail::storage
