#include "codec/formats/wandb/system_names.h"

#include <gtest/gtest.h>

#include <set>

using namespace taffrail::formats::wandb;

TEST(WandbSystemNames, GoThereAndBack) {
    std::set<std::string> theirs;
    for (const char* key :
         {"system/cpu/percent", "system/cpu/core/3/percent", "system/memory/percent",
          "system/process/memory_bytes", "system/gpu/0/percent", "system/gpu/12/memory_used_bytes",
          "system/gpu/x/percent", "system/gpu/0/throttled_by_heat",
          "system/network/sent_bytes_per_second", "system/host-a/cpu/percent"}) {
        const SystemMetric there = to_wandb(key);
        const SystemMetric back = from_wandb(there.name);
        EXPECT_EQ(back.name, key);
        EXPECT_DOUBLE_EQ(there.factor * back.factor, 1);
        EXPECT_TRUE(theirs.insert(there.name).second) << there.name;
    }
}

TEST(WandbSystemNames, AreTheOfficialOnes) {
    EXPECT_EQ(to_wandb("system/cpu/percent").name, "cpu");
    EXPECT_EQ(to_wandb("system/gpu/1/temperature_celsius").name, "gpu.1.temp");
    EXPECT_EQ(from_wandb("disk./.usageGB").name, "system/disk./.usageGB");
}
