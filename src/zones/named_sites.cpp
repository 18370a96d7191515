#include "zones/named_sites.h"

#include "zones/thread_zones.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace taffrail::zones {

namespace {

constexpr std::size_t kMostNames = 65'536;
constexpr std::size_t kLongestName = 1024;

struct Hash {
    using is_transparent = void;

    std::size_t operator()(std::string_view text) const noexcept {
        return std::hash<std::string_view>()(text);
    }
};

struct Sites {
    std::mutex mutex;
    std::vector<ZoneSite*> all;
    std::shared_mutex names_mutex;
    std::deque<std::string> texts;
    std::deque<ZoneSite> named;
    std::unordered_map<std::string_view, ZoneSite*, Hash, std::equal_to<>> by_name;
    ZoneSite others{"(names beyond 65,536)"};
};

Sites& sites() {
    static auto* made = new Sites;
    return *made;
}

}  // namespace

std::string_view name_in_signature(std::string_view signature) noexcept {
    // The parameter list is the first '(' outside of angle brackets that does not belong to
    // "operator()" or "(anonymous namespace)"; the name stands before it, from the last space
    // outside of brackets on.
    std::size_t end = std::string_view::npos;
    std::size_t begin = 0;
    int angles = 0;
    for (std::size_t at = 0; at < signature.size(); ++at) {
        const char letter = signature[at];
        if (signature.substr(at).starts_with("operator")) {
            const std::size_t parameters = signature.find('(', at);
            end = signature.substr(at).starts_with("operator()") ? at + 10 : parameters;
            break;
        }
        if (letter == '<') {
            ++angles;
        } else if (letter == '>') {
            --angles;
        } else if (angles == 0 && letter == ' ') {
            begin = at + 1;
        } else if (angles == 0 && letter == '{') {
            at = std::min(signature.find('}', at), signature.size() - 1);
        } else if (angles == 0 && letter == '(') {
            if (signature.substr(at).starts_with("(anonymous")) {
                at = std::min(signature.find(')', at), signature.size() - 1);
                continue;
            }
            end = at;
            break;
        }
    }
    std::string_view name = signature.substr(0, std::min(end, signature.size())).substr(begin);
    while (!name.empty() && (name.front() == '*' || name.front() == '&')) {
        name.remove_prefix(1);
    }
    return name.empty() ? signature : name;
}

std::string_view shown_name(const ZoneSite& site) noexcept {
    return site.function ? name_in_signature(site.name) : site.name;
}

void register_site(ZoneSite& site) noexcept {
    if (site.id.load(std::memory_order_acquire) != 0) {
        return;
    }
    try {
        AllThreads& threads = all_threads();
        const std::lock_guard of_threads(threads.mutex);
        Sites& known = sites();
        const std::lock_guard lock(known.mutex);
        if (site.id.load(std::memory_order_relaxed) != 0) {
            return;
        }
        known.all.push_back(&site);
        const auto id = static_cast<std::uint32_t>(known.all.size());
        if (threads.block != nullptr) {
            threads.block->add_name(id, shown_name(site));
        }
        site.id.store(id, std::memory_order_release);
    } catch (...) {
        // Without a number it is measured all the same, and has no name in the block.
    }
}

std::vector<SiteInfo> sites_from(std::uint32_t after) {
    Sites& known = sites();
    const std::lock_guard lock(known.mutex);
    std::vector<SiteInfo> found;
    for (std::size_t index = after; index < known.all.size(); ++index) {
        const ZoneSite& site = *known.all[index];
        found.push_back({static_cast<std::uint32_t>(index + 1), std::string(shown_name(site)),
                         site.file, site.line});
    }
    return found;
}

}  // namespace taffrail::zones

namespace taffrail::detail {

ZoneSite& named_site(std::string_view name) noexcept {
    zones::Sites& known = zones::sites();
    name = name.substr(0, zones::kLongestName);
    try {
        {
            const std::shared_lock lock(known.names_mutex);
            if (const auto found = known.by_name.find(name); found != known.by_name.end()) {
                return *found->second;
            }
        }
        const std::unique_lock lock(known.names_mutex);
        if (const auto found = known.by_name.find(name); found != known.by_name.end()) {
            return *found->second;
        }
        if (known.named.size() < zones::kMostNames) {
            const std::string_view kept = known.texts.emplace_back(name);
            ZoneSite& site = known.named.emplace_back(kept);
            known.by_name.emplace(kept, &site);
            return site;
        }
    } catch (...) {
        // No memory: one name for all that come now.
    }
    return known.others;
}

}  // namespace taffrail::detail
