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
        const Kept* const found = kept_.find(name);
        if (found != nullptr && found->revision == revision) {
            return found->entries;
        }
    }
    auto read = run.entries(key);
    if (!read) {
        return read.error();
    }
    auto entries = std::make_shared<const std::vector<Entry>>(*std::move(read));
    const std::lock_guard lock(mutex_);
    kept_.keep(name, {revision, entries}, entries->size());
    return entries;
}

}  // namespace taffrail::server
