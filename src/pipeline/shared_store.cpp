#include "pipeline/shared_store.h"

#include "base/sha256.h"
#include "codec/value_codec.h"
#include "run/run_core.h"

#include <bit>
#include <cstring>

namespace taffrail::pipeline {

SharedStore::Content SharedStore::content_of(double value) noexcept {
    return {std::bit_cast<std::uint64_t>(value), 0};
}

SharedStore::Content SharedStore::content_of(const Value& value) {
    Bytes all = encode_value(value);
    for_each_blob(value, [&](const Blob& blob) {
        const ByteSpan bytes = blob.bytes ? ByteSpan(*blob.bytes) : ByteSpan();
        const Sha256 hash = sha256(bytes);
        const auto* first = reinterpret_cast<const std::byte*>(hash.data());
        all.insert(all.end(), first, first + hash.size());
    });
    const Sha256 hash = sha256(all);
    Content content;
    std::memcpy(content.data(), hash.data(), sizeof content);
    return content;
}

// A run is known by its core, which outlives every handle; an inert one by its place.
std::shared_ptr<SharedStore> SharedStore::of(const Run& run) {
    static std::mutex mutex;
    static std::map<const void*, std::weak_ptr<SharedStore>> stores;
    const detail::RunCore* const core = detail::RunInside::core(run);
    const void* const name =
        core != nullptr ? static_cast<const void*>(core) : static_cast<const void*>(&run);
    const std::lock_guard lock(mutex);
    std::erase_if(stores, [](const auto& entry) { return entry.second.expired(); });
    auto& known = stores[name];
    auto store = known.lock();
    if (!store) {
        known = store = std::make_shared<SharedStore>();
    }
    return store;
}

SharedStore::Member::Member(const Run& run) : store_(of(run)) {
    ++store_->members_;
}

SharedStore::Member::~Member() {
    --store_->members_;
}

bool SharedStore::Member::puts(std::string_view key, Step step, const Content& content) {
    const std::lock_guard lock(store_->mutex_);
    const auto found = store_->last_.find(key);
    if (found == store_->last_.end()) {
        store_->last_.emplace(std::string(key), Last{step, content, this});
        return true;
    }
    Last& last = found->second;
    if (last.from != this && last.step == step && last.content == content) {
        return false;
    }
    last = {step, content, this};
    return true;
}

}  // namespace taffrail::pipeline
