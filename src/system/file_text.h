// Files of /proc and the like: what cannot be read is empty, for a machine may lack any of them.
#pragma once

#include "io/files.h"

#include <string>

namespace taffrail::system {

inline std::string text_of(const std::string& path) {
    auto text = io::read_text(path);
    return text.ok() ? *std::move(text) : std::string();
}

}  // namespace taffrail::system
