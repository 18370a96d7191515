#include "server/entry_cache.h"

namespace taffrail::server {

Result<EntryCache::Entries> EntryCache::get(const std::string& id, const RecordedRun& run,
                                            const std::string& key) {
    // Asked before reading: entries that arrive meanwhile make the next call read again rather than
    // be missed.
    const std::uint64_t revision = run.revision();
    const std::pair name(id, key);
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = kept_.find(name);
            found != kept_.end() && found->second.revision == revision) {
            order_.splice(order_.begin(), order_, found->second.place);
            return found->second.entries;
        }
    }
    auto read = run.entries(key);
    if (!read) {
        return read.error();
    }
    auto entries = std::make_shared<const std::vector<Entry>>(*std::move(read));
    const std::lock_guard lock(mutex_);
    const auto [kept, is_new] = kept_.try_emplace(name);
    if (is_new) {
        order_.push_front(name);
        kept->second.place = order_.begin();
    } else {
        size_ -= kept->second.entries->size();
        order_.splice(order_.begin(), order_, kept->second.place);
    }
    kept->second.revision = revision;
    kept->second.entries = entries;
    size_ += entries->size();
    while (size_ > limit_ && order_.size() > 1) {
        drop_oldest();
    }
    return entries;
}

void EntryCache::drop_oldest() {
    const auto found = kept_.find(order_.back());
    size_ -= found->second.entries->size();
    kept_.erase(found);
    order_.pop_back();
}

}  // namespace taffrail::server
