#include "server/router.h"

#include "base/sha256.h"
#include "base/strings.h"

namespace taffrail::server {
namespace {

// JSON answers are small enough to hash: an unchanged one costs a comparison instead of a transfer.
Response with_etag(const Request& request, Response response) {
    if (response.status != 200 || response.stream || response.take_over) {
        return response;
    }
    for (const auto& [name, value] : response.headers) {
        if (name == "ETag") {
            return response;
        }
    }
    const std::string_view bytes = response.body.bytes();
    const Sha256 digest = sha256(as_bytes(bytes));
    const std::string tag = '"' + to_hex(std::span(digest).first(12)) + '"';
    response.headers.emplace_back("ETag", tag);
    response.headers.emplace_back("Cache-Control", "no-cache");
    if (request.header("if-none-match") == tag) {
        response.status = 304;
        response.body = {};
    }
    return response;
}

bool is_json(std::string_view content_type) {
    return to_lower(trim(content_type.substr(0, content_type.find(';')))) == "application/json";
}

}  // namespace

void Router::add(std::string method, std::string path, RouteKind kind, Handler handler) {
    routes_[std::move(path)].insert_or_assign(std::move(method), Route{kind, std::move(handler)});
}

Response Router::answer(const Request& request, bool read_only) const {
    static constexpr std::string_view kBase = "api/v1/";
    const std::string_view path = request.path;
    const auto methods =
        path.starts_with(kBase) ? routes_.find(path.substr(kBase.size())) : routes_.end();
    if (methods == routes_.end()) {
        return Response::error(request, 404, "not_found",
                               "there is no resource '" + std::string(path.substr(0, 200)) +
                                   "'; api/v1/openapi.json lists them");
    }
    const std::string_view method =
        request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
    const auto route = methods->second.find(method);
    if (route == methods->second.end()) {
        std::string allowed;
        for (const auto& [name, unused] : methods->second) {
            allowed += (allowed.empty() ? "" : ", ") + name;
        }
        Response refused =
            Response::error(request, 405, "invalid", "this resource answers " + allowed);
        refused.headers.emplace_back("Allow", allowed);
        return refused;
    }
    if (route->second.kind == RouteKind::Write && read_only) {
        return Response::error(request, 403, "read_only",
                               "this server was started with --read-only");
    }
    // A form of another page can post texts and forms without asking first, but never JSON.
    if (method == "POST" && !is_json(request.header("content-type"))) {
        return Response::error(request, 415, "invalid",
                               "the body must be JSON: send 'Content-Type: application/json'");
    }
    Response response = route->second.handler(request);
    return method == "GET" ? with_etag(request, std::move(response)) : std::move(response);
}

}  // namespace taffrail::server
