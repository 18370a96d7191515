#include "server/open_runs.h"

namespace taffrail::server {

std::shared_ptr<RecordedRun> OpenRuns::find(const std::string& id) {
    const std::lock_guard lock(mutex_);
    const auto* const found = runs_.find(id);
    return found != nullptr ? *found : nullptr;
}

void OpenRuns::keep(const std::string& id, std::shared_ptr<RecordedRun> run, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    runs_.keep(id, std::move(run), bytes);
}

void OpenRuns::drop(const std::string& id) {
    const std::lock_guard lock(mutex_);
    runs_.drop(id);
}

std::size_t OpenRuns::bytes() const {
    const std::lock_guard lock(mutex_);
    return runs_.weight();
}

std::size_t OpenRuns::estimate(const std::vector<KeyInfo>& keys) {
    constexpr std::size_t kRun = 16u << 10, kKey = 512, kPoint = 16, kEntry = 256;
    std::size_t bytes = kRun + keys.size() * kKey;
    for (const KeyInfo& key : keys) {
        bytes += key.count * (key.kind == Kind::Scalar ? kPoint : kEntry);
    }
    return bytes;
}

}  // namespace taffrail::server
