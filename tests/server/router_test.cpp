#include "server/router.h"

#include <gtest/gtest.h>

namespace taffrail::server {
namespace {

Router small_router() {
    Router router;
    router.get("x", [](const Request&) { return Response::json("{}"); });
    router.post("y", RouteKind::Write, [](const Request&) { return Response::json("{}"); });
    return router;
}

int status(std::string method, std::string path, std::string content_type = "") {
    Request request;
    request.method = std::move(method);
    request.path = std::move(path);
    if (!content_type.empty()) {
        request.headers.emplace("content-type", std::move(content_type));
    }
    return small_router().answer(request, false).status;
}

TEST(Router, FindingS23_OnlyPathsBelowApiV1AreRouted) {
    EXPECT_EQ(status("GET", "api/v1/x"), 200);
    for (const char* path : {"api/v2/x", "api/123x", "api/v1x", "api/v1", "api/", "api/v1//x",
                             "api/v1/x/", "API/v1/x"}) {
        EXPECT_EQ(status("GET", path), 404) << path;
    }
}

// Forms of other pages can send these three types without asking; JSON they cannot.
TEST(Router, FindingS09_PostsTakeJsonOnly) {
    for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded",
                             "multipart/form-data; boundary=x", "text/plain; application/json"}) {
        EXPECT_EQ(status("POST", "api/v1/y", type), 415) << type;
    }
    EXPECT_EQ(status("POST", "api/v1/y", "application/json"), 200);
    EXPECT_EQ(status("POST", "api/v1/y", "Application/JSON; charset=utf-8"), 200);
}

}  // namespace
}  // namespace taffrail::server
