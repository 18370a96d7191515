// Names as MLflow has them: what it takes, how it names the load of a machine, how the file of a
// picture is called.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::formats::mlflow {

/// Names of metrics, parameters and tags have 250 characters at most.
inline constexpr std::size_t kLongestName = 250;
inline constexpr std::size_t kLongestParameter = 6000, kLongestTag = 5000;
/// What it keeps of an infinity.
inline constexpr double kInfinityThere = 1.7976931348623157e308;

/// A key as a name there, and back. It takes letters, digits, `_`, `-`, `.`, space and `/`, and
/// names that are paths: no empty, `.` or `..` part. It refuses `%`, so a refused byte is `_xHH_`
/// here; an underscore that would read so is escaped itself, and no key at all is `_x_`. Names that
/// are too long are the caller's (trackers/name_map.h).
std::string escaped(std::string_view key);
std::string unescaped(std::string_view name);

struct Reading {
    std::string name;
    double factor = 1;
};

/// `system/gpu/0/percent` → `system/gpu_0_utilization_percentage`; keys it has no name for keep
/// theirs.
Reading to_system_name(std::string_view key);
/// The other way.
Reading from_system_name(std::string_view name);

/// A picture of the image grid: `images/<key>+step+<n>+timestamp+<ms>+<uuid>.png`.
struct ImageName {
    std::string key, uuid;
    std::int64_t step = 0, time_ms = 0;
    bool is_thumbnail = false;
};

/// Without folder and ending.
std::string image_stem(const ImageName& image);
/// Nothing for other files. Knows the separators of every version.
std::optional<ImageName> parse_image_name(std::string_view file);

}  // namespace taffrail::formats::mlflow
