// The same loop as zone_bench.cpp with Tracy's zones. Compiled by bench/profile/rows_zones.py
// against the sources in the Rust crate tracy-client-sys; no part of our build.
//
//   tracy_bench ZONES        nanoseconds of processor time a zone, and how much memory grew
#include <time.h>
#include <tracy/Tracy.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

static double cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

[[gnu::noinline]] static void one_zone() {
    ZoneScopedN("one");
    asm volatile("" ::: "memory");
}

static double resident_mib() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == "VmRSS:") {
            double kib = 0;
            status >> kib;
            return kib / 1024;
        }
    }
    return 0;
}

int main(int count, char** words) {
    const int zones = count > 1 ? std::atoi(words[1]) : 1'000'000;
    for (int zone = 0; zone < zones; ++zone) {
        one_zone();  // warm: the blocks of its queue are there
    }
    const double before = resident_mib();
    const double begin = cpu_ns();
    for (int zone = 0; zone < zones; ++zone) {
        one_zone();
    }
    std::printf("{\"zone_ns\": %.3f, \"grown_mib\": %.1f}\n", (cpu_ns() - begin) / zones,
                resident_mib() - before);
    std::fflush(stdout);
    std::_Exit(0);  // it would wait for a viewer
}
