#include "trackers/name_map.h"

#include <gtest/gtest.h>

using namespace taffrail;
using namespace taffrail::trackers;

namespace {

NameMap plain(std::size_t longest) {
    return NameMap(
        {[](std::string_view name, std::size_t index) { return name[index] == '#'; }, longest});
}

}  // namespace

TEST(NameMap, EscapesAndGivesTheSameNameAgain) {
    NameMap names = plain(250);
    EXPECT_EQ(names.name_of("a#b"), "a%23b");
    EXPECT_EQ(&names.name_of("a#b"), &names.name_of("a#b"));
    EXPECT_EQ(unescape_name(names.name_of("a#b")), "a#b");
    EXPECT_TRUE(names.long_names().empty());
}

TEST(NameMap, CutsLongNamesApart) {
    NameMap names = plain(40);
    const std::string one(60, 'x'), two = one + "y";
    EXPECT_LE(names.name_of(one).size(), 40u);
    EXPECT_NE(names.name_of(one), names.name_of(two));
    EXPECT_EQ(names.long_names().size(), 2u);
    EXPECT_EQ(names.long_names().at(one), names.name_of(one));
}

TEST(NameMap, CutsNeitherCharactersNorEscapes) {
    for (std::size_t length = 18; length < 30; ++length) {
        NameMap names = plain(40);
        const std::string& umlaut =
            names.name_of(std::string(length, 'x') + "ää/#ä##" + std::string(40, '#'));
        const std::string head = umlaut.substr(0, umlaut.rfind('-'));
        EXPECT_NE(static_cast<unsigned char>(head.back()), 0xC3);
        EXPECT_FALSE(head.ends_with('%') || head.ends_with("%2") || head.ends_with('/')) << head;
    }
}
