#include "server/access.h"

#include <gtest/gtest.h>

namespace taffrail::server {
namespace {

Request request(std::string method, std::map<std::string, std::string, std::less<>> headers) {
    Request made;
    made.method = std::move(method);
    made.headers = std::move(headers);
    made.headers.try_emplace("host", "localhost:6160");
    return made;
}

int status(const HttpOptions& options, Request asked, std::string_view target = "/api/v1/server") {
    const auto refused = admit(options, target, asked);
    return refused ? refused->status : 200;
}

TEST(Access, AnswersOnlyForItsOwnNames) {
    HttpOptions options;
    EXPECT_EQ(status(options, request("GET", {})), 200);
    EXPECT_EQ(status(options, request("GET", {{"host", "127.0.0.1:1"}})), 200);
    EXPECT_EQ(status(options, request("GET", {{"host", "evil.example:6160"}})), 403);
    options.allowed_hosts = {"Box.Lab"};
    EXPECT_EQ(status(options, request("GET", {{"host", "box.lab"}})), 200);
}

TEST(Access, WritesMustComeFromTheOwnPage) {
    const HttpOptions options;
    EXPECT_EQ(status(options, request("POST", {})), 200);
    EXPECT_EQ(status(options, request("POST", {{"origin", "http://localhost:6160"}})), 200);
    EXPECT_EQ(status(options, request("POST", {{"origin", "https://evil.example"}})), 403);
    EXPECT_EQ(status(options, request("POST", {{"origin", "null"}})), 403);
    EXPECT_EQ(status(options, request("POST", {{"sec-fetch-site", "cross-site"}})), 403);
    EXPECT_EQ(status(options, request("GET", {{"origin", "https://evil.example"}})), 200);
}

TEST(Access, OtherMethodsAreRefused) {
    const HttpOptions options;
    for (const char* method : {"PUT", "DELETE", "TRACE", "OPTIONS", "PATCH"}) {
        EXPECT_EQ(status(options, request(method, {})), 405) << method;
    }
}

TEST(Access, TokenMovesFromTheAddressIntoACookie) {
    HttpOptions options;
    options.token = "secret";
    EXPECT_EQ(status(options, request("GET", {})), 401);
    EXPECT_EQ(status(options, request("GET", {}), "/?token=wrong"), 401);
    Request asked = request("GET", {});
    const auto redirect = admit(options, "/?token=secret", asked);
    ASSERT_TRUE(redirect);
    EXPECT_EQ(redirect->status, 302);
    EXPECT_EQ(status(options, request("GET", {{"cookie", "a=b; taffrail_token=secret"}})), 200);
    EXPECT_EQ(status(options, request("GET", {{"authorization", "Bearer secret"}})), 200);
    EXPECT_EQ(status(options, request("GET", {{"cookie", "taffrail_token=secre"}})), 401);
}

TEST(Access, BasePathIsStrippedWhereItStands) {
    HttpOptions options;
    options.base_path = "/x/y";
    Request asked = request("GET", {});
    EXPECT_FALSE(admit(options, "/x/y/api/v1/server", asked));
    EXPECT_EQ(asked.path, "api/v1/server");
    asked = request("GET", {});
    EXPECT_FALSE(admit(options, "/api/v1/server", asked));
    EXPECT_EQ(asked.path, "api/v1/server");
}

}  // namespace
}  // namespace taffrail::server
