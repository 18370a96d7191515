// YAML in, typed values with places out.
#include <taffrail/config.h>

#include <gmock/gmock.h>

#include <cmath>

namespace taffrail {
namespace {

Config parse(std::string_view text) {
    return Config::parse(text, "f.yaml").value();
}

std::string failure(std::string_view text) {
    auto result = Config::parse(text, "f.yaml");
    return result.ok() ? "" : result.error().message;
}

TEST(ConfigTree, GivesScalarsTheTypeTheirTextHas) {
    const Config config = parse(
        "i: 3\nn: -4\nf: 1.5\ne: 1e-3\nb: True\nz: null\ns: word\nq: \"3\"\ny: yes\nw: nan\nm: "
        "1e6\n"
        "v: 1.2.3\nempty:\n");
    EXPECT_EQ(config.find("i")->as_int().value(), 3);
    EXPECT_EQ(config.find("n")->as_int().value(), -4);
    EXPECT_DOUBLE_EQ(config.find("f")->as_double().value(), 1.5);
    EXPECT_DOUBLE_EQ(config.find("e")->as_double().value(), 1e-3);
    EXPECT_TRUE(config.find("b")->as_bool().value());
    EXPECT_TRUE(config.find("z")->is_null());
    EXPECT_TRUE(config.find("empty")->is_null());
    EXPECT_EQ(config.find("q")->type(), Config::Type::Text);
    EXPECT_EQ(config.find("y")->type(), Config::Type::Text);
    EXPECT_EQ(config.find("w")->type(), Config::Type::Text);
    EXPECT_EQ(config.find("v")->type(), Config::Type::Text);
    EXPECT_EQ(config.find("m")->as_int().value(), 1'000'000);
}

TEST(ConfigTree, WrongTypeNamesThePlaceAndBothTypes) {
    const Config config = parse("a:\n  b: word\n");
    EXPECT_EQ(config.find("a.b")->as_int().error().message,
              "f.yaml:2:3: expected a whole number, found text ('word')");
    EXPECT_EQ(config.int_or("a.b", 1).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(config.int_or("a.c", 7).value(), 7);
}

TEST(ConfigTree, SyntaxErrorsCarryLineAndColumn) {
    EXPECT_THAT(failure("a: 1\nb: [1, 2\nc: 3\n"), testing::StartsWith("f.yaml:3:"));
    EXPECT_THAT(failure("a: b: c\n"), testing::StartsWith("f.yaml:1:5:"));
    EXPECT_THAT(failure("a: 1\na: 2\n"), testing::StartsWith("f.yaml:2:1: 'a' appears twice"));
}

TEST(ConfigTree, TabsThatIndentAreCalledTabs) {
    for (const auto& [text, place] : std::vector<std::pair<const char*, const char*>>{
             {"a:\n\tb: 1\n", "f.yaml:2:1: "},
             {"a:\n  b: 1\n\tc: 2\n", "f.yaml:3:1: "},
             {"a:\n  b: 1\n  \tc: 2\n", "f.yaml:3:3: "},
             {"a:\n\t- 1\n\t- 2\n", "f.yaml:2:1: "}}) {
        EXPECT_THAT(failure(text), testing::AllOf(testing::StartsWith(place),
                                                  testing::HasSubstr("indented with a tab")))
            << text;
    }
    // A tab elsewhere is not to blame.
    EXPECT_THAT(failure("a:\tb: c\n"), testing::HasSubstr("a second ':'"));
    EXPECT_EQ(parse("a: |\n  one\n  \ttwo\n").find("a")->as_text().value(), "one\n\ttwo\n");
}

TEST(ConfigTree, UnknownNamesComeWithASuggestion) {
    const Config config = parse("steps_per_logg: 1\n");
    constexpr std::string_view kKnown[] = {"steps_per_log", "writer"};
    EXPECT_EQ(config.check_names(kKnown, "'logging'").error().message,
              "f.yaml:1:1: unknown name 'steps_per_logg' in 'logging'; did you mean "
              "'steps_per_log'? (known: steps_per_log, writer)");
}

TEST(ConfigTree, PrintsYamlThatReadsBackTheSame) {
    const std::string text =
        "a: 1\nb:\n  c: [1, two, \"3\"]\n  d:\n    - x: 1\n      y: {}\n    - z\n\"e: f\": \"- "
        "no\"\n"
        "g: null\nh: \"line\\nbreak\"\n";
    const Config config = parse(text);
    const std::string printed = config.to_yaml();
    EXPECT_EQ(parse(printed).to_yaml(), printed);
    EXPECT_EQ(parse(printed).find("b.d.0.x")->as_int().value(), 1);
    EXPECT_EQ(parse(printed).find("h")->as_text().value(), "line\nbreak");
    EXPECT_EQ(parse(printed).find("b.c.2")->type(), Config::Type::Text);
    EXPECT_EQ(parse(printed).find("e: f")->as_text().value(), "- no");
}

TEST(ConfigTree, FlattensWithSlashesAndHidesSecrets) {
    const Hparams flat =
        parse("model: {depth: 4, sizes: [8, 16]}\ncomet: {api_key: abc, workspace: w}\n")
            .flattened();
    ASSERT_EQ(flat.size(), 5u);
    EXPECT_EQ(flat[0], (std::pair<std::string, Cell>{"model/depth", std::int64_t{4}}));
    EXPECT_EQ(flat[2], (std::pair<std::string, Cell>{"model/sizes/1", std::int64_t{16}}));
    EXPECT_EQ(flat[3], (std::pair<std::string, Cell>{"comet/api_key", std::string("***")}));
    EXPECT_EQ(flat[4], (std::pair<std::string, Cell>{"comet/workspace", std::string("w")}));
}

TEST(ConfigTree, MergesMapsAndReplacesTheRest) {
    Config base = parse("a: {x: 1, y: [1, 2]}\nb: 1\n");
    base.merge(parse("a: {y: [3], z: 4}\nb: {c: 1}\n"));
    EXPECT_EQ(base.to_yaml(), "a:\n  x: 1\n  y: [3]\n  z: 4\nb:\n  c: 1\n");
}

TEST(ConfigTree, EmptyTextIsAnEmptyMap) {
    EXPECT_TRUE(parse("").is_map() || parse("").is_null());
}

TEST(ConfigTree, MissingFileSaysSo) {
    EXPECT_THAT(Config::load("/nonexistent/x.yaml").error().message,
                testing::HasSubstr("/nonexistent/x.yaml"));
}

// 430 bytes of aliases of aliases were four gigabytes once read.
TEST(ConfigTree, FindingS21_AliasesOfAliasesAreRefusedBeforeTheyGrow) {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 9; ++i) {
        const std::string inner = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int j = 0; j < 10; ++j) {
            bomb += (j == 0 ? "" : ", ") + inner;
        }
        bomb += "]\n";
    }
    ASSERT_LT(bomb.size(), 1000u);
    EXPECT_THAT(Config::parse(bomb, "f.yaml").error().message,
                testing::AllOf(testing::HasSubstr("f.yaml:"), testing::HasSubstr("aliases")));

    std::string texts = "a: &a " + std::string(1u << 20, 'x') + "\nb: [";
    for (int i = 0; i < 1000; ++i) {
        texts += "*a, ";
    }
    EXPECT_THAT(Config::parse(texts + "1]\n", "f.yaml").error().message,
                testing::HasSubstr("aliases"));

    EXPECT_EQ(Config::parse("a: &a {lr: 1}\nb: *a\nc: *a\n", "f.yaml")
                  .value()
                  .find("c.lr")
                  ->as_int()
                  .value(),
              1);
}

}  // namespace
}  // namespace taffrail
