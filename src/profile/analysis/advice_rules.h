// What the rules share, and their groups.
#pragma once

#include "profile/analysis/look.h"

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::profile::analysis {

const Rule& rule(std::string_view id) noexcept;
bool holds(const Rule& rule, double measured) noexcept;
/// With everything the rule itself says.
Advice begin_advice(std::string_view id, double measured);
/// "step 3, GPU 0": the step of that moment, if there is one, and what else is known of the place.
std::string place_in_steps(const Analysis& analysis, std::int64_t time_ns, std::string_view then);
/// The longest of the events, with where they ran.
void add_evidence(const Look& look, const Analysis& analysis, std::vector<EventNumber> events,
                  Advice& advice);
/// Numbers of events within the steps for which `wanted` holds.
std::vector<EventNumber> events_in_steps(const Look& look, const Analysis& analysis,
                                         const std::function<bool(const Event&)>& wanted);

/// R1, R2, R3, R4, R14.
void advise_on_steps(const Look& look, Analysis& to);
/// R5, R6, R7.
void advise_on_devices(const Look& look, Analysis& to);
/// R8, R9, R10, R11, R15.
void advise_on_launches(const Look& look, Analysis& to);

/// "33.4 %".
inline std::string percent_text(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", share * 100);
    return text;
}

/// "59.3 ms".
inline std::string time_text(double time_ns) {
    char text[32];
    if (time_ns >= 1e9) {
        std::snprintf(text, sizeof text, "%.2f s", time_ns / 1e9);
    } else if (time_ns >= 1e6) {
        std::snprintf(text, sizeof text, "%.1f ms", time_ns / 1e6);
    } else {
        std::snprintf(text, sizeof text, "%.1f µs", time_ns / 1e3);
    }
    return text;
}

}  // namespace taffrail::profile::analysis
