// Server-sent events: what grew and what changed, to every open page (docs/api/events.md).
#pragma once

#include "server/http.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace taffrail::server {

struct HubEvent {
    std::uint64_t id = 0;
    std::string name;  ///< hello, runs, series, console
    std::string data;  ///< JSON
    std::chrono::steady_clock::time_point at;
};

/// Keeps the last 60 s (and at least 1,000 events) for clients that come back. Safe from any
/// thread.
class EventHub {
  public:
    EventHub();
    ~EventHub();

    /// Numbers the event, keeps it and sends it to every stream; a client 1 MB behind is cut off.
    void publish(std::string name, std::string data);

    /// A client joins. `since` = the last id it has; events after it follow at once, else `hello`.
    void subscribe(std::shared_ptr<ResponseStream> stream, std::optional<std::uint64_t> since,
                   const std::string& hello);

    struct Backlog {
        std::uint64_t next = 0;
        bool reset = false;  ///< `since` is too old or from the future
        std::vector<HubEvent> events;
    };

    [[nodiscard]] Backlog after(std::uint64_t since) const;
    [[nodiscard]] std::size_t clients() const;
    void close();

  private:
    void keep_alive();
    [[nodiscard]] Backlog after_locked(std::uint64_t since) const;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<HubEvent> kept_;
    std::vector<std::shared_ptr<ResponseStream>> streams_;
    std::uint64_t last_id_ = 0;
    bool closing_ = false;
    std::thread ticker_;
};

}  // namespace taffrail::server
