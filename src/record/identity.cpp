#include "record/identity.h"

#include "base/names.h"
#include "base/strings.h"
#include "io/files.h"

#include <unistd.h>

namespace taffrail::record {
namespace {

// Field 22 of a stat of /proc; the name in field 2 may hold spaces and brackets, so count from the
// last ')'.
std::optional<std::uint64_t> start_of(const std::string& process) {
    const auto text = io::read_text("/proc/" + process + "/stat");
    const std::size_t close = text.ok() ? text->rfind(')') : std::string::npos;
    if (close == std::string::npos || close + 2 > text->size()) {
        return std::nullopt;
    }
    const auto fields = split(std::string_view(*text).substr(close + 2), ' ');
    if (fields.size() < 20 || fields[0] == "Z" || fields[0] == "X") {
        return std::nullopt;
    }
    const auto start = parse_int(fields[19]);
    return start ? std::optional(static_cast<std::uint64_t>(*start)) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> process_start(std::uint64_t process_id) {
    return start_of(std::to_string(process_id));
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
    identity.process_start = start_of("self").value_or(0);
    identity.boot_id = boot_id();
    identity.host = host_name();
    identity.clock = make_tick_clock();
    return identity;
}

}  // namespace taffrail::record
