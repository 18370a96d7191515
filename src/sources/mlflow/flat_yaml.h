// The flat YAML of MLflow's `meta.yaml`: one `name: value` a line, values plain or quoted.
#pragma once

#include "base/strings.h"
#include "io/inside.h"

#include <map>
#include <string>
#include <string_view>

namespace taffrail::sources::mlflow {

using FlatYaml = std::map<std::string, std::string, std::less<>>;

inline FlatYaml parse_flat_yaml(std::string_view text) {
    FlatYaml values;
    for (const std::string_view line : split(text, '\n')) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || line.starts_with(' ') || line.starts_with('#') ||
            line.starts_with('-')) {
            continue;
        }
        std::string_view value = trim(line.substr(colon + 1));
        std::string plain;
        if (value.size() >= 2 && (value.front() == '\'' || value.front() == '"') &&
            value.back() == value.front()) {
            const char quote = value.front();
            value = value.substr(1, value.size() - 2);
            for (std::size_t i = 0; i < value.size(); ++i) {
                const bool is_escape =
                    i + 1 < value.size() &&
                    (quote == '\'' ? value[i] == '\'' && value[i + 1] == '\'' : value[i] == '\\');
                i += is_escape ? 1 : 0;
                plain += value[i];
            }
        } else if (value != "null" && value != "~") {
            plain = value;
        }
        values[std::string(trim(line.substr(0, colon)))] = plain;
    }
    return values;
}

/// Empty for a file that is not there, or too large to be one.
inline FlatYaml read_flat_yaml(const std::string& folder, const std::string& path) {
    const auto bytes = io::read_inside(folder, path, std::uint64_t{1} << 20);
    return bytes.ok() ? parse_flat_yaml(as_text(*bytes)) : FlatYaml();
}

}  // namespace taffrail::sources::mlflow
