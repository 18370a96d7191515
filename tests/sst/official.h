// The folders of RocksDB that Aim's own program left in tests/data/aim.
#pragma once

#include "base/bytes.h"
#include "places.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace taffrail::test {

inline std::string official_folder(const std::string& part) {
    return tests::data_folder() + "/aim/.aim/" + part + "/chunks/0123456789abcdef01234567";
}

inline Bytes bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const ByteSpan span = as_bytes(text);
    return {span.begin(), span.end()};
}

/// Files of one ending, by name.
inline std::vector<std::string> official_files(const std::string& part, const std::string& begin,
                                               const std::string& end) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(official_folder(part))) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(begin) && name.ends_with(end)) {
            found.push_back(entry.path().string());
        }
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace taffrail::test
