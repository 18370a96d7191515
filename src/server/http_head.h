// The head of a response as bytes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::server {

enum class BodyLength : std::uint8_t { Known, Chunked, UntilClose };

/// Status line and headers. Header values with line breaks are left out: they could forge further
/// headers.
std::string format_head(int status, const std::vector<std::pair<std::string, std::string>>& headers,
                        BodyLength length, std::size_t bytes, bool keep_alive);

}  // namespace taffrail::server
