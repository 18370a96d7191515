#include "codec/escaped_names.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

using namespace taffrail;

namespace {

bool refuses_slash(std::string_view name, std::size_t index) {
    return name[index] == '/' || static_cast<unsigned char>(name[index]) < ' ';
}

}  // namespace

RC_GTEST_PROP(EscapedNames, ComeBack, (const std::string& name)) {
    RC_ASSERT(unescape_name(escape_name(name, refuses_slash)) == name);
}

TEST(EscapedNames, NeverBecomeOne) {
    std::set<std::string> seen;
    for (const char* name :
         {"", "%-", "%25-", "a/b", "a%2Fb", "a%252Fb", "%", "%%", "%2", "%%2F", "%zz", "a b"}) {
        const std::string escaped = escape_name(name, refuses_slash);
        EXPECT_TRUE(seen.insert(escaped).second) << escaped;
        EXPECT_EQ(unescape_name(escaped), name);
        EXPECT_FALSE(escaped.empty());
        EXPECT_EQ(escaped.find('/'), std::string::npos);
    }
}

TEST(EscapedNames, StayAsTheyAreWhereNothingIsRefused) {
    EXPECT_EQ(escape_name("train/loss 100%", [](auto, auto) { return false; }), "train/loss 100%");
}

// Keys come from anywhere, also out of folders of strangers.
TEST(EscapedNames, PathsOfKeysStayInside) {
    EXPECT_EQ(path_of_key("../../etc/passwd"), "__/__/etc/passwd");
    EXPECT_EQ(path_of_key("/a//b/."), "_/a/_/b/_");
    EXPECT_EQ(path_of_key(std::string_view("a\0b\n", 4)), "a_b_");
    EXPECT_EQ(path_of_key(""), "_");
    std::string umlauts;
    for (int i = 0; i < 200; ++i) {
        umlauts += "ü";
    }
    EXPECT_EQ(path_of_key(umlauts).size(), 120u);
    EXPECT_EQ(path_of_key("x" + umlauts).size(), 119u);  // no half character
}
