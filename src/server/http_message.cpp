// Requests and responses as plain data.
#include "codec/json_writer.h"
#include "server/http.h"

namespace taffrail::server {

std::string_view Request::header(std::string_view name) const noexcept {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::string_view> Request::parameter(std::string_view name) const noexcept {
    const auto found = query.find(name);
    return found == query.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

Response Response::json(std::string text, int status) {
    Response response;
    response.status = status;
    response.headers.emplace_back("Content-Type", "application/json");
    response.body.text = std::move(text);
    return response;
}

Response Response::text(std::string text, int status) {
    Response response;
    response.status = status;
    response.headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
    response.body.text = std::move(text);
    return response;
}

Response Response::error(const Request& request, int status, std::string_view code,
                         std::string_view message, std::optional<std::size_t> offset) {
    JsonWriter json;
    json.begin_object().key("error").begin_object();
    json.member("code", code).member("message", message).member("request_id", request.id);
    if (offset) {
        json.member("offset", *offset);
    }
    json.end_object().end_object();
    return Response::json(std::move(json).take(), status);
}

}  // namespace taffrail::server
