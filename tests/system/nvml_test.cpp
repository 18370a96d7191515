#include "system/nvml.h"

#include <gmock/gmock.h>

#include <map>

namespace taffrail::system {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

std::map<std::string, double> readings_of(Nvml& nvml, bool slow) {
    std::map<std::string, double> readings;
    const ReadingSink add = [&](std::string_view key, double value) {
        readings[std::string(key)] = value;
    };
    slow ? nvml.sample_slow(add) : nvml.sample(add);
    return readings;
}

TEST(Nvml, ReadsWhatAGpuReportsAndLeavesOutTheRest) {
    auto nvml = Nvml::open(TAFFRAIL_FAKE_NVML).value();
    EXPECT_EQ(nvml->driver_version(), "999.42");
    ASSERT_EQ(nvml->gpus().size(), 2u);
    EXPECT_EQ(nvml->gpus()[0].name, "Fake H200");
    EXPECT_EQ(nvml->gpus()[1].memory_bytes, 1000u);
    const auto readings = readings_of(*nvml, false);
    EXPECT_THAT(readings, Contains(Pair("system/gpu/0/percent", 97)));
    EXPECT_THAT(readings, Contains(Pair("system/gpu/0/memory_percent", 60)));
    EXPECT_THAT(readings, Contains(Pair("system/gpu/1/memory_percent", 75)));  // the older form
    EXPECT_THAT(readings, Contains(Pair("system/gpu/0/power_watts", 654.321)));
    EXPECT_THAT(readings, Contains(Pair("system/gpu/0/clock_mhz", 1980)));
    EXPECT_THAT(readings, Contains(Pair("system/gpu/0/throttled_by_power", 1)));
    EXPECT_THAT(readings, Contains(Pair("system/gpu/0/throttled_by_heat", 0)));
    EXPECT_THAT(readings, Contains(Pair("system/gpu/1/throttled_by_heat", 1)));
    EXPECT_THAT(readings, Not(Contains(Key("system/gpu/1/percent"))));
    EXPECT_THAT(readings, Not(Contains(Key("system/gpu/1/power_watts"))));
}

// The fake has no energy counter and no fan, as old drivers have not.
TEST(Nvml, SlowCountersComeApartAndMayBeMissing) {
    auto nvml = Nvml::open(TAFFRAIL_FAKE_NVML).value();
    const auto readings = readings_of(*nvml, true);
    EXPECT_THAT(readings, Contains(Pair("system/gpu/1/pcie_received_bytes_per_second", 20480)));
    EXPECT_THAT(readings, Contains(Pair("system/gpu/0/power_limit_watts", 700)));
    EXPECT_THAT(readings, Not(Contains(Key("system/gpu/0/energy_joules"))));
}

TEST(Nvml, AbsentLibrariesAreNamed) {
    EXPECT_THAT(Nvml::open("/nowhere/libnvidia-ml.so.1").error().message,
                HasSubstr("/nowhere/libnvidia-ml.so.1"));
    EXPECT_EQ(Nvml::open("libm.so.6").error().code, ErrorCode::Unsupported);
}

// Runs where there is a GPU and says so where there is none.
TEST(Nvml, RealGpuReportsPlausibleNumbers) {
    auto opened = Nvml::open();
    if (!opened.ok() || (*opened)->gpus().empty()) {
        GTEST_SKIP() << "no NVIDIA GPU on this machine";
    }
    Nvml& nvml = **opened;
    auto readings = readings_of(nvml, false);
    EXPECT_FALSE(nvml.gpus()[0].name.empty());
    EXPECT_GT(nvml.gpus()[0].memory_bytes, 1u << 30);
    EXPECT_GT(readings["system/gpu/0/temperature_celsius"], 10);
    EXPECT_LT(readings["system/gpu/0/temperature_celsius"], 120);
    EXPECT_GT(readings["system/gpu/0/power_watts"], 5);
    EXPECT_LT(readings["system/gpu/0/memory_percent"], 100.001);
    EXPECT_GT(readings["system/gpu/0/clock_mhz"], 50);
    for (const auto& [key, value] : readings) {
        std::printf("%s = %g\n", key.c_str(), value);
    }
    for (const auto& [key, value] : readings_of(nvml, true)) {
        std::printf("%s = %g\n", key.c_str(), value);
    }
}

}  // namespace
}  // namespace taffrail::system
