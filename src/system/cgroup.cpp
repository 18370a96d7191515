#include "system/cgroup.h"

#include "base/strings.h"
#include "io/files.h"

#include <string_view>
#include <vector>

namespace taffrail::system {
namespace {

// Version 1 writes "no limit" as the largest page-aligned number; nothing real comes near it.
constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 60;

std::string read_trimmed(const std::string& path) {
    auto text = io::read_text(path);
    return text.ok() ? std::string(trim(*text)) : std::string();
}

std::optional<std::uint64_t> read_limit(const std::string& path) {
    const auto number = parse_int(read_trimmed(path));
    if (!number || *number < 0 || static_cast<std::uint64_t>(*number) >= kUnlimited) {
        return std::nullopt;
    }
    return static_cast<std::uint64_t>(*number);
}

template <typename T>
void tighten(std::optional<T>& limit, std::optional<T> other) {
    if (other && (!limit || *other < *limit)) {
        limit = other;
    }
}

/// The group's folder and every folder above it up to the mount, innermost first. Inside a
/// container the path that /proc names often does not exist under the mount; then only the mount
/// itself is looked at.
std::vector<std::string> folders_of(const std::string& mount, std::string group) {
    std::vector<std::string> folders;
    while (group.size() > 1) {
        if (const std::string folder = mount + group; io::exists(folder)) {
            folders.push_back(folder);
        }
        group.resize(group.rfind('/'));
    }
    folders.push_back(mount);
    return folders;
}

std::optional<double> quota_cores(std::string_view quota, std::string_view period) {
    const auto amount = parse_double(quota), every = parse_double(period);
    if (!amount || !every || *amount <= 0 || *every <= 0) {
        return std::nullopt;
    }
    return *amount / *every;
}

void read_version_2(const std::string& mount, const std::string& group, CgroupLimits& limits) {
    for (const std::string& folder : folders_of(mount, group)) {
        tighten(limits.memory_limit_bytes, read_limit(folder + "/memory.max"));
        const std::string cpu = read_trimmed(folder + "/cpu.max");
        if (const std::size_t space = cpu.find(' '); space != std::string::npos) {
            const std::string_view text = cpu;
            tighten(limits.cpu_limit_cores,
                    quota_cores(text.substr(0, space), text.substr(space + 1)));
        }
        if (!limits.memory_used_bytes) {
            limits.memory_used_bytes = read_limit(folder + "/memory.current");
        }
        if (!limits.cpu_used_seconds) {
            const std::string stat = read_trimmed(folder + "/cpu.stat");
            if (stat.starts_with("usage_usec ")) {
                const auto micros =
                    parse_double(std::string_view(stat).substr(11, stat.find('\n') - 11));
                limits.cpu_used_seconds = micros ? std::optional(*micros / 1e6) : std::nullopt;
            }
        }
    }
}

void read_memory_1(const std::string& mount, const std::string& group, CgroupLimits& limits) {
    for (const std::string& folder : folders_of(mount, group)) {
        tighten(limits.memory_limit_bytes, read_limit(folder + "/memory.limit_in_bytes"));
        if (!limits.memory_used_bytes) {
            limits.memory_used_bytes = read_limit(folder + "/memory.usage_in_bytes");
        }
    }
}

void read_cpu_1(const std::string& mount, const std::string& group, CgroupLimits& limits) {
    for (const std::string& folder : folders_of(mount, group)) {
        tighten(limits.cpu_limit_cores, quota_cores(read_trimmed(folder + "/cpu.cfs_quota_us"),
                                                    read_trimmed(folder + "/cpu.cfs_period_us")));
    }
}

void read_cpuacct_1(const std::string& mount, const std::string& group, CgroupLimits& limits) {
    for (const std::string& folder : folders_of(mount, group)) {
        if (const auto nanos = parse_double(read_trimmed(folder + "/cpuacct.usage"))) {
            limits.cpu_used_seconds = *nanos / 1e9;
            return;
        }
    }
}

}  // namespace

CgroupLimits read_cgroup_limits(const std::string& root) {
    CgroupLimits limits;
    const auto groups = io::read_text(root + "/proc/self/cgroup");
    if (!groups.ok()) {
        return limits;
    }
    const std::string base = root + "/sys/fs/cgroup";
    // Hybrid hosts list both; a version 1 controller that is mounted is the one in force.
    for (std::string_view line : split(*groups, '\n')) {
        const std::size_t first = line.find(':');
        const std::size_t second =
            first == std::string_view::npos ? first : line.find(':', first + 1);
        if (second == std::string_view::npos) {
            continue;
        }
        const std::string_view controllers = line.substr(first + 1, second - first - 1);
        const std::string group(line.substr(second + 1));
        if (controllers.empty()) {
            const std::string mount = io::exists(base + "/unified") ? base + "/unified" : base;
            if (io::exists(mount + "/cgroup.controllers")) {
                limits.version = limits.version == 0 ? 2 : limits.version;
                read_version_2(mount, group, limits);
            }
            continue;
        }
        const std::string mount = base + "/" + std::string(controllers);
        for (std::string_view controller : split(controllers, ',')) {
            const std::string own = base + "/" + std::string(controller);
            const std::string& used = io::exists(own) ? own : mount;
            if (!io::exists(used)) {
                continue;
            }
            if (controller == "memory") {
                limits.version = 1;
                read_memory_1(used, group, limits);
            } else if (controller == "cpu") {
                limits.version = 1;
                read_cpu_1(used, group, limits);
            } else if (controller == "cpuacct") {
                read_cpuacct_1(used, group, limits);
            }
        }
    }
    return limits;
}

}  // namespace taffrail::system
