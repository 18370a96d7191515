#include "server/access.h"

#include "base/strings.h"
#include "server/url.h"

#include <algorithm>

namespace taffrail::server {
namespace {

bool host_allowed(const HttpOptions& options, std::string_view authority) {
    const std::string host = host_of(authority);
    if (host == "localhost" || host == "127.0.0.1" || host == "::1" ||
        host == to_lower(options.host) || host.ends_with(".localhost")) {
        return true;
    }
    return std::ranges::any_of(options.allowed_hosts, [&](const std::string& allowed) {
        return allowed == "*" || to_lower(allowed) == host;
    });
}

// Compares every byte whatever differs, so that the time says nothing about the token.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
    unsigned difference = a.size() == b.size() ? 0u : 1u;
    for (std::size_t i = 0; i < b.size(); ++i) {
        difference |= static_cast<unsigned>(static_cast<unsigned char>(i < a.size() ? a[i] : 0) ^
                                            static_cast<unsigned char>(b[i]));
    }
    return difference == 0;
}

std::string_view cookie(const Request& request, std::string_view name) {
    for (std::string_view part : split(request.header("cookie"), ';')) {
        part = trim(part);
        if (part.starts_with(name) && part.size() > name.size() && part[name.size()] == '=') {
            return part.substr(name.size() + 1);
        }
    }
    return {};
}

// The token comes once in the address and is then kept in a cookie, so that it leaves the address
// bar.
std::optional<Response> check_token(const HttpOptions& options, const Request& request) {
    static constexpr std::string_view kCookie = "taffrail_token";
    if (options.token.empty()) {
        return std::nullopt;
    }
    std::string_view bearer = request.header("authorization");
    if (bearer.starts_with("Bearer ")) {
        bearer.remove_prefix(7);
    }
    if (equal_in_constant_time(cookie(request, kCookie), options.token) ||
        equal_in_constant_time(bearer, options.token)) {
        return std::nullopt;
    }
    if (const auto given = request.parameter("token");
        given && equal_in_constant_time(*given, options.token)) {
        Response redirect = Response::text("", 302);
        redirect.headers.emplace_back("Location", options.base_path + "/");
        redirect.headers.emplace_back("Set-Cookie",
                                      std::string(kCookie) + '=' + options.token +
                                          "; HttpOnly; SameSite=Strict; Path=" +
                                          (options.base_path.empty() ? "/" : options.base_path));
        return redirect;
    }
    return Response::error(
        request, 401, "forbidden",
        "this server asks for the token that was printed when it started: open that address");
}

}  // namespace

std::optional<Response> admit(const HttpOptions& options, std::string_view target,
                              Request& request) {
    if (!host_allowed(options, request.header("host"))) {
        return Response::error(request, 403, "forbidden",
                               "this server does not answer for that host name; start it with "
                               "--allow-host NAME if it is yours");
    }
    const auto parsed = parse_target(target);
    if (!parsed) {
        return Response::error(request, 400, "invalid", "the address is malformed");
    }
    std::string_view path = parsed->path;
    if (!options.base_path.empty()) {
        if (path == options.base_path) {
            Response redirect = Response::text("", 302);
            redirect.headers.emplace_back("Location", options.base_path + "/");
            return redirect;
        }
        // A proxy may or may not strip the base path before it passes the request on; both are
        // served.
        if (path.starts_with(options.base_path + "/")) {
            path.remove_prefix(options.base_path.size());
        }
    }
    path.remove_prefix(1);
    request.path = path;
    request.query = parsed->query;
    if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
        Response refused =
            Response::error(request, 405, "invalid", "this server answers GET, HEAD and POST");
        refused.headers.emplace_back("Allow", "GET, HEAD, POST");
        return refused;
    }
    if (request.method == "POST") {
        const std::string_view origin = request.header("origin");
        if (!origin.empty()) {
            const auto scheme = origin.find("://");
            const std::string_view authority =
                scheme == std::string_view::npos ? origin : origin.substr(scheme + 3);
            if (to_lower(authority) != to_lower(request.header("host")) &&
                !host_allowed(options, authority)) {
                return Response::error(
                    request, 403, "forbidden",
                    "requests that change something must come from this server's own page");
            }
        }
        if (request.header("sec-fetch-site") == "cross-site") {
            return Response::error(
                request, 403, "forbidden",
                "requests that change something must come from this server's own page");
        }
    }
    return check_token(options, request);
}

}  // namespace taffrail::server
