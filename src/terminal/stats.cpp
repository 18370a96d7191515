#include <taffrail/terminal.h>

#include <algorithm>
#include <mutex>

namespace taffrail {
namespace {

struct Registry {
    std::mutex mutex;
    std::vector<StatInfo> stats = {
        {"ITER_TRAIN_TIME", "Train Iter (time)", StatFormat::Duration},
        {"TOTAL_TRAIN_TIME", "Train Total (time)", StatFormat::Duration},
        {"ETA", "ETA (time)", StatFormat::Duration},
        {"TRAIN_RAYS_PER_SEC", "Train Rays / Sec", StatFormat::Rate},
        {"TEST_RAYS_PER_SEC", "Test Rays / Sec", StatFormat::Rate},
        {"VIS_RAYS_PER_SEC", "Vis Rays / Sec", StatFormat::Rate},
        {"CURR_TEST_PSNR", "Test PSNR", StatFormat::Number},
    };
};

Registry& registry() {
    static auto* instance = new Registry;
    return *instance;
}

}  // namespace

void register_stat(StatInfo info) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto same = std::ranges::find(all.stats, info.name, &StatInfo::name);
    if (same != all.stats.end()) {
        *same = std::move(info);
    } else {
        all.stats.push_back(std::move(info));
    }
}

std::vector<StatInfo> registered_stats() {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    return all.stats;
}

std::optional<StatInfo> find_stat(std::string_view name_or_label) {
    for (StatInfo& info : registered_stats()) {
        if (info.name == name_or_label || info.label == name_or_label) {
            return std::move(info);
        }
    }
    return std::nullopt;
}

}  // namespace taffrail
