#include "server/access.h"

#include "base/strings.h"
#include "server/url.h"
#include "server/visitors.h"

#include <algorithm>

namespace taffrail::server {
namespace {

bool host_allowed(const HttpOptions& options, const std::string& host) {
    if (host == "localhost" || host == "127.0.0.1" || host == "::1" ||
        host == to_lower(options.host) || host.ends_with(".localhost")) {
        return true;
    }
    return std::ranges::any_of(options.allowed_hosts, [&](const std::string& allowed) {
        return allowed == "*" || to_lower(allowed) == host;
    });
}

// A length told in two ways is where one request can hide in another, seen differently by a proxy
// and by this server.
std::optional<Response> check_framing(const Request& request) {
    const std::string_view coding = request.header("transfer-encoding");
    if (request.headers.contains("transfer-encoding") &&
        (to_lower(coding) != "chunked" || request.headers.contains("content-length"))) {
        return Response::error(request, 400, "invalid",
                               "Transfer-Encoding may only be 'chunked', and not beside a "
                               "Content-Length");
    }
    return std::nullopt;
}

// Browsers name the page a request comes from. Pages of other ports of this machine are other
// people's too, so the whole address has to be this server's own; what sends no Origin is no page.
std::optional<Response> check_origin(const Request& request) {
    const std::string_view origin = request.header("origin"),
                           from = request.header("sec-fetch-site");
    const std::string host = to_lower(request.header("host"));
    const bool own = !request.headers.contains("origin") || to_lower(origin) == "http://" + host ||
                     to_lower(origin) == "https://" + host;
    if (own && (from.empty() || from == "same-origin" || from == "none")) {
        return std::nullopt;
    }
    return Response::error(request, 403, "forbidden",
                           "requests that change something must come from this server's own page: "
                           "'Origin' must name the same address as 'Host' (a proxy in between has "
                           "to pass 'Host' on)");
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

// The code in the address is exchanged for a session, so that it leaves the address bar and is
// worth nothing to whoever finds it later.
std::optional<Response> check_visitor(const HttpOptions& options, const Request& request) {
    if (!options.visitors) {
        return std::nullopt;
    }
    const std::string name = session_cookie_name(options);
    const bool is_page = !request.path.starts_with("api/");
    const auto given = request.parameter("token");
    const auto to_start = [&] {
        Response redirect = Response::text("", 302);
        redirect.headers.emplace_back("Location", options.base_path + "/");
        return redirect;
    };
    if (options.visitors->is_session(cookie(request, name))) {
        return given && is_page ? std::optional(to_start()) : std::nullopt;
    }
    std::string_view bearer = request.header("authorization");
    if (bearer.starts_with("Bearer ") && options.visitors->is_token(bearer.substr(7))) {
        return std::nullopt;
    }
    if (given && request.method == "GET") {
        if (const auto session = options.visitors->enter(*given)) {
            Response redirect = to_start();
            redirect.headers.emplace_back(
                "Set-Cookie", name + '=' + *session + "; HttpOnly; SameSite=Strict; Path=" +
                                  (options.base_path.empty() ? "/" : options.base_path));
            redirect.headers.emplace_back("Cache-Control", "no-store");
            return redirect;
        }
    }
    return Response::error(request, 401, "forbidden",
                           given ? "this address was used before: open the newest one that the "
                                   "server printed where it was started"
                                 : "this server asks who you are: open the newest address that it "
                                   "printed where it was started; programs send 'Authorization: "
                                   "Bearer TOKEN' with the token that 'taffrail ui --json' prints");
}

}  // namespace

std::optional<Response> admit(const HttpOptions& options, std::string_view target,
                              Request& request) {
    const auto authority = parse_authority(request.header("host"));
    if (!authority) {
        return Response::error(request, 400, "invalid",
                               "the Host header is missing or no host name with a port");
    }
    if (auto refused = check_framing(request)) {
        return refused;
    }
    if (!host_allowed(options, authority->host)) {
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
        if (auto refused = check_origin(request)) {
            return refused;
        }
    }
    return check_visitor(options, request);
}

std::string session_cookie_name(const HttpOptions& options) {
    return "taffrail_session_" + std::to_string(options.port);
}

}  // namespace taffrail::server
