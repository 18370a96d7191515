// Accepts connections and runs the io thread and the workers; a connection's life is in
// http_session.cpp.
#include "base/names.h"
#include "server/http.h"
#include "server/http_session.h"

#include <atomic>
#include <future>
#include <set>
#include <thread>

namespace taffrail::server {
namespace {

class BeastServer final : public HttpServer {
  public:
    BeastServer(HttpOptions options, Handler handler)
        : shared_(std::make_shared<SessionShared>(std::move(options), std::move(handler))),
          acceptor_(shared_->io) {}

    ~BeastServer() override { stop(0); }

    Result<void> listen() {
        const HttpOptions& options = shared_->options;
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
                accept_next();
                io_thread_ = std::thread([this] { shared_->io.run(); });
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
        });
        shared_->stopping = true;
        const auto deadline =
            std::chrono::steady_clock::now() + std::chrono::milliseconds(grace_ms);
        while (shared_->busy > 0 && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        shared_->close_all();
        shared_->workers.stop();
        shared_->workers.join();
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
    }

  private:
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

    void accept_next() {
        acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
            if (error == asio::error::operation_aborted || !acceptor_.is_open()) {
                return;
            }
            if (!error && shared_->connections < shared_->options.max_connections) {
                start_session(shared_, std::move(socket));
            }
            accept_next();
        });
    }

    std::shared_ptr<SessionShared> shared_;
    tcp::acceptor acceptor_;
    std::thread io_thread_;
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
