#include "system/host_load.h"

#include "base/clock.h"
#include "base/strings.h"
#include "io/files.h"
#include "system/free_memory.h"
#include "system/load_monitor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <map>

namespace taffrail::system {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Key;
using testing::Not;
using testing::Pair;

/// A folder with files in it, removed at the end.
class Tree {
  public:
    Tree() {
        std::string pattern = testing::TempDir() + "taffrail-tree-XXXXXX";
        root_ = mkdtemp(pattern.data());
    }

    ~Tree() { (void)io::remove_tree(root_); }

    void put(const std::string& path, std::string_view text) const {
        io::make_directories(io::parent(root_ + path)).value();
        io::write_file_atomically(root_ + path, as_bytes(text), false).value();
    }

    [[nodiscard]] const std::string& root() const { return root_; }

  private:
    std::string root_;
};

std::map<std::string, double> sample(HostLoad& load, std::int64_t now_ns) {
    std::map<std::string, double> readings;
    load.sample(now_ns,
                [&](std::string_view key, double value) { readings[std::string(key)] = value; });
    return readings;
}

TEST(ProcText, CpuTimesLeaveOutGuestTimeAndIdle) {
    const ProcStat stat = parse_stat(
        "cpu  10 5 15 60 10 0 0 0 7 7\ncpu0 1 0 0 9 0 0 0 0 0 0\ncpu2 5 0 0 5 0 0 0 0 0 0\nintr "
        "5\n");
    EXPECT_EQ(stat.all.total, 100u);
    EXPECT_EQ(stat.all.busy, 30u);
    ASSERT_EQ(stat.cores.size(), 3u);
    EXPECT_EQ(stat.cores[2].busy, 5u);
    EXPECT_EQ(stat.cores[1].total, 0u);
}

TEST(ProcText, DisksAreCountedOnce) {
    const Traffic traffic = parse_diskstats(
        "   8       0 sda 10 0 100 0 20 0 200 0 0 0 0\n   8       1 sda1 10 0 100 0 20 0 200 0 0 0 "
        "0\n"
        " 259       0 nvme0n1 1 0 1 0 1 0 2 0\n 259       1 nvme0n1p1 1 0 1 0 1 0 2 0\n 253 0 dm-0 "
        "9 0 900 0 9 0 900 0\n"
        "   7       0 loop0 9 0 900 0 9 0 900 0\n");
    EXPECT_EQ(traffic.in, 101u * 512);
    EXPECT_EQ(traffic.out, 202u * 512);
}

TEST(ProcText, LoopbackIsNoNetwork) {
    const Traffic traffic = parse_net_dev(
        "Inter-|   Receive\n face |bytes\n    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0\n  eth0:100 "
        "1 0 0 0 0 0 0 250 1 0 0 0 0 0 0\n");
    EXPECT_EQ(traffic.in, 100u);
    EXPECT_EQ(traffic.out, 250u);
}

TEST(ProcText, ProgramNamesMayHoldBrackets) {
    const auto times =
        parse_process_stat("7 (a ) (b) R 1 1 1 0 -1 0 0 0 0 0 11 22 0 0 20 0 3 0 100 4096 77 0");
    EXPECT_EQ(times->ticks, 33u);
    EXPECT_EQ(times->threads, 3u);
    EXPECT_EQ(times->resident_pages, 77u);
    EXPECT_FALSE(parse_process_stat("nothing"));
}

TEST(HostLoad, RatesComeFromTwoReadings) {
    const Tree tree;
    tree.put("/proc/stat", "cpu 100 0 0 100 0 0 0 0\ncpu0 100 0 0 100 0 0 0 0\n");
    tree.put("/proc/meminfo",
             "MemTotal: 1000 kB\nMemAvailable: 400 kB\nSwapTotal: 100 kB\nSwapFree: 75 kB\n");
    tree.put("/proc/self/stat", "1 (x) R 1 1 1 0 -1 0 0 0 0 0 100 0 0 0 20 0 2 0 100 4096 10 0");
    tree.put("/proc/net/dev", "a\nb\neth0: 1000 1 0 0 0 0 0 0 0 1 0\n");
    HostLoad load({.root = tree.root(), .folder = "/", .ticks_per_second = 100});
    const auto first = sample(load, 1'000'000'000);
    EXPECT_THAT(first, Not(Contains(Key("system/cpu/percent"))));
    EXPECT_THAT(first, Contains(Pair("system/memory/used_bytes", 600 * 1024)));
    EXPECT_THAT(first, Contains(Pair("system/memory/percent", 60)));
    EXPECT_THAT(first, Contains(Pair("system/swap/used_bytes", 25 * 1024)));
    EXPECT_THAT(first, Contains(Pair("system/process/threads", 2)));
    tree.put("/proc/stat", "cpu 175 0 0 125 0 0 0 0\ncpu0 175 0 0 125 0 0 0 0\n");
    tree.put("/proc/self/stat", "1 (x) R 1 1 1 0 -1 0 0 0 0 0 250 50 0 0 20 0 2 0 100 4096 10 0");
    tree.put("/proc/net/dev", "a\nb\neth0: 5000 1 0 0 0 0 0 0 600 1 0\n");
    const auto second = sample(load, 3'000'000'000);
    EXPECT_THAT(second, Contains(Pair("system/cpu/percent", 75)));
    EXPECT_THAT(second, Contains(Pair("system/cpu/core/0/percent", 75)));
    EXPECT_THAT(second, Contains(Pair("system/process/cpu_percent", 100)));
    EXPECT_THAT(second, Contains(Pair("system/network/received_bytes_per_second", 2000)));
    EXPECT_THAT(second, Contains(Pair("system/network/sent_bytes_per_second", 300)));
    EXPECT_THAT(second, Contains(Key("system/disk/percent")));
}

TEST(Cgroup, Version2TakesTheTightestLimitOnTheWayUp) {
    const Tree tree;
    tree.put("/proc/self/cgroup", "0::/jobs/job7\n");
    tree.put("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
    tree.put("/sys/fs/cgroup/jobs/memory.max", "2000\n");
    tree.put("/sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
    tree.put("/sys/fs/cgroup/jobs/job7/memory.max", "max\n");
    tree.put("/sys/fs/cgroup/jobs/job7/memory.current", "500\n");
    tree.put("/sys/fs/cgroup/jobs/job7/cpu.max", "max 100000\n");
    tree.put("/sys/fs/cgroup/jobs/job7/cpu.stat", "usage_usec 2500000\nuser_usec 1\n");
    const CgroupLimits limits = read_cgroup_limits(tree.root());
    EXPECT_EQ(limits.version, 2);
    EXPECT_EQ(limits.memory_limit_bytes, 2000u);
    EXPECT_EQ(limits.memory_used_bytes, 500u);
    EXPECT_EQ(limits.cpu_limit_cores, 1.5);
    EXPECT_EQ(limits.cpu_used_seconds, 2.5);
}

TEST(FreeMemory, IsWhatTheMachineHasOrLessWhereTheGroupSaysSo) {
    const Tree tree;
    EXPECT_EQ(free_memory(tree.root()), UINT64_MAX) << "nothing is known";
    tree.put("/proc/meminfo", "MemTotal: 9 kB\nMemFree: 1 kB\nMemAvailable: 5 kB\n");
    EXPECT_EQ(free_memory(tree.root()), 5120u);
    tree.put("/proc/self/cgroup", "0::/\n");
    tree.put("/sys/fs/cgroup/cgroup.controllers", "memory\n");
    tree.put("/sys/fs/cgroup/memory.max", "9000\n");
    EXPECT_EQ(free_memory(tree.root()), 5120u);
    tree.put("/sys/fs/cgroup/memory.max", "4096\n");
    EXPECT_EQ(free_memory(tree.root()), 4096u);
    EXPECT_GT(free_memory(), 0u);
}

// Inside a container the path in /proc belongs to the host and is not under the mount.
TEST(Cgroup, ContainerWithItsOwnMountIsRead) {
    const Tree tree;
    tree.put("/proc/self/cgroup", "0::/system.slice/docker-abc.scope\n");
    tree.put("/sys/fs/cgroup/cgroup.controllers", "memory\n");
    tree.put("/sys/fs/cgroup/memory.max", "4096\n");
    EXPECT_EQ(read_cgroup_limits(tree.root()).memory_limit_bytes, 4096u);
}

TEST(Cgroup, Version1ReadsEachControllerInItsOwnMount) {
    const Tree tree;
    tree.put("/proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/job\n1:name=systemd:/x\n0::/\n");
    tree.put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    tree.put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "8000\n");
    tree.put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1000\n");
    tree.put("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
    tree.put("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    tree.put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    tree.put("/sys/fs/cgroup/cpu,cpuacct/job/cpuacct.usage", "7000000000\n");
    const CgroupLimits limits = read_cgroup_limits(tree.root());
    EXPECT_EQ(limits.version, 1);
    EXPECT_EQ(limits.memory_limit_bytes, 8000u);
    EXPECT_EQ(limits.cpu_limit_cores, 0.5);
    EXPECT_EQ(limits.cpu_used_seconds, 7);
}

/// A group of the machine's own below the one this process is in; gone with the test. Empty where
/// the machine allows none.
class RealGroup {
  public:
    explicit RealGroup(const std::string& mount, const std::string& below) {
        for (const std::string& parent : {mount + below, mount}) {
            const std::string path = parent + "/taffrail-test-" + std::to_string(getpid());
            if (mkdir(path.c_str(), 0755) == 0) {
                path_ = path;
                return;
            }
        }
    }

    RealGroup(const RealGroup&) = delete;
    RealGroup& operator=(const RealGroup&) = delete;

    ~RealGroup() {
        if (!path_.empty()) {
            rmdir(path_.c_str());
        }
    }

    [[nodiscard]] bool set(const std::string& name, const std::string& value) const {
        if (path_.empty()) {
            return false;
        }
        const int file = open((path_ + "/" + name).c_str(), O_WRONLY | O_CLOEXEC);
        const bool done = file >= 0 && write(file, value.data(), value.size()) ==
                                           static_cast<ssize_t>(value.size());
        if (file >= 0) {
            close(file);
        }
        return done;
    }

  private:
    std::string path_;
};

/// The path of this process in the hierarchy that has `controller` ("" is version 2).
std::string group_of_this_process(const std::string& controller) {
    const std::string groups = io::read_text("/proc/self/cgroup").value();
    for (const std::string_view line : split(groups, '\n')) {
        const auto fields = split(line, ':');
        if (fields.size() >= 3 && fields[1] == controller) {
            return fields[2] == "/" ? std::string() : std::string(fields[2]);
        }
    }
    return {};
}

// The kernel's own files, from inside a group with a limit of 300 MiB.
TEST(Cgroup, LimitOfARealGroupIsReadFromInside) {
    constexpr std::uint64_t kLimit = 300u << 20;
    const bool version_2 = io::exists("/sys/fs/cgroup/cgroup.controllers");
    const RealGroup group(version_2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory",
                          group_of_this_process(version_2 ? "" : "memory"));
    if (!group.set(version_2 ? "memory.max" : "memory.limit_in_bytes", std::to_string(kLimit))) {
        GTEST_SKIP() << "this machine lets the test make no group with a memory limit";
    }
    const pid_t child = fork();
    if (child == 0) {
        if (!group.set("cgroup.procs", std::to_string(getpid()))) {
            _exit(77);
        }
        const CgroupLimits limits = read_cgroup_limits();
        const bool right = limits.version == (version_2 ? 2 : 1) &&
                           limits.memory_limit_bytes == kLimit && limits.memory_used_bytes &&
                           *limits.memory_used_bytes <= kLimit;
        _exit(right ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        GTEST_SKIP() << "this machine lets no process join the group";
    }
    EXPECT_EQ(WEXITSTATUS(status), 0) << "not the limit that was set";
}

TEST(Cgroup, NoLimitsMeansNone) {
    const Tree tree;
    const CgroupLimits limits = read_cgroup_limits(tree.root());
    EXPECT_EQ(limits.version, 0);
    EXPECT_FALSE(limits.memory_limit_bytes);
}

std::int64_t process_cpu_ns() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// A known load: the process burns half a second of processor time, however long that takes on a
// busy machine.
TEST(HostLoad, ThisProcessesShareIsWhatItBurnt) {
    HostLoad load;
    const std::int64_t wall_before = monotonic_ns(), cpu_before = process_cpu_ns();
    sample(load, wall_before);
    while (process_cpu_ns() - cpu_before < 500'000'000) {
    }
    const std::int64_t wall = monotonic_ns() - wall_before, cpu = process_cpu_ns() - cpu_before;
    const auto readings = sample(load, wall_before + wall);
    const double expected = 100.0 * static_cast<double>(cpu) / static_cast<double>(wall);
    // The kernel counts this in hundredths of a second, at either end.
    EXPECT_NEAR(readings.at("system/process/cpu_percent"), expected, expected * 0.05);
    EXPECT_LE(readings.at("system/cpu/percent"), 100);
    EXPECT_GT(readings.at("system/process/memory_bytes"), 1e6);
    EXPECT_GT(readings.at("system/memory/percent"), 0);
}

TEST(LoadMonitor, HandsOutReadingsAndStopsAtOnce) {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t beats = 0;
    bool has_rates = false;
    {
        LoadMonitor monitor({.interval = std::chrono::milliseconds(5)}, [&](const auto& readings) {
            const std::lock_guard lock(mutex);
            ++beats;
            for (const auto& [key, value] : readings) {
                has_rates = has_rates || key == "system/cpu/percent";
            }
            changed.notify_all();
        });
        std::unique_lock lock(mutex);
        ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return beats >= 2; }));
    }
    EXPECT_TRUE(has_rates);
    const auto start = std::chrono::steady_clock::now();
    {
        const LoadMonitor monitor({.interval = std::chrono::hours(1)}, [](const auto&) {});
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace taffrail::system
