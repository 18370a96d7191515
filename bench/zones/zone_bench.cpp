// What a zone costs, beside the floor of the machine (two reads of the counter), in rounds that
// take turns. Prints one JSON object.
//
//   zone_bench ROUNDS ZONES
#include <taffrail/zone.h>

#include "base/clock.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

// The processor time of this thread: others on the machine do not count.
double cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <typename Body>
double per_turn(int turns, Body&& body) {
    const double begin = cpu_ns();
    for (int turn = 0; turn < turns; ++turn) {
        body();
    }
    return (cpu_ns() - begin) / turns;
}

[[gnu::noinline]] void one_zone() {
    TAFFRAIL_ZONE("one");
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] void eight_deep(int left) {
    TAFFRAIL_ZONE("deep");
    asm volatile("" ::: "memory");
    if (left > 1) {
        eight_deep(left - 1);
    }
}

[[gnu::noinline]] void floor_of_the_machine() {
    const std::uint64_t begin = taffrail::ticks();
    asm volatile("" : : "r"(begin) : "memory");
    const std::uint64_t end = taffrail::ticks();
    asm volatile("" : : "r"(end) : "memory");
}

[[gnu::noinline]] void nothing() {
    asm volatile("" ::: "memory");
}

double resident_mib() {
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

std::uint64_t calls_of(const char* name) {
    for (const taffrail::ZoneRow& row : taffrail::zone_rows()) {
        if (row.name == name) {
            return row.calls;
        }
    }
    return 0;
}

struct Rounds {
    const char* name;
    std::vector<double> values = {};

    void print(bool last) {
        std::printf("\"%s\": [", name);
        for (std::size_t index = 0; index < values.size(); ++index) {
            std::printf("%s%.3f", index == 0 ? "" : ", ", values[index]);
        }
        std::printf("]%s", last ? "" : ", ");
    }
};

// As many zones as two threads can enter in a second and a half, while a third reads the table: the
// counts must be those of the loops. "Lost" is the difference.
struct Load {
    double per_second_and_thread = 0;
    long long lost = 0;
};

Load under_load() {
    constexpr std::uint64_t kZones = 30'000'000;
    taffrail::reset_zones();
    std::vector<double> seconds(2);
    std::vector<std::thread> threads;
    for (std::size_t number = 0; number < seconds.size(); ++number) {
        threads.emplace_back([&seconds, number] {
            const double begin = cpu_ns();
            for (std::uint64_t zone = 0; zone < kZones; ++zone) {
                TAFFRAIL_ZONE("load");
                asm volatile("" ::: "memory");
            }
            seconds[number] = (cpu_ns() - begin) * 1e-9;
        });
    }
    for (auto& thread : threads) {
        static_cast<void>(taffrail::zone_rows());
        thread.join();
    }
    const double slowest = *std::ranges::max_element(seconds);
    return {static_cast<double>(kZones) / slowest, static_cast<long long>(kZones * seconds.size()) -
                                                       static_cast<long long>(calls_of("load"))};
}

}  // namespace

int main(int count, char** words) {
    taffrail::print_zones_at_exit(taffrail::ZoneReport::None);
    const int rounds = count > 1 ? std::atoi(words[1]) : 15;
    const int zones = count > 2 ? std::atoi(words[2]) : 1'000'000;
    Rounds empty{"empty_ns"}, floor{"floor_ns"}, zone{"zone_ns"}, deep{"deep_ns"}, off{"off_ns"};
    one_zone();
    eight_deep(8);
    for (int round = 0; round < rounds; ++round) {
        empty.values.push_back(per_turn(zones, nothing));
        floor.values.push_back(per_turn(zones, floor_of_the_machine));
        zone.values.push_back(per_turn(zones, one_zone));
        deep.values.push_back(per_turn(zones / 8, [] { eight_deep(8); }) / 8);
        taffrail::enable_zones(false);
        off.values.push_back(per_turn(zones, one_zone));
        taffrail::enable_zones(true);
    }
    const Load load = under_load();
    std::printf("{");
    for (Rounds* row : {&empty, &floor, &zone, &deep, &off}) {
        row->print(false);
    }
    std::printf("\"zones_per_s_thread\": %.0f, \"lost\": %lld, \"rss_mib\": %.2f}\n",
                load.per_second_and_thread, load.lost, resident_mib());
    return 0;
}
