#include "record/identity.h"

#include "base/names.h"
#include "base/strings.h"
#include "io/files.h"

#include <unistd.h>

#include <cstdio>

namespace taffrail::record {
namespace {

// Field 22 of /proc/self/stat; the name in field 2 may hold spaces and brackets, so count from the
// last ')'.
std::uint64_t process_start() {
    const auto text = io::read_text("/proc/self/stat");
    if (!text.ok()) {
        return 0;
    }
    const std::size_t close = text->rfind(')');
    if (close == std::string::npos || close + 2 > text->size()) {
        return 0;
    }
    const auto fields = split(std::string_view(*text).substr(close + 2), ' ');
    return fields.size() > 19 ? static_cast<std::uint64_t>(parse_int(fields[19]).value_or(0)) : 0;
}

}  // namespace

std::string writer_name(std::uint64_t writer) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(writer));
    return text;
}

std::string boot_id() {
    const auto text = io::read_text("/proc/sys/kernel/random/boot_id");
    return text.ok() ? std::string(trim(*text)) : std::string();
}

std::string host_name() {
    char host[256] = {};
    return gethostname(host, sizeof host - 1) == 0 ? std::string(host) : std::string();
}

WriterIdentity make_identity(std::string run_id) {
    WriterIdentity identity;
    identity.run_id = std::move(run_id);
    identity.writer = random_u64();
    identity.process_id = static_cast<std::uint64_t>(getpid());
    identity.process_start = process_start();
    identity.boot_id = boot_id();
    identity.host = host_name();
    identity.clock = make_tick_clock();
    return identity;
}

}  // namespace taffrail::record
