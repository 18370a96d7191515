#include "server/http_head.h"

#include <string_view>

namespace taffrail::server {
namespace {

std::string_view reason(int status) noexcept {
    switch (status) {
        case 200:
            return "OK";
        case 206:
            return "Partial Content";
        case 302:
            return "Found";
        case 304:
            return "Not Modified";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 413:
            return "Content Too Large";
        case 415:
            return "Unsupported Media Type";
        case 416:
            return "Range Not Satisfiable";
        case 421:
            return "Misdirected Request";
        case 503:
            return "Service Unavailable";
        default:
            return status < 400 ? "OK" : "Error";
    }
}

}  // namespace

std::string format_head(int status, const std::vector<std::pair<std::string, std::string>>& headers,
                        BodyLength length, std::size_t bytes, bool keep_alive) {
    std::string head =
        "HTTP/1.1 " + std::to_string(status) + ' ' + std::string(reason(status)) + "\r\n";
    for (const auto& [name, value] : headers) {
        if (value.find_first_of("\r\n") == std::string::npos) {
            head.append(name).append(": ").append(value).append("\r\n");
        }
    }
    switch (length) {
        case BodyLength::Known:
            if (status != 304) {
                head.append("Content-Length: ").append(std::to_string(bytes)).append("\r\n");
            }
            break;
        case BodyLength::Chunked:
            head.append("Transfer-Encoding: chunked\r\n");
            break;
        case BodyLength::UntilClose:
            break;
    }
    head.append("X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n");
    head.append(keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n");
    return head;
}

}  // namespace taffrail::server
