#include "codec/formats/mlflow/names.h"

#include "base/strings.h"
#include "codec/system_names.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace taffrail::formats::mlflow {
namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";
constexpr std::string_view kNoKey = "_x_";
constexpr std::string_view kSystemPrefix = "system/";
constexpr std::string_view kThumbnail = "compressed";
constexpr double kMegabyte = 1e6;

int hex_digit(char c) {
    const auto place = kHex.find(c);
    return place == std::string_view::npos ? -1 : static_cast<int>(place);
}

/// "_xHH" at `index`, which reads as an escape where "_" follows: one of the key, or the beginning
/// of the next escape.
bool begins_escape_at(std::string_view text, std::size_t index) {
    return text.size() - index >= 4 && text[index] == '_' && text[index + 1] == 'x' &&
           hex_digit(text[index + 2]) >= 0 && hex_digit(text[index + 3]) >= 0;
}

/// "_xHH_" at `index`.
bool is_escape_at(std::string_view text, std::size_t index) {
    return text.size() - index >= 5 && begins_escape_at(text, index) && text[index + 4] == '_';
}

/// Bytes of the character at `index` that the server surely takes for a letter; 0 for others. Its
/// own rule is Python's idea of a letter, whose tables are not here: these scripts are whole in it.
std::size_t letter_at(std::string_view text, std::size_t index) {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
        return index + i < text.size() ? static_cast<unsigned char>(text[index + i]) : 0;
    };
    const auto is_tail = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    std::uint32_t code = 0;
    std::size_t size = 0;
    if ((byte(0) & 0xE0) == 0xC0 && is_tail(1)) {
        code = (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
        size = 2;
    } else if ((byte(0) & 0xF0) == 0xE0 && is_tail(1) && is_tail(2)) {
        code = (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
        size = 3;
    }
    constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 11> kScripts = {{
        {0xC0, 0xD6},
        {0xD8, 0xF6},
        {0xF8, 0x24F},
        {0x391, 0x3A1},
        {0x3A3, 0x3C9},
        {0x410, 0x44F},
        {0x5D0, 0x5EA},
        {0x3041, 0x3096},
        {0x30A1, 0x30FA},
        {0x4E00, 0x9FA5},
        {0xAC00, 0xD7A3},
    }};
    return std::ranges::any_of(
               kScripts,
               [&](const auto& script) { return code >= script.first && code <= script.second; })
               ? size
               : 0;
}

bool is_refused(std::string_view name, std::size_t index) {
    const char c = name[index];
    if (c == '/') {
        return index == 0 || index + 1 == name.size() || name[index - 1] == '/';
    }
    if (c == '.') {
        // A part of dots alone would be a way through folders.
        const std::size_t start = name.rfind('/', index) + 1;  // npos + 1 is 0
        const std::size_t end = std::min(name.find('/', index), name.size());
        return index == start &&
               name.substr(start, end - start).find_first_not_of('.') == std::string_view::npos;
    }
    return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-' || c == ' ');
}

constexpr std::array kMachineNames = {
    SystemName{"cpu/percent", "cpu_utilization_percentage"},
    SystemName{"memory/percent", "system_memory_usage_percentage"},
    SystemName{"memory/used_bytes", "system_memory_usage_megabytes", 1 / kMegabyte},
    SystemName{"disk/used_bytes", "disk_usage_megabytes", 1 / kMegabyte},
    SystemName{"disk/free_bytes", "disk_available_megabytes", 1 / kMegabyte},
    SystemName{"disk/percent", "disk_usage_percentage"},
};

constexpr std::array kGpuNames = {
    SystemName{"percent", "utilization_percentage"},
    SystemName{"memory_percent", "memory_usage_percentage"},
    SystemName{"memory_used_bytes", "memory_usage_megabytes", 1 / kMegabyte},
    SystemName{"power_watts", "power_usage_watts"},
};

constexpr SystemNames kSystemNames(kMachineNames, kGpuNames, '_');

std::string_view without_prefix(std::string_view name) {
    if (name.starts_with(kSystemPrefix)) {
        name.remove_prefix(kSystemPrefix.size());
    }
    return name;
}

}  // namespace

std::string escaped(std::string_view key) {
    if (key.empty()) {
        return std::string(kNoKey);
    }
    std::string name;
    for (std::size_t i = 0; i < key.size();) {
        if (const std::size_t size = letter_at(key, i); size > 0) {
            name += key.substr(i, size);
            i += size;
            continue;
        }
        const bool looks_escaped =
            key[i] == '_' && (begins_escape_at(key, i) || key.substr(i) == kNoKey);
        if (looks_escaped || is_refused(key, i)) {
            const auto byte = static_cast<unsigned char>(key[i]);
            name += {'_', 'x', kHex[byte >> 4], kHex[byte & 15], '_'};
        } else {
            name += key[i];
        }
        ++i;
    }
    return name;
}

std::string unescaped(std::string_view name) {
    if (name == kNoKey) {
        return {};
    }
    std::string key;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (is_escape_at(name, i)) {
            key += static_cast<char>(hex_digit(name[i + 2]) * 16 + hex_digit(name[i + 3]));
            i += 4;
        } else {
            key += name[i];
        }
    }
    return key;
}

Reading to_system_name(std::string_view key) {
    const std::string_view rest = without_prefix(key);
    const auto known = kSystemNames.theirs(rest);
    return {std::string(kSystemPrefix) + (known ? known->name : escaped(rest)),
            known ? known->factor : 1};
}

Reading from_system_name(std::string_view name) {
    const std::string_view rest = without_prefix(name);
    const auto known = kSystemNames.ours(rest);
    return {std::string(kSystemPrefix) + (known ? known->name : unescaped(rest)),
            known ? known->factor : 1};
}

std::string image_stem(const ImageName& image) {
    std::string key = escaped(image.key);
    std::ranges::replace(key, '/', '~');
    return key + "+step+" + std::to_string(image.step) + "+timestamp+" +
           std::to_string(image.time_ms) + "+" + image.uuid +
           (image.is_thumbnail ? "+" + std::string(kThumbnail) : "");
}

std::optional<ImageName> parse_image_name(std::string_view file) {
    const std::size_t dot = file.rfind('.');
    if (dot == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view stem = file.substr(0, dot);
    const std::size_t first = stem.find_first_of("%+");
    if (first == std::string_view::npos) {
        return std::nullopt;
    }
    const std::vector<std::string_view> parts = split(stem, stem[first]);
    if (parts.size() < 6 || parts.size() > 7 || parts[1] != "step" || parts[3] != "timestamp") {
        return std::nullopt;
    }
    const auto step = parse_int(parts[2]);
    const auto time_ms = parse_int(parts[4]);
    if (!step || !time_ms) {
        return std::nullopt;
    }
    std::string key(parts[0]);
    std::ranges::replace(key, '~', '/');
    std::ranges::replace(key, '#', '/');
    return ImageName{.key = unescaped(key),
                     .uuid = std::string(parts[5]),
                     .step = *step,
                     .time_ms = *time_ms,
                     .is_thumbnail = parts.size() == 7 && parts[6] == kThumbnail};
}

}  // namespace taffrail::formats::mlflow
