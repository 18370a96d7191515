// Names people can say: generated run names and sortable ids.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace taffrail {

/// 26 characters of Crockford base 32: 48 bits of milliseconds, 80 random bits. Sorts by time.
std::string make_run_id(std::int64_t time_ns);
/// "calm-otter": two words chosen by `seed`.
std::string make_run_name(std::uint64_t seed);
std::uint64_t random_u64() noexcept;
/// Sixteen hexadecimal digits: how files and exports name a writer.
std::string writer_name(std::uint64_t writer);
/// 32 hexadecimal digits with the dashes of a UUID.
std::string with_dashes(std::string_view digits);
/// The name made safe for a folder: letters, digits, '-', '_', '.', at most 48 bytes.
std::string folder_safe(std::string_view name);

}  // namespace taffrail
