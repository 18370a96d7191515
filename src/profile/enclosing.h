// Which span a moment of a timeline belongs to: how what is recorded beside zones (launches,
// allocations, shapes) finds its zone.
#pragma once

#include "profile/profile.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace taffrail::profile {

/// Something that happened on a thread; a moment where both times are one.
struct Stretch {
    ThreadId thread = 0;
    std::int64_t begin_ns = 0, end_ns = 0;
};

/// For each stretch the innermost span of this category that it lies in whole, as its number in
/// `profile.spans`; kNone where there is none. Costs a sort of both.
std::vector<std::uint32_t> enclosing_spans(const Profile& profile,
                                           std::span<const Stretch> stretches, TextId category);

/// Adds a member to the arguments of a span; `json` is its value. One of that name is not looked
/// for.
void add_member(Profile& profile, Span& span, std::string_view name, std::string_view json);

}  // namespace taffrail::profile
