#include "model/attempts.h"

#include <algorithm>
#include <memory>
#include <ranges>
#include <set>

namespace taffrail::model {

std::vector<AttemptProcess> one_process_each(std::size_t attempts) {
    std::vector<AttemptProcess> all;
    for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
        all.push_back({.rank = 0,
                       .attempt = static_cast<std::uint32_t>(attempt),
                       .resume_step = std::nullopt});
    }
    return all;
}

void take_step(std::vector<AttemptSteps>& ranges, const Point& point) {
    const auto is_same = [&](const AttemptSteps& range) {
        return range.rank == point.rank && range.attempt == point.attempt;
    };
    auto found = std::ranges::find_if(ranges | std::views::reverse, is_same);
    if (found == ranges.rend()) {
        ranges.push_back({point.rank, point.attempt, point.step, point.step});
        return;
    }
    found->first_step = std::min(found->first_step, point.step);
    found->last_step = std::max(found->last_step, point.step);
}

std::vector<AttemptSteps> attempt_steps(std::span<const Point> points) {
    std::vector<AttemptSteps> ranges;
    for (const Point& point : points) {
        take_step(ranges, point);
    }
    return ranges;
}

WinningRule::WinningRule(std::span<const AttemptProcess> processes,
                         std::span<const AttemptSteps> logged) {
    // R of each process that is known to exist; a process may have none yet.
    std::map<std::pair<std::uint32_t, std::int32_t>, std::optional<Step>> begins;
    const auto begin_at = [&](std::uint32_t attempt, std::int32_t rank, std::optional<Step> step) {
        std::optional<Step>& begin = begins[{attempt, rank}];
        if (step) {
            begin = begin ? std::min(*begin, *step) : *step;
        }
    };
    for (const AttemptProcess& process : processes) {
        begin_at(process.attempt, process.rank, process.resume_step);
    }
    for (const AttemptSteps& range : logged) {
        begin_at(range.attempt, range.rank, range.first_step);
    }
    std::set<std::uint32_t> attempts;
    for (const auto& [who, begin] : begins) {
        attempts.insert(who.first);
    }
    if (attempts.size() < 2) {
        return;
    }
    std::map<std::pair<std::int32_t, std::uint32_t>, Step> last_steps;
    for (const AttemptSteps& range : logged) {
        const auto [at, fresh] =
            last_steps.try_emplace({range.rank, range.attempt}, range.last_step);
        at->second = std::max(at->second, range.last_step);
    }
    for (const auto& [who, last_step] : last_steps) {
        const auto& [rank, attempt] = who;
        std::optional<Step> from;
        // All that are newer, not only the next one: any of them may have gone back the furthest.
        for (auto newer = attempts.upper_bound(attempt); newer != attempts.end(); ++newer) {
            // A rank that was not started again follows rank 0: else what it logged would stay
            // beside what the others logged anew.
            auto begin = begins.find({*newer, rank});
            if (begin == begins.end()) {
                begin = begins.find({*newer, 0});
            }
            if (begin != begins.end() && begin->second) {
                from = from ? std::min(*from, *begin->second) : *begin->second;
            }
        }
        // A process that had ended before R lost nothing. It gets no entry, so that a series that
        // never went back costs what one attempt costs.
        if (from && *from <= last_step) {
            superseded_from_[who] = *from;
            all_win_ = false;
        }
    }
}

std::optional<Step> WinningRule::superseded_from(std::int32_t rank, std::uint32_t attempt) const {
    const auto found = superseded_from_.find({rank, attempt});
    return found == superseded_from_.end() ? std::nullopt : std::optional(found->second);
}

std::function<std::optional<Step>(std::int32_t, std::uint32_t)> superseded_by(WinningRule rule) {
    if (rule.all_win()) {
        return {};
    }
    return [shared = std::make_shared<const WinningRule>(std::move(rule))](std::int32_t rank,
                                                                           std::uint32_t attempt) {
        return shared->superseded_from(rank, attempt);
    };
}

// Asked for each key of each run of a list, where ranges are those of checkpoints: it may say yes
// for nothing, which costs time, and never no.
bool may_supersede(std::span<const AttemptProcess> processes,
                   std::span<const AttemptSteps> logged) noexcept {
    return std::ranges::any_of(logged, [&](const AttemptSteps& older) {
        return std::ranges::any_of(processes,
                                   [&](const AttemptProcess& newer) {
                                       return newer.attempt > older.attempt && newer.resume_step &&
                                              *newer.resume_step <= older.last_step;
                                   }) ||
               std::ranges::any_of(logged, [&](const AttemptSteps& newer) {
                   return newer.attempt > older.attempt && newer.first_step <= older.last_step;
               });
    });
}

std::vector<bool> superseded(std::span<const AttemptProcess> processes,
                             std::span<const Point> points) {
    const WinningRule rule(processes, attempt_steps(points));
    std::vector<bool> flags;
    if (!rule.all_win()) {
        flags.reserve(points.size());
        for (const Point& point : points) {
            flags.push_back(!rule.wins(point));
        }
    }
    return flags;
}

std::vector<Point> choose_attempt(std::vector<Point> points,
                                  std::span<const AttemptProcess> processes,
                                  std::optional<std::uint32_t> attempt) {
    if (attempt) {
        std::erase_if(points, [&](const Point& point) { return point.attempt != *attempt; });
        return points;
    }
    const std::vector<bool> flags = superseded(processes, points);
    return without_flagged(std::move(points), flags);
}

std::vector<Point> without_flagged(std::vector<Point> points, const std::vector<bool>& flags) {
    if (!flags.empty()) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (!flags[i]) {
                points[kept++] = points[i];
            }
        }
        points.resize(kept);
    }
    return points;
}

}  // namespace taffrail::model
