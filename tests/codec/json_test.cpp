#include "codec/json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

namespace taffrail {
namespace {

using testing::HasSubstr;

TEST(Json, ReadsEveryType) {
    const Json json =
        parse_json(
            R"({"a": [1, -2, 18446744073709551615, 1.5, true, null, "x\n\u00e9"], "b": {"c": "d"}})")
            .value();
    const Json::Array& items = *json.find("a")->array();
    EXPECT_EQ(items[0].integer(), 1);
    EXPECT_EQ(items[1].integer(), -2);
    EXPECT_EQ(*items[2].get_if<std::uint64_t>(), 18446744073709551615u);
    EXPECT_FALSE(items[2].integer());
    EXPECT_EQ(items[3].number(), 1.5);
    EXPECT_EQ(items[4].truth(), true);
    EXPECT_TRUE(items[5].is_null());
    EXPECT_EQ(*items[6].string(), "x\né");
    EXPECT_EQ(json.find("b")->string_or("c", ""), "d");
    EXPECT_EQ(json.find("missing"), nullptr);
    EXPECT_EQ(json.integer_or("missing", 7), 7);
}

TEST(Json, ReadsPythonsNaNAndInfinity) {
    const Json json =
        parse_json(R"({"v": [NaN, Infinity, -Infinity, 1], "text": "NaN -Infinity \" NaN"})")
            .value();
    const Json::Array& items = *json.find("v")->array();
    EXPECT_TRUE(std::isnan(*items[0].number()));
    EXPECT_EQ(*items[1].number(), INFINITY);
    EXPECT_EQ(*items[2].number(), -INFINITY);
    EXPECT_EQ(items[3].integer(), 1);
    EXPECT_EQ(json.string_or("text", ""), "NaN -Infinity \" NaN");
}

// Found by fuzzing: the parser alone rounds some of these wrongly.
TEST(Json, NumbersAreReadToTheLastBit) {
    for (const char* text :
         {"211000000000000000000000000000000000114", "0.1", "1e23", "9007199254740993.0",
          "2.2250738585072011e-308", "179769313486231570000e288", "-5e-324"}) {
        EXPECT_EQ(*parse_json(text).value().number(), std::strtod(text, nullptr)) << text;
    }
    EXPECT_EQ(*(*parse_json("[0.1]").value().array())[0].number(), 0.1);
}

TEST(Json, ZeroKeepsItsSign) {
    for (const char* text : {"-0", "-0.0", "-0e6"}) {
        const Json json = parse_json(text).value();
        EXPECT_TRUE(std::signbit(json.number().value())) << text;
        EXPECT_EQ(parse_json(json.dump()).value().dump(), json.dump()) << text;
    }
}

TEST(Json, KeepsMemberOrderAndDumpsIt) {
    const std::string text = R"({"z":1,"a":[{},[],-0.5,1e+300],"m":"\"\\\u0001"})";
    EXPECT_EQ(parse_json(text).value().dump(), text);
}

TEST(Json, TheLastOfDoubledNamesWins) {
    EXPECT_EQ(parse_json(R"({"a": 1, "a": 2})").value().integer_or("a", 0), 2);
}

TEST(Json, ErrorsNameThePlace) {
    EXPECT_THAT(parse_json(R"({"a": })").error().message, HasSubstr("byte 6"));
    EXPECT_FALSE(parse_json("").ok());
    EXPECT_FALSE(parse_json("[1] x").ok());
    EXPECT_FALSE(parse_json("[1").ok());
    EXPECT_FALSE(parse_json("Na").ok());
    EXPECT_FALSE(parse_json(std::string(1000, '[') + std::string(1000, ']')).ok());
    EXPECT_TRUE(parse_json(" 1 \n").ok());
}

}  // namespace
}  // namespace taffrail
