#include "io/user_folders.h"

#include <cstdlib>

namespace taffrail::io {

std::string user_cache_folder() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
        return cache;
    }
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache" : std::string();
}

}  // namespace taffrail::io
