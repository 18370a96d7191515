#include "codec/json_writer.h"

#include "codec/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffrail {
namespace {

TEST(JsonWriter, WritesNestedValuesWithCommas) {
    JsonWriter json;
    json.begin_object()
        .member("a", 1)
        .key("b")
        .begin_array()
        .value(0.1)
        .value("x")
        .value(true)
        .null()
        .end_array();
    json.key("c").begin_object().end_object().member("d", std::uint64_t{UINT64_MAX}).end_object();
    EXPECT_EQ(json.text(), R"({"a":1,"b":[0.1,"x",true,null],"c":{},"d":18446744073709551615})");
}

TEST(JsonWriter, WritesNumbersWithoutAWordAsStrings) {
    JsonWriter json;
    json.begin_array()
        .value(NAN)
        .value(INFINITY)
        .value(-INFINITY)
        .value(-0.0)
        .value(5e-324)
        .end_array();
    EXPECT_EQ(json.text(), R"(["NaN","Infinity","-Infinity",-0.0,5e-324])");
}

TEST(JsonWriter, EscapesWhatJsonRequires) {
    JsonWriter json;
    json.value(std::string_view("\"\\\n\r\t\x01\x1f é \0 end", 16));
    EXPECT_EQ(json.text(), "\"\\\"\\\\\\n\\r\\t\\u0001\\u001f é \\u0000 end\"");
    EXPECT_EQ(*parse_json(json.text()).value().string(),
              std::string("\"\\\n\r\t\x01\x1f é \0 end", 16));
}

TEST(JsonWriter, RepairsTextThatIsNotUtf8) {
    JsonWriter json;
    json.value(
        "a\xff"
        "b");
    EXPECT_EQ(json.text(),
              "\"a\xEF\xBF\xBD"
              "b\"");
}

TEST(JsonWriter, WritesCellsByTheirType) {
    JsonWriter json;
    json.begin_array()
        .value(Cell{})
        .value(Cell{true})
        .value(Cell{std::int64_t{-3}})
        .value(Cell{2.5})
        .value(Cell{std::string("s")});
    json.end_array();
    EXPECT_EQ(json.text(), R"([null,true,-3,2.5,"s"])");
}

TEST(JsonWriter, IndentsWhenAsked) {
    JsonWriter json(2);
    json.begin_object()
        .key("a")
        .begin_array()
        .value(1)
        .value(2)
        .end_array()
        .key("e")
        .begin_array()
        .end_array()
        .end_object();
    EXPECT_EQ(json.text(), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"e\": []\n}");
}

}  // namespace
}  // namespace taffrail
