#include "codec/formats/mlflow/names.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace taffrail::formats::mlflow {
namespace {

TEST(MlflowNames, AreKeysWhereThoseAreTaken) {
    for (const char* key : {"loss", "train/loss", "a b-c_d.e", "ünï", "损失"}) {
        EXPECT_EQ(escaped(key), key);
    }
}

TEST(MlflowNames, EscapeWhatTheServerRefuses) {
    EXPECT_EQ(escaped("a#b"), "a_x23_b");
    EXPECT_EQ(escaped("100%"), "100_x25_");
    EXPECT_EQ(escaped("/a//b/"), "_x2F_a/_x2F_b_x2F_");
    EXPECT_EQ(escaped("../a/./b"), "_x2E_./a/_x2E_/b");
    EXPECT_EQ(escaped(""), "_x_");
    EXPECT_EQ(escaped("_x23_"), "_x5F_x23_");
}

RC_GTEST_PROP(MlflowNames, GiveTheKeyBack, (std::string key)) {
    RC_ASSERT(unescaped(escaped(key)) == key);
}

RC_GTEST_PROP(MlflowNames, KeepKeysOfUnderscoresApart, ()) {
    const auto letters =
        rc::gen::container<std::string>(rc::gen::element('_', 'x', '2', 'F', '/', '.', '%'));
    const std::string one = *letters, two = *letters;
    RC_ASSERT(unescaped(escaped(one)) == one);
    RC_ASSERT(one == two || escaped(one) != escaped(two));
}

// "_xF2" stands unescaped only where no underscore can follow it, also not that of an escape.
TEST(MlflowNames, KeepALookalikeBeforeAnEscapeApart) {
    EXPECT_EQ(escaped("_xF2%"), "_x5F_xF2_x25_");
    EXPECT_EQ(unescaped("_x5F_xF2_x25_"), "_xF2%");
}

TEST(MlflowNames, KnowTheLoadOfAMachine) {
    EXPECT_EQ(to_system_name("system/cpu/percent").name, "system/cpu_utilization_percentage");
    EXPECT_EQ(to_system_name("system/gpu/0/power_watts").name, "system/gpu_0_power_usage_watts");
    EXPECT_EQ(from_system_name("system/gpu_1_memory_usage_megabytes").name,
              "system/gpu/1/memory_used_bytes");
    EXPECT_EQ(from_system_name(to_system_name("system/swap/used_bytes").name).name,
              "system/swap/used_bytes");
}

TEST(MlflowNames, AreThoseOfTheImageGridInEveryVersion) {
    const ImageName name{.key = "a/b", .uuid = "u-u", .step = -3, .time_ms = 17};
    EXPECT_EQ(image_stem(name), "a~b+step+-3+timestamp+17+u-u");
    for (const char* file :
         {"a~b+step+-3+timestamp+17+u-u.png", "a#b%step%-3%timestamp%17%u-u.png"}) {
        const auto parsed = parse_image_name(file);
        ASSERT_TRUE(parsed) << file;
        EXPECT_EQ(parsed->key, "a/b");
        EXPECT_EQ(parsed->step, -3);
        EXPECT_FALSE(parsed->is_thumbnail);
    }
    EXPECT_TRUE(parse_image_name("a+step+1+timestamp+2+u+compressed.webp")->is_thumbnail);
    for (const char* file : {"", "a.png", "a+b.png", "a+step+x+timestamp+2+u.png", "+"}) {
        EXPECT_FALSE(parse_image_name(file)) << file;
    }
}

}  // namespace
}  // namespace taffrail::formats::mlflow
