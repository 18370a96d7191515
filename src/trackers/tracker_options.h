// Options that every tracker's sink fills the same way: given, else from the tracker's own
// variable, else from the run.
#pragma once

#include <cstdlib>
#include <string>

namespace taffrail::trackers {

inline std::string variable(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr ? text : "";
}

inline void fill(std::string& field, const char* name, const std::string& otherwise = {}) {
    if (field.empty() && name != nullptr) {
        field = variable(name);
    }
    if (field.empty()) {
        field = otherwise;
    }
}

}  // namespace taffrail::trackers
