#include "seal/page_cache.h"

#include <algorithm>

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
    Kept* const found = pages_.find({file, column, number});
    if (found == nullptr) {
        return nullptr;
    }
    found->used = turn_;
    return found->page;
}

void PageCache::keep(std::uint64_t file, std::size_t column, std::size_t number, Page page) {
    const std::size_t bytes = page->bytes();
    const std::lock_guard lock(mutex_);
    if (bytes <= limit_) {
        pages_.keep({file, column, number}, {std::move(page), turn_}, bytes);
    }
    while (pages_.weight() > limit_) {
        pages_.drop_oldest();
    }
}

void PageCache::set_limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = std::min(bytes, pages_.limit());
    while (pages_.weight() > limit_) {
        pages_.drop_oldest();
    }
}

void PageCache::forget(std::uint64_t file) {
    const std::lock_guard lock(mutex_);
    pages_.drop_range({file, 0, 0}, {file + 1, 0, 0});
}

void PageCache::forget_unused_for(unsigned turns) {
    const std::lock_guard lock(mutex_);
    ++turn_;
    while (pages_.oldest() != nullptr && pages_.oldest()->used + turns < turn_) {
        pages_.drop_oldest();
    }
}

std::size_t PageCache::bytes() const {
    const std::lock_guard lock(mutex_);
    return pages_.weight();
}

}  // namespace taffrail::seal
