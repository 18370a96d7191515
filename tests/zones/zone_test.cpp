// What zones count, against what the program did.
#include <taffrail/zone.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace taffrail {
namespace {

// Works for at least this long, by the clock that people have.
void work(std::chrono::microseconds duration) {
    const auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
    }
}

std::map<std::string, ZoneRow> by_name() {
    std::map<std::string, ZoneRow> rows;
    for (ZoneRow& row : zone_rows()) {
        if (row.calls > 0 || row.open) {
            rows.emplace(row.name, std::move(row));
        }
    }
    return rows;
}

struct Zones : testing::Test {
    Zones() {
        print_zones_at_exit(ZoneReport::None);
        enable_zones(true);
        reset_zones();
    }
};

struct Model {
    [[gnu::noinline]] int forward(int value) {
        TAFFRAIL_ZONE_FUNCTION();
        if (value < 0) {
            throw std::invalid_argument("negative");
        }
        return value + 1;
    }
};

TEST_F(Zones, CountsAndTimesOfNestedZones) {
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::duration<double> in_step{}, in_load{};
    for (int step = 0; step < 20; ++step) {
        const auto step_begin = std::chrono::steady_clock::now();
        {
            TAFFRAIL_ZONE("step");
            for (int part = 0; part < 3; ++part) {
                const auto load_begin = std::chrono::steady_clock::now();
                {
                    TAFFRAIL_ZONE("load");
                    work(std::chrono::microseconds(300));
                }
                in_load += std::chrono::steady_clock::now() - load_begin;
            }
            TAFFRAIL_ZONE("compute");
            work(std::chrono::microseconds(500));
        }
        in_step += std::chrono::steady_clock::now() - step_begin;
    }
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
    const auto rows = by_name();
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows.at("step").calls, 20u);
    EXPECT_EQ(rows.at("load").calls, 60u);
    EXPECT_EQ(rows.at("compute").calls, 20u);
    EXPECT_NEAR(rows.at("step").total, in_step.count(), in_step.count() * 0.02);
    EXPECT_NEAR(rows.at("load").total, in_load.count(), in_load.count() * 0.02);
    EXPECT_NEAR(rows.at("load").mean, rows.at("load").total / 60, 1e-9);
    EXPECT_GE(rows.at("load").least, 300e-6 * 0.99);
    EXPECT_GE(rows.at("load").p50, rows.at("load").least);
    EXPECT_LE(rows.at("load").p99, rows.at("load").most);
    EXPECT_LT(rows.at("step").self, rows.at("step").total - rows.at("load").total);
    double self = 0, share = 0;
    for (const auto& [name, row] : rows) {
        self += row.self;
        share += row.share;
    }
    EXPECT_NEAR(self, rows.at("step").total, 1e-6);
    EXPECT_NEAR(share, 1.0, 1e-9);
    EXPECT_LE(self, all.count() * 1.02);
}

TEST_F(Zones, TreeHasARowForEachWayAndItsSharesSumUp) {
    const auto inner = [] {
        TAFFRAIL_ZONE("inner");
        work(std::chrono::microseconds(100));
    };
    for (int turn = 0; turn < 5; ++turn) {
        {
            TAFFRAIL_ZONE("first");
            inner();
        }
        {
            TAFFRAIL_ZONE("second");
            inner();
            inner();
            work(std::chrono::microseconds(200));
        }
    }
    std::map<std::string, std::uint64_t> ways;
    std::string above;
    double share = 0;
    for (const ZoneRow& row : zone_tree()) {
        if (row.calls == 0) {
            continue;
        }
        above = row.depth == 0 ? row.name : above;
        ways[row.depth == 0 ? row.name : above + "/" + row.name] = row.calls;
        share += row.share;
    }
    const std::map<std::string, std::uint64_t> expected = {
        {"first", 5}, {"first/inner", 5}, {"second", 5}, {"second/inner", 10}};
    EXPECT_EQ(ways, expected);
    EXPECT_NEAR(share, 1.0, 1e-9);
    // Which one is the longest depends on who else wanted the processor meanwhile.
    const std::vector<ZoneRow> rows = zone_rows();
    EXPECT_EQ(by_name().size(), 3u);
    EXPECT_TRUE(std::ranges::is_sorted(rows, std::ranges::greater(), &ZoneRow::total));
}

int recurse(int depth) {
    TAFFRAIL_ZONE("recurse");
    return depth == 0 ? 0 : 1 + recurse(depth - 1);
}

TEST_F(Zones, RecursionCountsEveryCallAndTheTimeOnce) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(recurse(50), 50);
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(by_name().at("recurse").calls, 51u);
    EXPECT_LE(by_name().at("recurse").total, all.count() * 1.05);
}

TEST_F(Zones, DeeperThanThereIsRoomIsCountedAndSaid) {
    EXPECT_EQ(recurse(400), 400);
    EXPECT_EQ(by_name().at("recurse").calls, 128u);
    EXPECT_NE(zone_table_text().find("273 zones are not in this table"), std::string::npos)
        << zone_table_text();
}

