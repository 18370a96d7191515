// The keys of thousands of runs, for filters and sorts by a metric: those of runs at rest are kept
// between programs.
#include "base/try.h"
#include "store/catalogue.h"

#include <mutex>
#include <utility>

namespace taffrail::store {
namespace {

// Fewer runs are opened faster than a file is looked up; a few new ones are not worth writing it
// anew.
constexpr std::size_t kWorthKeeping = 200;
constexpr std::size_t kKeptForEachNew = 64;

}  // namespace

std::optional<model::KeyCache::Fingerprint> NativeCatalogue::print_at_rest(
    const std::string& folder) const {
    const std::shared_lock lock(mutex_);
    const auto found = runs_.find(folder);
    if (single_run_ || runs_.size() < kWorthKeeping || found == runs_.end() ||
        found->second.info.state == RunState::Running || !found->second.unfinished.empty()) {
        return std::nullopt;
    }
    const Fingerprint& print = found->second.fingerprint;
    return model::KeyCache::Fingerprint{print.run, print.live, print.meta, print.bytes};
}

Result<model::RunKeys> NativeCatalogue::keys(std::string_view id) const {
    TAFFRAIL_ASSIGN(const std::string folder, folder_of(id));
    const auto print = print_at_rest(folder);
    if (print) {
        {
            const std::unique_lock lock(keys_mutex_);
            if (!std::exchange(keys_read_, true)) {
                keys_.read(model::KeyCache::path_for(root_));
            }
        }
        std::optional<ByteSpan> kept;
        {
            const std::shared_lock lock(keys_mutex_);
            kept = keys_.find(folder, *print);
        }
        if (kept) {
            return model::RunKeys{model::KeyCache::decode(*kept), {}};
        }
    }
    TAFFRAIL_ASSIGN(const std::shared_ptr<RecordedRun> run, this->run(id));
    model::RunKeys found{run->keys(), run->damage_met()};
    // What is damaged is read, and told, every time.
    if (print && found.damage.empty()) {
        const std::unique_lock lock(keys_mutex_);
        keys_.add(folder, *print, found.keys);
    }
    return found;
}

NativeCatalogue::~NativeCatalogue() {
    if (keys_.added() == 0 || keys_.added() * kKeptForEachNew < keys_.size()) {
        return;
    }
    const std::string path = model::KeyCache::path_for(root_);
    if (!path.empty()) {
        // Without it the next filter is only slower.
        (void)keys_.write(path, [this](const std::string& folder, const auto& print) {
            return print_at_rest(folder) == print;
        });
    }
}

}  // namespace taffrail::store
