// What every importer must bear: reading, and writing what was read in every format. What one of
// our writers wrote, its reader must read again.
#pragma once

#include "profile/formats.h"

#include <cstdlib>

namespace taffrail::profile::fuzzing {

inline int exercise(std::string_view name, const std::uint8_t* data, std::size_t size) {
    const Format& format = *find_format(name);
    Profile profile;
    if (!format.read({reinterpret_cast<const std::byte*>(data), size}, profile).ok()) {
        return 0;
    }
    const bool had_anything = !profile.empty();
    for (const Format& target : formats()) {
        if (target.write == nullptr) {
            continue;  // only read
        }
        Profile copy = profile;
        Bytes written;
        Output out([&](ByteSpan bytes) -> Result<void> {
            append(written, bytes);
            return {};
        });
        const bool is_written = target.write(copy, out, {}).ok();
        if (is_written && had_anything && &target == &format) {
            // pprof is packed; the front door unpacks.
            Profile again;
            if (target.name != "pprof" && !target.read(written, again).ok() && !copy.empty()) {
                // Weights of nothing leave no line behind.
                if (!written.empty() && target.name != "collapsed") {
                    std::abort();
                }
            }
        }
    }
    return 0;
}

}  // namespace taffrail::profile::fuzzing
