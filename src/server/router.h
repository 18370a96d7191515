// Fixed words to handlers. There are no path parameters: ids travel in the query or the body
// (docs/api/README.md).
#pragma once

#include "server/http.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::server {

/// What a route does to the world: writes are refused with --read-only.
enum class RouteKind { Read, Write };

class Router {
  public:
    void get(std::string path, Handler handler) {
        add("GET", std::move(path), RouteKind::Read, std::move(handler));
    }

    void post(std::string path, RouteKind kind, Handler handler) {
        add("POST", std::move(path), kind, std::move(handler));
    }

    /// Answers a request below `api/v1/`; 404, 405 and 415 (a body that is not JSON) included. GET
    /// answers carry an ETag, and a matching one is 304.
    [[nodiscard]] Response answer(const Request& request, bool read_only) const;

  private:
    struct Route {
        RouteKind kind;
        Handler handler;
    };

    void add(std::string method, std::string path, RouteKind kind, Handler handler);
    std::map<std::string, std::map<std::string, Route, std::less<>>, std::less<>> routes_;
};

}  // namespace taffrail::server
