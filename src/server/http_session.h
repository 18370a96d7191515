// One connection: reads requests one after another, hands each to a worker, writes the answer.
// Internal to the server.
#pragma once

#include "server/http.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>

namespace taffrail::server {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

class Session;

/// What all connections of a server share.
struct SessionShared {
    SessionShared(HttpOptions http_options, Handler request_handler);

    HttpOptions options;
    Handler handler;
    asio::io_context io{1};
    std::unique_ptr<asio::thread_pool> workers;
    std::atomic<bool> stopping = false;
    std::atomic<std::size_t> connections = 0;
    std::atomic<std::size_t> busy = 0;  ///< requests being answered, event streams not counted

    /// Connections that wait for a request, the longest waiting first. io thread only.
    std::list<Session*> idle;

    std::mutex mutex;
    std::set<std::weak_ptr<Session>, std::owner_less<>> sessions;

    void close_all();
    /// Makes room for another connection; false when all are busy. io thread only.
    bool close_idle_longest();
};

void start_session(std::shared_ptr<SessionShared> shared, tcp::socket socket);

}  // namespace taffrail::server
