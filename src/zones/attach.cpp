#include "zones/attach.h"

#include "zones/named_sites.h"
#include "zones/this_thread.h"

namespace taffrail::zones {

Result<void> attach_open_block(const std::string& path) {
    AllThreads& all = all_threads();
    const std::lock_guard lock(all.mutex);
    if (all.block != nullptr) {
        return {};
    }
    auto made = OpenBlock::create(path);
    if (!made.ok()) {
        return std::move(made).error();
    }
    // A thread may just be storing through the block that was detached last, so its addresses stay;
    // what it stores then is one entry of this block, until its next zone.
    if (!all.detached.empty() && (*made)->move_to_place_of(*all.detached.back())) {
        delete all.detached.back();
        all.detached.pop_back();
    }
    for (const SiteInfo& site : sites_from(0)) {
        (*made)->add_name(site.id, site.name);
    }
    all.detached.reserve(all.detached.size() + 1);
    all.block = made->release();
    for (ThreadZones* zones : all.threads) {
        if (!zones->ended.load(std::memory_order_acquire)) {
            show_open(all, *zones);
        }
    }
    return {};
}

void detach_open_block() noexcept {
    AllThreads& all = all_threads();
    const std::lock_guard lock(all.mutex);
    if (all.block == nullptr) {
        return;
    }
    for (ThreadZones* zones : all.threads) {
        zones->open.store(&zones->own_open, std::memory_order_release);
    }
    all.block->remove_file();
    all.block->abandon();
    all.detached.push_back(all.block);  // there is room
    all.block = nullptr;
}

}  // namespace taffrail::zones
