// Whole numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace taffrail {

/// "12,345".
std::string grouped(std::uint64_t count);

}  // namespace taffrail
