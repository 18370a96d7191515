#include "query/run_set.h"

#include "base/parallel.h"

#include <algorithm>
#include <thread>

namespace taffrail::query {

const KeyInfo* RunDetails::key(std::string_view name, std::optional<Kind> kind) const noexcept {
    const auto found = std::ranges::equal_range(
        keys, name, {}, [](const KeyInfo& entry) { return std::string_view(entry.key); });
    const auto wanted = std::ranges::find(found, kind.value_or(Kind::Scalar), &KeyInfo::kind);
    return wanted != found.end() ? &*wanted : kind || found.empty() ? nullptr : &found.front();
}

void RunSet::parallel(std::size_t count, const std::function<void(std::size_t)>& work,
                      const std::stop_token& stop) {
    for_each_index(count, std::max(2u, std::thread::hardware_concurrency()), work, stop);
    if (stop.stop_requested()) {
        throw Cancelled();
    }
}

}  // namespace taffrail::query
