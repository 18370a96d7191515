#include <taffrail/config.h>

#include <gmock/gmock.h>

#include <cstdlib>

namespace taffrail {
namespace {

Result<Config> resolve(std::string_view text) {
    return Config::parse(text, "f.yaml").value().resolved();
}

TEST(Interpolation, KeepsTheTypeOfWhatItRefersTo) {
    const Config config =
        resolve("a: {b: 3, l: [1, 2]}\nc: ${a.b}\nd: x${a.b}y\ne: ${a.l}\nf: ${a.l.1}\n").value();
    EXPECT_EQ(config.find("c")->as_int().value(), 3);
    EXPECT_EQ(config.find("d")->as_text().value(), "x3y");
    EXPECT_EQ(config.find("e")->size(), 2u);
    EXPECT_EQ(config.find("f")->as_int().value(), 2);
}

TEST(Interpolation, FollowsChainsAndRelativeNames) {
    const Config config =
        resolve("a: ${b}\nb: ${c.d}\nc: {d: 5, e: '${.d}', f: {g: '${..d}'}}\nn: ${c.${k}}\nk: d\n")
            .value();
    EXPECT_EQ(config.find("a")->as_int().value(), 5);
    EXPECT_EQ(config.find("c.e")->as_int().value(), 5);
    EXPECT_EQ(config.find("c.f.g")->as_int().value(), 5);
    EXPECT_EQ(config.find("n")->as_int().value(), 5);
}

TEST(Interpolation, CircleIsAnErrorThatShowsIt) {
    EXPECT_THAT(resolve("a: ${b}\nb: ${a}\n").error().message,
                testing::AllOf(testing::HasSubstr("circle"), testing::HasSubstr("a → b → a")));
}

TEST(Interpolation, UnknownReferenceSuggests) {
    EXPECT_THAT(resolve("model: {width: 1}\nx: ${model.widht}\n").error().message,
                testing::AllOf(testing::StartsWith("f.yaml:2:1"),
                               testing::HasSubstr("did you mean 'model.width'")));
}

TEST(Interpolation, ReadsTheEnvironmentAndDefaults) {
    ::setenv("TAFFRAIL_CONFIG_TEST", "17", 1);
    const Config config =
        resolve(
            "a: ${oc.env:TAFFRAIL_CONFIG_TEST}\nb: ${oc.env:TAFFRAIL_CONFIG_NONE,5}\n"
            "c: ${oc.decode:${oc.env:TAFFRAIL_CONFIG_TEST}}\n")
            .value();
    EXPECT_EQ(config.find("a")->as_text().value(), "17");
    EXPECT_EQ(config.find("b")->as_int().value(), 5);
    EXPECT_EQ(config.find("c")->as_int().value(), 17);
    EXPECT_THAT(resolve("a: ${oc.env:TAFFRAIL_CONFIG_NONE}").error().message,
                testing::HasSubstr("TAFFRAIL_CONFIG_NONE"));
}

// A configuration is stored beside the run: what the environment held must not be in it.
TEST(Interpolation, PrintsEnvironmentValuesAsTheyWereWritten) {
    ::setenv("TAFFRAIL_CONFIG_SECRET", "hunter2", 1);
    const Config config = resolve(
                              "a: ${oc.env:TAFFRAIL_CONFIG_SECRET}\nb: "
                              "key-${oc.env:TAFFRAIL_CONFIG_SECRET}\nc: ${a}\n")
                              .value();
    EXPECT_EQ(config.find("b")->as_text().value(), "key-hunter2");
    EXPECT_THAT(config.to_yaml(), testing::Not(testing::HasSubstr("hunter2")));
    for (const auto& [key, cell] : config.flattened()) {
        EXPECT_THAT(std::get<std::string>(cell), testing::Not(testing::HasSubstr("hunter2")))
            << key;
    }
}

TEST(Interpolation, BackslashKeepsItLiteral) {
    EXPECT_EQ(resolve("a: \\${b}\n").value().find("a")->as_text().value(), "${b}");
}

TEST(Interpolation, UnclosedAndUnknownResolversAreErrors) {
    EXPECT_THAT(resolve("a: ${b\n").error().message, testing::HasSubstr("without its '}'"));
    EXPECT_THAT(resolve("a: ${now:%Y}\n").error().message, testing::HasSubstr("unknown resolver"));
}

TEST(Interpolation, FindingS21_ReferencesThatDoubleAreRefused) {
    std::string values = "v0: ${v1}${v1}\n", lists = "v0: [1]\n";
    for (int i = 1; i < 40; ++i) {
        values += "v" + std::to_string(i) + ": ${v" + std::to_string(i + 1) + "}${v" +
                  std::to_string(i + 1) + "}\n";
        lists += "v" + std::to_string(i) + ": ['${v" + std::to_string(i - 1) + "}', '${v" +
                 std::to_string(i - 1) + "}']\n";
    }
    EXPECT_THAT(resolve(values + "v40: x\n").error().message, testing::HasSubstr("far more"));
    EXPECT_THAT(resolve(lists).error().message, testing::HasSubstr("far more"));
}

}  // namespace
}  // namespace taffrail
