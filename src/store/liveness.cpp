#include "store/liveness.h"

#include "base/clock.h"
#include "base/strings.h"
#include "io/files.h"
#include "record/definitions.h"
#include "record/orphan.h"
#include "store/layout.h"

#include <optional>

namespace taffrail::store {
namespace {

// Files under /proc have no size: they are read until they end.
std::string read_proc(const std::string& path) {
    std::string text(4096, '\0');
    const auto file = io::open(path, io::OpenMode::Read);
    if (!file.ok()) {
        return {};
    }
    const auto count = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
    text.resize(count.ok() ? *count : 0);
    return text;
}

const std::string& this_boot() {
    static const std::string boot(trim(read_proc("/proc/sys/kernel/random/boot_id")));
    return boot;
}

// Field 22 of stat, counted behind the parenthesis that ends the program's name. Nothing for a
// process that is dead and only waits for its parent.
std::optional<std::uint64_t> process_start(std::uint64_t process) {
    const std::string text = read_proc("/proc/" + std::to_string(process) + "/stat");
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) {
        return std::nullopt;
    }
    const auto fields = split(std::string_view(text).substr(name_end + 2), ' ');
    if (fields.size() < 20 || fields[0] == "Z" || fields[0] == "X") {
        return std::nullopt;
    }
    const auto start = parse_int(fields[19]);
    return start ? std::optional(static_cast<std::uint64_t>(*start)) : std::nullopt;
}

// Nothing when the writer has no key file on this machine. A writer locks its key file before it
// puts the first byte into it: an empty one is being made, and says nothing yet.
std::optional<bool> ring_lock_held(const std::string& run_folder,
                                   const tlog::FileIdentity& identity) {
    std::optional<bool> held;
    for (const std::string& folder : record::ring_folders(run_folder, identity.run_id)) {
        const auto keys = io::stat(record::definitions_path(folder, identity.writer));
        if (!keys.ok() || keys->size == 0) {
            continue;
        }
        if (record::writer_is_alive(folder, identity.writer)) {
            return true;
        }
        held = false;
    }
    return held;
}

}  // namespace

bool writer_is_alive(const std::string& run_folder, const tlog::FileIdentity& identity,
                     std::int64_t last_sign_ns) {
    // A lock says nothing about a process on another machine of a shared folder.
    const bool same_boot = !identity.boot_id.empty() && identity.boot_id == this_boot();
    if (same_boot) {
        if (const auto held = ring_lock_held(run_folder, identity)) {
            return *held;
        }
        if (identity.process_id != 0) {
            return process_start(identity.process_id) == identity.process_start;
        }
    }
    return last_sign_ns > wall_time_ns() - kSilenceNs;
}

}  // namespace taffrail::store
