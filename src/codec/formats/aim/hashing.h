// Hashes of values, by which Aim names contexts and places of points.
#pragma once

#include <taffrail/value.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::formats::aim {

std::int64_t hash_of(double number) noexcept;
std::int64_t hash_of(std::string_view text);
std::int64_t hash_of(const Cell& cell);
/// A flat object: the order of its members does not count.
std::int64_t hash_of(const std::vector<std::pair<std::string, Cell>>& object);

}  // namespace taffrail::formats::aim
