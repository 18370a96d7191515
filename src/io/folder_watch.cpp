#include "io/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <set>

namespace taffrail::io {

std::unique_ptr<FolderWatch> FolderWatch::make() {
    const int descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    return descriptor < 0 ? nullptr : std::unique_ptr<FolderWatch>(new FolderWatch(descriptor));
}

FolderWatch::~FolderWatch() {
    ::close(descriptor_);
}

bool FolderWatch::add(const std::string& folder, std::uint64_t owner) {
    const int watch = inotify_add_watch(
        descriptor_, folder.c_str(),
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_ONLYDIR);
    if (watch < 0) {
        return false;
    }
    if (owners_.emplace(watch, owner).second) {
        watches_.emplace(owner, watch);
    }
    return true;
}

void FolderWatch::remove(std::uint64_t owner) {
    const auto [first, end] = watches_.equal_range(owner);
    for (auto each = first; each != end; ++each) {
        inotify_rm_watch(descriptor_, each->second);  // fails where the folder has gone: fine
        owners_.erase(each->second);
    }
    watches_.erase(first, end);
}

FolderWatch::Changes FolderWatch::take() {
    Changes changes;
    std::set<std::uint64_t> owners;
    alignas(inotify_event) std::array<char, 16384> buffer;
    for (;;) {
        const ssize_t got = ::read(descriptor_, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        for (ssize_t at = 0; at < got;) {
            const auto* const event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
            at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
            changes.lost = changes.lost || (event->mask & IN_Q_OVERFLOW) != 0;
            const auto found = owners_.find(event->wd);
            if (found == owners_.end()) {
                continue;
            }
            owners.insert(found->second);
            if ((event->mask & IN_IGNORED) != 0) {
                // The folder has gone, and its watch with it.
                const auto [first, end] = watches_.equal_range(found->second);
                for (auto each = first; each != end; ++each) {
                    if (each->second == event->wd) {
                        watches_.erase(each);
                        break;
                    }
                }
                owners_.erase(found);
            }
        }
    }
    changes.owners.assign(owners.begin(), owners.end());
    return changes;
}

}  // namespace taffrail::io