TEST_F(Zones, FunctionsAreNamedWithTheirClassAndPassEverythingOn) {
    Model model;
    EXPECT_EQ(model.forward(1), 2);
    EXPECT_THROW(model.forward(-1), std::invalid_argument);
    const auto rows = by_name();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_TRUE(rows.begin()->first.ends_with("Model::forward")) << rows.begin()->first;
    EXPECT_EQ(rows.begin()->second.calls, 2u);
}

TEST_F(Zones, NamesMadeAtRunTime) {
    for (int turn = 0; turn < 30; ++turn) {
        TAFFRAIL_ZONE_NAMED("layer " + std::to_string(turn % 3));
        const std::string name = "a name alone";
        TAFFRAIL_ZONE_NAMED(name);
    }
    EXPECT_EQ(by_name().at("a name alone").calls, 30u);
    for (int layer = 0; layer < 3; ++layer) {
        EXPECT_EQ(by_name().at("layer " + std::to_string(layer)).calls, 10u);
    }
}

TEST_F(Zones, LapsFollowEachOtherAndEndWithTheirZone) {
    for (int turn = 0; turn < 4; ++turn) {
        TAFFRAIL_ZONE("batch");
        TAFFRAIL_LAP("fetch");
        work(std::chrono::microseconds(200));
        TAFFRAIL_LAP("forward");
        {
            TAFFRAIL_ZONE("matmul");
            work(std::chrono::microseconds(400));
        }
        TAFFRAIL_LAP("update");
        work(std::chrono::microseconds(100));
    }
    const auto rows = by_name();
    EXPECT_EQ(rows.at("fetch").calls, 4u);
    EXPECT_EQ(rows.at("forward").calls, 4u);
    EXPECT_EQ(rows.at("update").calls, 4u);
    EXPECT_FALSE(rows.at("update").open);
    // Nothing between two laps is lost.
    EXPECT_NEAR(rows.at("fetch").total + rows.at("forward").total + rows.at("update").total,
                rows.at("batch").total, rows.at("batch").total * 0.05);
    EXPECT_GE(rows.at("forward").total, rows.at("matmul").total);
}

TEST_F(Zones, SpansMayOverlapAndEndOnAnotherThread) {
    std::vector<ZoneSpan> spans;
    for (int number = 0; number < 10; ++number) {
        spans.push_back(TAFFRAIL_SPAN("request"));
    }
    work(std::chrono::microseconds(500));
    std::thread([&] { spans.clear(); }).join();
    ZoneSpan moved = TAFFRAIL_SPAN("request");
    ZoneSpan other = std::move(moved);
    moved.end();
    other.end();
    other.end();
    const ZoneRow row = by_name().at("request");
    EXPECT_TRUE(row.span);
    EXPECT_EQ(row.calls, 11u);
    EXPECT_GE(row.total, 10 * 500e-6);
    EXPECT_EQ(row.share, 0);
}

TEST_F(Zones, ValuesAreSummedUp) {
    for (int turn = 1; turn <= 4; ++turn) {
        TAFFRAIL_ZONE("copy");
        TAFFRAIL_ZONE_VALUE(turn * 100.0);
    }
    EXPECT_EQ(by_name().at("copy").values, 4u);
    EXPECT_EQ(by_name().at("copy").value_sum, 1000.0);
}

TEST_F(Zones, OpenOnesAreInTheTableWithTheirTimeSoFar) {
    TAFFRAIL_ZONE("outside");
    {
        TAFFRAIL_ZONE("inside");
        work(std::chrono::microseconds(300));
    }
    const auto rows = by_name();
    EXPECT_TRUE(rows.at("outside").open);
    EXPECT_EQ(rows.at("outside").calls, 0u);
    EXPECT_GE(rows.at("outside").total, rows.at("inside").total);
    EXPECT_NE(zone_table_text().find("outside (open)"), std::string::npos);
}

TEST_F(Zones, SwitchedOffNothingIsCountedAndOpenOnesStillEnd) {
    {
        TAFFRAIL_ZONE("before");
        enable_zones(false);
        TAFFRAIL_ZONE("never");
    }
    enable_zones(true);
    const auto rows = by_name();
    EXPECT_FALSE(rows.contains("never"));
    EXPECT_EQ(rows.at("before").calls, 1u);
}

TEST_F(Zones, StepsAreMeasuredFromMarkToMark) {
    for (int step = 0; step <= 10; ++step) {
        mark_step(step);
        TAFFRAIL_ZONE("step");
        work(std::chrono::microseconds(50));
    }
    EXPECT_NE(zone_table_text().find("steps: 10, mean "), std::string::npos) << zone_table_text();
}

TEST_F(Zones, NamesCannotSpoilTheTable) {
    {
        TAFFRAIL_ZONE_NAMED("bad\n\x1b[2Jname");
    }
    {
        TAFFRAIL_ZONE_NAMED(std::string(5000, 'x'));
    }
    const std::string table = zone_table_text();
    EXPECT_EQ(table.find('\x1b'), std::string::npos);
    EXPECT_LT(table.size(), 2000u);
}

}  // namespace
}  // namespace taffrail
