// One part of a profile from another, where a format needs a part that the file did not have.
// Each function adds its part once and does nothing when it is there already.
#pragma once

#include "profile/profile.h"

namespace taffrail::profile {

/// Stacks with self time and calls: from the nesting of spans, else from the call graph. A call
/// graph knows no stacks: time of a function is divided among its callers in proportion, and the
/// notes say so.
void make_stacks(Profile& profile);

/// Functions and calls with self and total weights, from the stacks.
void make_graph(Profile& profile);

/// Spans: the samples of each thread laid end to end, in their order, equal neighbours as one.
/// Weights that are no time take a microsecond a unit, and the metadata says so.
void make_timeline(Profile& profile);

/// The value a flame graph or a table is about: `wanted` by name or unit, else the last time, else
/// the last type that counts no calls. kNone when nothing fits.
std::size_t main_value(const Profile& profile, std::string_view wanted = {});

/// The column that counts calls, or kNone.
std::size_t calls_value(const Profile& profile);

/// For every node the sum of one value over itself and everything below.
std::vector<double> self_by_node(const Profile& profile, std::size_t value);
/// Adds children to their parents, in place.
void sum_up(const CallTree& tree, std::vector<double>& by_node);

}  // namespace taffrail::profile
