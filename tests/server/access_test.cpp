#include "server/access.h"

#include "server/visitors.h"

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

TEST(Access, FindingS09_OriginMustBeTheServersOwnAddressOnEveryWrite) {
    HttpOptions options;
    const auto from = [&](std::string origin) {
        return status(options, request("POST", {{"origin", std::move(origin)}}));
    };
    EXPECT_EQ(from("http://localhost:6160"), 200);
    EXPECT_EQ(from("http://localhost:8888"), 403) << "another port is another program's page";
    EXPECT_EQ(from("http://127.0.0.1:6160"), 403);
    EXPECT_EQ(from("localhost:6160"), 403);
    EXPECT_EQ(from(""), 403);
    EXPECT_EQ(status(options, request("POST", {{"sec-fetch-site", "same-site"}})), 403);
    EXPECT_EQ(status(options, request("POST", {{"sec-fetch-site", "same-origin"}})), 200);

    // Where visitors are asked, any host name is answered for; that lets no other page write.
    options.visitors = std::make_shared<Visitors>();
    options.allowed_hosts = {"*"};
    const std::string bearer = "Bearer " + options.visitors->token();
    const auto with_token = [&](std::string origin) {
        return status(options, request("POST", {{"host", "box.lab:6160"},
                                                {"authorization", bearer},
                                                {"origin", std::move(origin)}}));
    };
    EXPECT_EQ(with_token("http://box.lab:6160"), 200);
    EXPECT_EQ(with_token("https://box.lab:6160"), 200) << "a proxy may speak TLS";
    EXPECT_EQ(with_token("https://evil.example"), 403);
    EXPECT_EQ(with_token("null"), 403);
}

std::string header_of(const Response& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
        if (key == name) {
            return value;
        }
    }
    return {};
}

TEST(Access, FindingS10_AnAddressLetsOneBrowserInAndItsSessionIsASecretOfItsOwn) {
    HttpOptions options;
    options.port = 6160;
    options.visitors = std::make_shared<Visitors>();
    std::string told;
    options.visitors->on_used([&](const std::string& next) { told = next; });
    const std::string code = options.visitors->code();
    EXPECT_EQ(status(options, request("GET", {})), 401);
    EXPECT_EQ(status(options, request("GET", {}), "/?token=wrong"), 401);
    EXPECT_EQ(status(options, request("HEAD", {}), "/?token=" + code), 401)
        << "a preview of the link uses nothing up";

    Request asked = request("GET", {});
    const auto redirect = admit(options, "/?token=" + code, asked);
    ASSERT_TRUE(redirect);
    EXPECT_EQ(redirect->status, 302);
    EXPECT_EQ(header_of(*redirect, "Location"), "/");
    const std::string cookie = header_of(*redirect, "Set-Cookie");
    EXPECT_TRUE(cookie.starts_with("taffrail_session_6160="));
    EXPECT_NE(cookie.find("HttpOnly; SameSite=Strict"), std::string::npos);
    const std::string session = cookie.substr(0, cookie.find(';'));
    for (const std::string& secret : {code, options.visitors->token()}) {
        EXPECT_EQ(session.find(secret), std::string::npos);
    }
    EXPECT_EQ(status(options, request("GET", {{"cookie", "a=b; " + session}})), 200);
    EXPECT_EQ(status(options, request("GET", {{"cookie", session}}), "/?token=" + code), 302)
        << "the used code leaves the address bar";

    EXPECT_EQ(status(options, request("GET", {}), "/?token=" + code), 401) << "used once";
    EXPECT_EQ(told, options.visitors->code()) << "the next address is told";
    EXPECT_EQ(status(options, request("GET", {}), "/?token=" + told), 302);

    for (const std::string& other : {code, options.visitors->token(), std::string("")}) {
        EXPECT_EQ(status(options, request("GET", {{"cookie", "taffrail_session_6160=" + other}})),
                  401);
    }
    EXPECT_EQ(
        status(options, request("GET", {{"authorization", "Bearer " + options.visitors->token()}})),
        200);
    EXPECT_EQ(status(options, request("GET", {{"authorization", "Bearer " + told}})), 401);
}

TEST(Access, FindingS23_HostsAreReadStrictly) {
    HttpOptions options;
    for (const char* host :
         {"[::1]evil", "localhost:evil.example", "localhost:", "localhost:99999", "[::1",
          "localhost evil", "user@localhost", "localhost/x", "", ":80"}) {
        EXPECT_EQ(status(options, request("GET", {{"host", host}})), 400) << host;
    }
    for (const char* host : {"localhost", "LOCALHOST:80", "[::1]:6160", "[::1]", "a.localhost"}) {
        EXPECT_EQ(status(options, request("GET", {{"host", host}})), 200) << host;
    }
}

TEST(Access, FindingS23_OnlyPlainChunkedIsATransferEncoding) {
    const HttpOptions options;
    for (const char* coding : {"xchunked", "chunked, identity", "gzip, chunked", "identity", ""}) {
        EXPECT_EQ(status(options, request("POST", {{"transfer-encoding", coding}})), 400) << coding;
    }
    EXPECT_EQ(status(options, request("POST", {{"transfer-encoding", "Chunked"}})), 200);
    EXPECT_EQ(status(options,
                     request("POST", {{"transfer-encoding", "chunked"}, {"content-length", "5"}})),
              400);
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
