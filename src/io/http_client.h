// The one way to talk to a server: tries again with growing pauses, waits as long as the server
// asks, and gives up when patience ends.
//
// A call tries for a short while only; who sends things of a run keeps them and comes again
// (record/delivery.h). What the server asked for (Retry-After) holds for the next call too.
#pragma once

#include "io/http.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace taffrail::io {

struct HttpPolicy {
    int tries = 4;
    std::chrono::milliseconds first_pause = std::chrono::milliseconds(500);
    std::chrono::milliseconds longest_pause = std::chrono::seconds(30);
    /// A pause that would be longer than this ends the call instead.
    std::chrono::milliseconds most_waiting = std::chrono::seconds(20);
    /// Pauses grow by up to this part, so that many clients do not come back at once.
    double jitter = 0.25;
};

/// Time, for tests to replace.
struct HttpTime {
    using Time = Patience::Time;
    std::function<Time()> now = [] { return std::chrono::steady_clock::now(); };
    /// False when patience ended first.
    std::function<bool(Time until, Patience&)> wait = [](Time until, Patience& patience) {
        return patience.wait_until(until);
    };
};

/// One thread at a time, but for patience().
class HttpClient {
  public:
    explicit HttpClient(std::shared_ptr<HttpTransport> transport, HttpPolicy policy = {},
                        HttpTime time = {}, std::uint64_t seed = 0);

    /// An answer that trying again does not change (also 404 and its kin), or an error: Unavailable
    /// where coming again later can help. The first call to a host says so in one line.
    Result<HttpResponse> send(const HttpRequest& request);

    Patience& patience() noexcept { return patience_; }

    /// How often something was sent again.
    [[nodiscard]] std::uint64_t repeats() const noexcept { return repeats_; }

  private:
    std::chrono::milliseconds pause_for(int attempt, const HttpResponse* answer);

    std::shared_ptr<HttpTransport> transport_;
    HttpPolicy policy_;
    HttpTime time_;
    Patience patience_;
    Patience::Time not_before_{};
    std::uint64_t random_;
    std::uint64_t repeats_ = 0;
};

/// Whether an answer of this status may be another one later: 408, 429, 500, 502, 503, 504 and the
/// other 5xx but 501 and 505.
bool is_passing(int status) noexcept;

/// Seconds or a date ("Sun, 06 Nov 1994 08:49:37 GMT") as a pause from `now_ns` (UTC) on; negative
/// for any other text.
std::chrono::milliseconds retry_after(std::string_view text, std::int64_t now_ns);

}  // namespace taffrail::io
