// Accepts connections and runs the io thread and the workers; a connection's life is in
// http_session.cpp.
#include "base/names.h"
#include "server/http.h"
#include "server/http_head.h"
#include "server/http_session.h"

#include <boost/asio/steady_timer.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <set>
#include <thread>

namespace taffrail::server {
namespace {

class BeastServer final : public HttpServer {
  public:
    BeastServer(HttpOptions options, Handler handler)
        : shared_(std::make_shared<SessionShared>(std::move(options), std::move(handler))),
          acceptor_(shared_->io),
          back_off_(shared_->io),
          limit_(fitting_limit(shared_->options.max_connections)) {}

    ~BeastServer() override { stop(0); }

    Result<void> listen() {
        const HttpOptions options = shared_->options;
        boost::system::error_code error;
        const auto address =
            asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
        if (error) {
            return Error{
                ErrorCode::InvalidArgument,
                "--host takes an address such as 127.0.0.1 or 0.0.0.0, not '" + options.host + "'"};
        }
        for (int attempt = 0; attempt < (options.next_free_port && options.port != 0 ? 100 : 1);
             ++attempt) {
            const auto port = static_cast<std::uint16_t>(options.port + attempt);
            if (bind_to({address, port}, error)) {
                shared_->options.port = port_;
                accept_next();
                io_thread_ = std::thread([this] { move_bytes(); });
                return {};
            }
            if (error != asio::error::address_in_use) {
                break;
            }
        }
        return Error{ErrorCode::Unavailable,
                     "cannot listen on " + options.host + " port " + std::to_string(options.port) +
                         ": " + error.message() + "; choose another one with --port"};
    }

    [[nodiscard]] std::uint16_t port() const noexcept override { return port_; }

    void stop(std::uint32_t grace_ms) override {
        if (stopped_.exchange(true)) {
            return;
        }
        asio::post(shared_->io, [this] {
            boost::system::error_code ignored;
            acceptor_.close(ignored);
            back_off_.cancel();
        });
        shared_->stopping = true;
        const auto deadline =
            std::chrono::steady_clock::now() + std::chrono::milliseconds(grace_ms);
        while (shared_->busy > 0 && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        shared_->close_all();
        shared_->workers->stop();
        shared_->workers->join();
        // Closed sockets end their handlers by themselves; what is left after a second is cut.
        for (int tries = 0; tries < 200 && shared_->connections > 0; ++tries) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        shared_->io.stop();
        if (io_thread_.joinable()) {
            io_thread_.join();
        }
        // A handler that never ran would keep its connection, and the connection this server, alive
        // for ever.
        shared_->io.restart();
        shared_->io.poll();
        shared_->workers.reset();
    }

    [[nodiscard]] std::size_t connection_limit() const noexcept override { return limit_; }

  private:
    // What a connection's step throws (memory is short) ends that step; the others go on.
    void move_bytes() {
        for (bool done = false; !done;) {
            try {
                shared_->io.run();
                done = true;
            } catch (...) {
                std::this_thread::sleep_for(kShortestWait);
            }
        }
    }

    bool bind_to(const tcp::endpoint& endpoint, boost::system::error_code& error) {
        acceptor_ = tcp::acceptor(shared_->io);
        acceptor_.open(endpoint.protocol(), error);
        if (!error) {
            acceptor_.set_option(asio::socket_base::reuse_address(true), error);
        }
        if (!error) {
            acceptor_.bind(endpoint, error);
        }
        if (!error) {
            acceptor_.listen(asio::socket_base::max_listen_connections, error);
        }
        if (!error) {
            port_ = acceptor_.local_endpoint(error).port();
        }
        return !error;
    }

    // Files of runs, logs and listings need descriptors too.
    static std::size_t fitting_limit(std::size_t wanted) {
        rlimit files{};
        if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) {
            return wanted;
        }
        return std::min<std::size_t>(wanted, std::max<std::size_t>(files.rlim_cur / 2, 8));
    }

    // Of many idle connections one more is no loss; a visitor at the door is.
    bool make_room() { return shared_->connections < limit_ || shared_->close_idle_longest(); }

    void accept_next() {
        acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
            if (error == asio::error::operation_aborted || !acceptor_.is_open()) {
                return;
            }
            if (error) {
                // Out of descriptors or memory: what waits at the door stays there, so asking again
                // at once would only burn a core.
                shared_->close_idle_longest();
                back_off_.expires_after(wait_);
                wait_ = std::min(wait_ * 2, kLongestWait);
                back_off_.async_wait([this](boost::system::error_code stopped) {
                    if (!stopped) {
                        accept_next();
                    }
                });
                return;
            }
            wait_ = kShortestWait;
            try {
                if (make_room()) {
                    start_session(shared_, std::move(socket));
                } else {
                    turn_away(socket);
                }
            } catch (...) {
                // No memory for this one: it is closed, and the next is waited for all the same.
            }
            accept_next();
        });
    }

    static void turn_away(tcp::socket& socket) {
        boost::system::error_code ignored;
        socket.non_blocking(true, ignored);
        const std::string text =
            format_head(503, {{"Retry-After", "1"}}, BodyLength::Known, 0, false);
        socket.write_some(asio::buffer(text), ignored);
    }

    static constexpr std::chrono::milliseconds kShortestWait{20}, kLongestWait{1000};

    std::shared_ptr<SessionShared> shared_;
    tcp::acceptor acceptor_;
    std::thread io_thread_;
    asio::steady_timer back_off_;
    std::chrono::milliseconds wait_ = kShortestWait;
    std::size_t limit_ = 0;
    std::uint16_t port_ = 0;
    std::atomic<bool> stopped_ = false;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpOptions options, Handler handler) {
    auto server = std::make_unique<BeastServer>(std::move(options), std::move(handler));
    if (auto listening = server->listen(); !listening) {
        return std::move(listening).error();
    }
    return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace taffrail::server
