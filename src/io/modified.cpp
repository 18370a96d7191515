#include "io/modified.h"

#include "io/system_error.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>

namespace taffrail::io {

Result<void> set_modified(const std::string& path, std::int64_t time_ns) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const timespec time{static_cast<time_t>(time_ns / kSecond),
                        static_cast<long>(time_ns % kSecond)};
    const std::array<timespec, 2> times{time, time};
    if (utimensat(AT_FDCWD, path.c_str(), times.data(), 0) != 0) {
        return system_error("set the time of", path, errno);
    }
    return {};
}

}  // namespace taffrail::io
