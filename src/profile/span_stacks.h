// How spans nest, for everything that shows a timeline as stacks.
#pragma once

#include "profile/profile.h"

#include <vector>

namespace taffrail::profile {

/// Name of the metadata that tells what the times of a made-up timeline stand for.
inline constexpr std::string_view kWeightsKey = "weights";

/// Indexes of the spans by thread and begin, outer ones first; async spans are left out.
std::vector<std::uint32_t> nesting_order(const Profile& profile);

void make_stacks_from_spans(Profile& profile);
void make_stacks_from_graph(Profile& profile);

}  // namespace taffrail::profile
