#include <taffrail/options.h>

#include <gmock/gmock.h>

namespace taffrail {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Options {
    std::string folder = "out";
    std::int64_t rows = 100;
    std::size_t queue = 10;
    double seconds = 1.5;
    bool loud = false;
    std::vector<std::string> names;
    std::optional<std::int64_t> step;
    std::optional<std::string> version;
    std::string token;
};

const OptionSchema<Options>& schema() {
    static const auto made =
        OptionSchema<Options>("thing")
            .add("folder", &Options::folder, "where", {.other_names = {"dir"}})
            .add("rows", &Options::rows, "how many", {.least = 1})
            .add("queue", &Options::queue, "how long")
            .add("seconds", &Options::seconds, "how often", {.above = 0})
            .add("loud", &Options::loud, "whether")
            .add("names", &Options::names, "which",
                 {.check = [](const std::string& text) -> Result<void> {
                     if (text.find("bad") != std::string::npos) {
                         return Error{ErrorCode::InvalidArgument, "'bad' is no name"};
                     }
                     return {};
                 }})
            .add("step", &Options::step, "from where")
            .add("version", &Options::version, "of what")
            .add("token", &Options::token, "who", {.secret = true});
    return made;
}

std::string refusal(const OptionMap& given) {
    const auto parsed = schema().parse(given);
    return parsed.ok() ? "accepted" : parsed.error().message;
}

TEST(Options, DefaultsAreThoseOfTheStruct) {
    const Options options = schema().parse({}).value();
    EXPECT_EQ(options.folder, "out");
    EXPECT_EQ(options.rows, 100);
    const auto& infos = schema().infos();
    EXPECT_EQ(infos[0].fallback, "out");
    EXPECT_EQ(infos[1].fallback, "100");
    EXPECT_EQ(infos[3].fallback, "1.5");
    EXPECT_EQ(infos[4].fallback, "false");
    EXPECT_EQ(infos[6].fallback, "");
    EXPECT_EQ(infos[1].type, OptionType::Whole);
    EXPECT_EQ(infos[2].type, OptionType::Whole);
    EXPECT_EQ(infos[7].type, OptionType::Text);
}

TEST(Options, ReadsEveryType) {
    const Options options = schema()
                                .parse({{"dir", "/x"},
                                        {"rows", " 7 "},
                                        {"queue", "0"},
                                        {"seconds", "2.5"},
                                        {"loud", "True"},
                                        {"names", "[a, 'b c', \"d\"]"},
                                        {"step", "-3"},
                                        {"version", ""}})
                                .value();
    EXPECT_EQ(options.folder, "/x");
    EXPECT_EQ(options.rows, 7);
    EXPECT_EQ(options.queue, 0u);
    EXPECT_EQ(options.seconds, 2.5);
    EXPECT_TRUE(options.loud);
    EXPECT_THAT(options.names, testing::ElementsAre("a", "b c", "d"));
    EXPECT_EQ(options.step, -3);
    EXPECT_EQ(options.version, "");
}

TEST(Options, NothingStaysAbsent) {
    const Options options = schema().parse({{"step", ""}}).value();
    EXPECT_FALSE(options.step);
    EXPECT_FALSE(options.version);
}

TEST(Options, UnknownOnesGetTheNearestNameAndTheList) {
    EXPECT_THAT(refusal({{"row", "1"}}),
                AllOf(testing::StartsWith("thing: unknown option 'row'"),
                      HasSubstr("did you mean 'rows'"), HasSubstr("known: folder, rows")));
}

TEST(Options, WrongOnesSayWhatWouldBeRight) {
    EXPECT_THAT(refusal({{"rows", "0"}}), HasSubstr("whole number of at least 1, found '0'"));
    EXPECT_THAT(refusal({{"rows", "many"}}), HasSubstr("found 'many'"));
    EXPECT_THAT(refusal({{"seconds", "0"}}), HasSubstr("a number above 0"));
    EXPECT_THAT(refusal({{"seconds", "nan"}}), HasSubstr("a number above 0"));
    EXPECT_THAT(refusal({{"loud", "perhaps"}}), HasSubstr("true or false"));
    EXPECT_THAT(refusal({{"names", "[bad]"}}), HasSubstr("thing: 'bad' is no name"));
}

struct SecretNumber {
    std::int64_t pin = 0;
};

TEST(Options, SecretsAreInNoMessageAndNotHandedOn) {
    const auto numbers =
        OptionSchema<SecretNumber>("safe").add("pin", &SecretNumber::pin, "", {.secret = true});
    EXPECT_THAT(numbers.parse({{"pin", "hunter2"}}).error().message,
                AllOf(HasSubstr("'pin' must be"), Not(HasSubstr("hunter2"))));
    EXPECT_EQ(without_secrets(schema().infos(), {{"token", "abc"}, {"rows", "1"}}),
              (OptionMap{{"rows", "1"}}));
    EXPECT_EQ(without_secrets({}, {{"api_key", "abc"}, {"rows", "1"}}), (OptionMap{{"rows", "1"}}))
        << "what nobody declared is judged by its name";
}

}  // namespace
}  // namespace taffrail
