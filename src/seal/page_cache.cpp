#include "seal/page_cache.h"

namespace taffrail::seal {

PageCache& PageCache::shared() {
    // Never destroyed: a file in a global object may be closed after every other global is gone.
    static auto* const cache = new PageCache(256u << 20);
    return *cache;
}

std::uint64_t PageCache::next_file() {
    const std::lock_guard lock(mutex_);
    return ++files_;
}

PageCache::Page PageCache::find(std::uint64_t file, std::size_t column, std::size_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = pages_.find({file, column, number});
    if (found == pages_.end()) {
        return nullptr;
    }
    order_.splice(order_.begin(), order_, found->second.place);
    return found->second.page;
}

void PageCache::keep(std::uint64_t file, std::size_t column, std::size_t number, Page page) {
    const Name name{file, column, number};
    const std::size_t bytes = page->bytes();
    const std::lock_guard lock(mutex_);
    if (bytes > limit_ || pages_.contains(name)) {
        return;
    }
    while (bytes_ + bytes > limit_) {
        drop(pages_.find(order_.back()));
    }
    order_.push_front(name);
    pages_.emplace(name, Kept{std::move(page), order_.begin()});
    bytes_ += bytes;
}

void PageCache::forget(std::uint64_t file) {
    const std::lock_guard lock(mutex_);
    for (auto entry = pages_.lower_bound({file, 0, 0});
         entry != pages_.end() && std::get<0>(entry->first) == file;) {
        drop(entry++);
    }
}

std::size_t PageCache::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

void PageCache::drop(std::map<Name, Kept>::iterator entry) {
    bytes_ -= entry->second.page->bytes();
    order_.erase(entry->second.place);
    pages_.erase(entry);
}

}  // namespace taffrail::seal
