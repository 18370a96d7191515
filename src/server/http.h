// The HTTP face of the server without any third-party type: requests, responses, streams and a
// small asynchronous server.
//
// One io thread moves bytes; handlers run on a pool of workers, read files and compute, and never
// wait for a socket: a long answer is made piece by piece, and while its client is slow no piece is
// asked for. Limits, time-outs, the Host allow-list and the Origin check are applied before any
// handler runs.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::server {

struct Request {
    std::string method;  ///< GET, HEAD or POST
    std::string path;    ///< percent-decoded, without the base path and without the leading slash
    std::map<std::string, std::string, std::less<>> query;
    std::map<std::string, std::string, std::less<>> headers;  ///< lower-case names
    std::string body;
    std::string id;  ///< short random id, repeated in errors and logs
    /// Who asks. There are no accounts: everybody who is let in is the local user.
    std::string asker = "local";
    /// Requested when the client has gone before its answer: what is not begun for it need not be.
    std::stop_token stop = {};

    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
    [[nodiscard]] std::optional<std::string_view> parameter(std::string_view name) const noexcept;
};

/// Bytes of a body that outlive the response: owned text, or memory kept alive by `owner` (an
/// asset, a loaded blob).
struct Body {
    std::string text;
    std::shared_ptr<const void> owner;
    std::string_view view;

    [[nodiscard]] std::string_view bytes() const noexcept {
        return owner || !view.empty() ? view : std::string_view(text);
    }
};

/// Pieces of a long answer. Safe from any thread.
class ResponseStream {
  public:
    virtual ~ResponseStream() = default;
    /// Sends the head; must come first. The body follows in chunks.
    virtual void begin(int status, std::vector<std::pair<std::string, std::string>> headers) = 0;
    /// Queues bytes; never waits. False when the client has gone: stop working for it.
    virtual bool write(std::string_view bytes) = 0;
    /// Queues bytes without waiting. False when the client has gone or is more than `limit` bytes
    /// behind (it is cut off then).
    virtual bool offer(std::string_view bytes, std::size_t limit) = 0;
    /// Ends the body. Called by the destructor's owner when forgotten.
    virtual void end() = 0;
    [[nodiscard]] virtual bool gone() const noexcept = 0;
};

struct Response {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers;
    Body body;
    /// When set, the body is produced by calls of this function on workers, one after the other;
    /// status and headers above are sent first. Each call writes a piece and returns whether there
    /// is more. It is not called while megabytes are unsent, so what it keeps is all that a slow
    /// reader costs. What it throws breaks the connection off: the head is out.
    std::function<bool(ResponseStream&)> stream;
    /// When set, the connection becomes this event stream and stays with whoever keeps the pointer.
    std::function<void(std::shared_ptr<ResponseStream>)> take_over;

    static Response json(std::string text, int status = 200);
    static Response text(std::string text, int status = 200);
    /// {"error": {"code", "message", "request_id"}}
    static Response error(const Request& request, int status, std::string_view code,
                          std::string_view message,
                          std::optional<std::size_t> offset = std::nullopt);
};

using Handler = std::function<Response(const Request&)>;

class Visitors;

struct HttpOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;      ///< 0 = any free one; the real one once the server listens
    bool next_free_port = true;  ///< a busy port is not an error: the next free one is taken
    std::string base_path;       ///< "" or "/x/y"
    std::vector<std::string> allowed_hosts;  ///< besides loopback names and `host`
    std::shared_ptr<Visitors> visitors;      ///< null = everybody who reaches it is let in
    std::size_t workers = 0;                 ///< 0 = one per core, at least two
    /// Less where the system allows few open files. At the limit, the connection that has been idle
    /// longest makes room.
    std::size_t max_connections = 1024;
    std::size_t max_body_bytes = 4u << 20;
    std::uint32_t header_timeout_s = 20;  ///< for a request to arrive whole
    std::uint32_t idle_timeout_s = 60;    ///< between requests of a kept connection
    std::uint32_t write_timeout_s = 30;   ///< for a client to take what was sent
};

/// Listens, parses, dispatches. Routes are fixed words; see Router.
class HttpServer {
  public:
    virtual ~HttpServer() = default;
    /// Binds and starts; returns once connections are accepted.
    static Result<std::unique_ptr<HttpServer>> start(HttpOptions options, Handler handler);
    [[nodiscard]] virtual std::uint16_t port() const noexcept = 0;
    /// How many connections it holds at most.
    [[nodiscard]] virtual std::size_t connection_limit() const noexcept = 0;
    /// Stops accepting, lets answers in flight end (at most `grace_ms`), then closes everything.
    virtual void stop(std::uint32_t grace_ms = 2000) = 0;
};

}  // namespace taffrail::server
