// The sources that can be read, by name. Built-in ones are added by src/open/, others by whoever
// has one.
#include <taffrail/reader.h>

#include <algorithm>
#include <mutex>

namespace taffrail {
namespace {

struct Registry {
    std::mutex mutex;
    std::vector<SourceInfo> sources;
};

Registry& registry() {
    static Registry instance;
    return instance;
}

}  // namespace

void register_source(SourceInfo info) {
    Registry& all = registry();
    const std::scoped_lock lock(all.mutex);
    const auto same = std::ranges::find(all.sources, info.name, &SourceInfo::name);
    if (same != all.sources.end()) {
        *same = std::move(info);
    } else {
        all.sources.push_back(std::move(info));
    }
}

std::vector<SourceInfo> registered_sources() {
    Registry& all = registry();
    const std::scoped_lock lock(all.mutex);
    return all.sources;
}

}  // namespace taffrail
