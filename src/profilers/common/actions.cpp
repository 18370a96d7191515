#include "profilers/common/actions.h"

#include "base/clock.h"

#include <algorithm>

namespace taffrail::profilers {

Actions::Actions() : made_ns_(monotonic_ns()) {}

Result<void> Actions::start(std::string_view action) {
    const std::lock_guard lock(mutex_);
    auto& mine = running_[std::this_thread::get_id()];
    if (std::ranges::any_of(mine, [&](const Running& each) { return *each.name == action; })) {
        return Error{ErrorCode::InvalidArgument,
                     "the action '" + std::string(action) +
                         "' was started while it runs on this thread; stop it first, or use a "
                         "zone, which may nest in itself"};
    }
    auto entry = entries_.find(action);
    if (entry == entries_.end()) {
        entry = entries_.emplace(std::string(action), Entry{}).first;
    }
    Running running{&entry->first, &entry->second, 0, {}};
    if (detail::zones_are_on()) {
        running.zone = detail::enter_zone(detail::named_site(action));
    }
    running.since_ns = monotonic_ns();
    mine.push_back(running);
    return {};
}

Result<void> Actions::stop(std::string_view action) {
    const std::int64_t now = monotonic_ns();
    const std::lock_guard lock(mutex_);
    const auto mine = running_.find(std::this_thread::get_id());
    if (mine != running_.end()) {
        const auto running = std::ranges::find_if(
            mine->second, [&](const Running& each) { return *each.name == action; });
        if (running != mine->second.end()) {
            if (running->zone.node != nullptr) {
                detail::leave_zone(running->zone.node, running->zone.since);
            }
            ++running->entry->calls;
            running->entry->nanoseconds += now - running->since_ns;
            mine->second.erase(running);
            if (mine->second.empty()) {
                running_.erase(mine);  // threads come and go
            }
            return {};
        }
    }
    return Error{ErrorCode::InvalidArgument,
                 "the action '" + std::string(action) +
                     "' was stopped, and does not run on this thread; start it first"};
}

std::vector<ActionTotals> Actions::totals() const {
    const std::lock_guard lock(mutex_);
    std::vector<ActionTotals> totals;
    for (const auto& [name, entry] : entries_) {
        if (entry.calls > 0) {
            totals.push_back({name, entry.calls, static_cast<double>(entry.nanoseconds) * 1e-9});
        }
    }
    return totals;
}

double Actions::elapsed_seconds() const {
    return static_cast<double>(monotonic_ns() - made_ns_) * 1e-9;
}

std::string_view without_owner(std::string_view action) noexcept {
    if (!action.starts_with('[')) {
        return action;
    }
    const std::size_t owner = action.find(']');
    if (owner == std::string_view::npos) {
        return action;
    }
    action.remove_prefix(owner + 1);
    const std::size_t dot = action.rfind('.');
    return dot == std::string_view::npos ? action : action.substr(dot + 1);
}

}  // namespace taffrail::profilers
