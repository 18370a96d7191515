#include "server/url.h"

#include <gtest/gtest.h>

namespace taffrail::server {
namespace {

TEST(Url, DecodesPathAndQuery) {
    const auto target = parse_target("/api/v1/blob?run=a%2Fb&key=train%2Floss+x&flag");
    ASSERT_TRUE(target);
    EXPECT_EQ(target->path, "/api/v1/blob");
    EXPECT_EQ(target->query.at("run"), "a/b");
    EXPECT_EQ(target->query.at("key"), "train/loss x");
    EXPECT_EQ(target->query.at("flag"), "");
}

TEST(Url, RefusesWhatClimbsOrIsBroken) {
    for (const char* hostile : {"/../etc/passwd", "/a/%2e%2e/b", "/a/..%2f..", "/%zz", "/%",
                                "/a?x=%g1", "http://x/", "", "/a%00b"}) {
        EXPECT_FALSE(parse_target(hostile)) << hostile;
    }
}

TEST(Url, FindsTheHostOfEveryForm) {
    EXPECT_EQ(parse_authority("localhost:6160")->host, "localhost");
    EXPECT_EQ(parse_authority("localhost:6160")->port, 6160);
    EXPECT_EQ(parse_authority("[::1]:80")->host, "::1");
    EXPECT_EQ(parse_authority("Example.org")->host, "example.org");
    EXPECT_EQ(parse_authority("Example.org")->port, std::nullopt);
    EXPECT_FALSE(parse_authority("http://example.org"));
}

TEST(Url, EncodingReadsBack) {
    const std::string text = "ü/\"%&=+ \n";
    EXPECT_EQ(percent_decode(percent_encode(text), true), text);
}

}  // namespace
}  // namespace taffrail::server
