// Names of attributes and places of files, as neptune-scale has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::formats::neptune {

inline constexpr std::size_t kLongestPath = 1024;
inline constexpr std::uint64_t kMicro = 1'000'000;  ///< parts of a step

/// Below these a program's own attributes must not lie: `sys/` is the tracker's, the others are
/// ours.
bool is_reserved(std::string_view key) noexcept;

/// Where a file goes: `<run>/<attribute>/<step>/<file>`, each made safe and told apart by a digest.
/// `micro_step` is absent for a file of the run.
std::string destination(std::string_view run_id, std::string_view attribute,
                        std::optional<std::uint64_t> micro_step, std::string_view file);

/// A name for a folder: letters, digits, '-', '_' and others as '_'.
std::string folder_part(std::string_view text);

}  // namespace taffrail::formats::neptune
