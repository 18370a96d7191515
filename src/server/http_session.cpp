#include "server/http_session.h"

#include "base/names.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "server/access.h"
#include "server/http_head.h"
#include "server/url.h"

#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <array>
#include <condition_variable>
#include <deque>
#include <optional>
#include <thread>

namespace taffrail::server {

namespace beast = boost::beast;
namespace http = beast::http;

SessionShared::SessionShared(HttpOptions http_options, Handler request_handler)
    : options(std::move(http_options)),
      handler(std::move(request_handler)),
      workers(options.workers != 0 ? options.workers
                                   : std::max(2u, std::thread::hardware_concurrency())) {}

class Session final : public ResponseStream, public std::enable_shared_from_this<Session> {
  public:
    Session(std::shared_ptr<SessionShared> shared, tcp::socket socket)
        : shared_(std::move(shared)), stream_(std::move(socket)) {
        ++shared_->connections;
        boost::system::error_code ignored;
        // Without this, head and body in two packets cost a delayed acknowledgement: 40 ms a
        // request.
        stream_.socket().set_option(tcp::no_delay(true), ignored);
    }

    ~Session() override { --shared_->connections; }

    void start() { read_next(true); }

    void close() {
        asio::post(stream_.get_executor(), [self = shared_from_this()] { self->shut(); });
    }

    // ResponseStream

    void begin(int status, std::vector<std::pair<std::string, std::string>> headers) override {
        chunked_ = !http_1_0_;
        std::string head =
            format_head(status, headers, chunked_ ? BodyLength::Chunked : BodyLength::UntilClose, 0,
                        keep_alive_);
        push(std::move(head));
    }

    bool write(std::string_view bytes) override {
        static constexpr std::size_t kUnsentLimit = 4u << 20;
        {
            std::unique_lock lock(mutex_);
            drained_.wait(lock, [this] { return unsent_ < kUnsentLimit || gone_; });
        }
        return offer(bytes, SIZE_MAX);
    }

    bool offer(std::string_view bytes, std::size_t limit) override {
        if (bytes.empty()) {
            return !gone();
        }
        {
            const std::lock_guard lock(mutex_);
            if (gone_) {
                return false;
            }
            if (unsent_ > limit) {
                gone_ = true;
                close();
                return false;
            }
        }
        if (head_only_) {
            return true;
        }
        std::string piece;
        if (chunked_) {
            std::array<char, 20> size;
            const int length = std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
            piece.reserve(bytes.size() + 24);
            piece.append(size.data(), static_cast<std::size_t>(length))
                .append(bytes)
                .append("\r\n");
        } else {
            piece = bytes;
        }
        push(std::move(piece));
        return true;
    }

    void end() override {
        {
            const std::lock_guard lock(mutex_);
            if (ended_) {
                return;
            }
            ended_ = true;
        }
        if (chunked_ && !head_only_) {
            push("0\r\n\r\n");
        }
        asio::post(stream_.get_executor(), [self = shared_from_this()] {
            self->finish_requested_ = true;
            self->pump();
        });
    }

    [[nodiscard]] bool gone() const noexcept override {
        const std::lock_guard lock(mutex_);
        return gone_;
    }

  private:
    struct Piece {
        std::string text;
        std::shared_ptr<const void> owner;
        std::string_view view;

        [[nodiscard]] std::string_view bytes() const noexcept {
            return owner ? view : std::string_view(text);
        }
    };

    void read_next(bool first) {
        if (shared_->stopping) {
            shut();
            return;
        }
        parser_.emplace();
        parser_->header_limit(32u << 10);
        parser_->body_limit(shared_->options.max_body_bytes);
        stream_.expires_after(std::chrono::seconds(first ? shared_->options.header_timeout_s
                                                         : shared_->options.idle_timeout_s));
        http::async_read(stream_, buffer_, *parser_,
                         [self = shared_from_this()](beast::error_code error, std::size_t) {
                             self->on_read(error);
                         });
    }

    void on_read(beast::error_code error) {
        if (error == http::error::end_of_stream || error == beast::error::timeout ||
            error == asio::error::operation_aborted || error == asio::error::connection_reset ||
            error == asio::error::eof) {
            shut();
            return;
        }
        Request request;
        request.id = to_hex(std::array<std::uint8_t, 4>{
            static_cast<std::uint8_t>(random_u64()), static_cast<std::uint8_t>(random_u64() >> 8),
            static_cast<std::uint8_t>(random_u64() >> 16),
            static_cast<std::uint8_t>(random_u64() >> 24)});
        keep_alive_ = false;
        head_only_ = false;
        chunked_ = false;
        http_1_0_ = false;
        ended_ = false;
        finish_requested_ = false;
        if (error) {
            const bool too_large =
                error == http::error::body_limit || error == http::error::header_limit;
            respond(Response::error(request, too_large ? 413 : 400,
                                    too_large ? "too_large" : "invalid",
                                    too_large ? "the request is larger than this server takes"
                                              : "this is not a valid HTTP request"));
            return;
        }
        auto message = parser_->release();
        keep_alive_ = message.keep_alive() && !shared_->stopping;
        http_1_0_ = message.version() < 11;
        request.method = std::string(message.method_string());
        head_only_ = request.method == "HEAD";
        for (const auto& field : message) {
            request.headers.emplace(
                to_lower({field.name_string().data(), field.name_string().size()}),
                std::string(field.value()));
        }
        request.body = std::move(message.body());
        const std::string target(message.target());
        if (auto refused = admit(shared_->options, target, request)) {
            respond(std::move(*refused));
            return;
        }
        stream_.expires_never();
        ++shared_->busy;
        asio::post(shared_->workers, [self = shared_from_this(), request = std::move(request)] {
            self->answer(request);
        });
    }

    void answer(const Request& request) {
        Response response;
        try {
            response = shared_->handler(request);
        } catch (const std::exception& failure) {
            response = Response::error(request, 500, "internal",
                                       std::string("unexpected failure: ") + failure.what());
        }
        if (response.take_over) {
            --shared_->busy;
            keep_alive_ = false;
            begin(response.status, std::move(response.headers));
            response.take_over(shared_from_this());
            watch_for_close();
            return;
        }
        if (response.stream && !head_only_) {
            begin(response.status, std::move(response.headers));
            try {
                response.stream(*this);
            } catch (const std::exception&) {
                keep_alive_ =
                    false;  // the head is out: cutting the connection is the only honest sign left
                close();
            }
            end();
        } else {
            respond(std::move(response));
        }
        --shared_->busy;
    }

    void respond(Response response) {
        const std::string_view bytes = response.body.bytes();
        std::string head = format_head(response.status, response.headers, BodyLength::Known,
                                       bytes.size(), keep_alive_);
        push(std::move(head));
        if (!head_only_ && !bytes.empty() && response.status != 304) {
            if (response.body.owner) {
                push_view(response.body.owner, bytes);
            } else {
                push(std::move(response.body.text));
            }
        }
        end();
    }

    // An event stream never reads, so a closed client would go unnoticed until the next event: read
    // one byte for ever.
    void watch_for_close() {
        asio::post(stream_.get_executor(), [self = shared_from_this()] {
            self->stream_.socket().async_wait(
                tcp::socket::wait_read, [self](boost::system::error_code) {
                    std::array<char, 512> scratch;
                    boost::system::error_code error;
                    self->stream_.socket().non_blocking(true, error);
                    const std::size_t got =
                        self->stream_.socket().read_some(asio::buffer(scratch), error);
                    if ((error && error != asio::error::would_block) || got == 0) {
                        self->shut();
                    } else {
                        self->watch_for_close();
                    }
                });
        });
    }

    void push(std::string text) { enqueue({std::move(text), nullptr, {}}); }

    void push_view(std::shared_ptr<const void> owner, std::string_view view) {
        enqueue({{}, std::move(owner), view});
    }

    void enqueue(Piece piece) {
        {
            const std::lock_guard lock(mutex_);
            if (gone_) {
                return;
            }
            unsent_ += piece.bytes().size();
            queue_.push_back(std::move(piece));
        }
        asio::post(stream_.get_executor(), [self = shared_from_this()] { self->pump(); });
    }

    // io thread only: at most one write in flight, all queued pieces in one call.
    void pump() {
        if (writing_) {
            return;
        }
        {
            const std::lock_guard lock(mutex_);
            if (gone_) {
                return;
            }
            in_flight_.assign(std::make_move_iterator(queue_.begin()),
                              std::make_move_iterator(queue_.end()));
            queue_.clear();
        }
        if (in_flight_.empty()) {
            if (finish_requested_) {
                finish_requested_ = false;
                keep_alive_ ? read_next(false) : shut();
            }
            return;
        }
        std::vector<asio::const_buffer> buffers;
        std::size_t bytes = 0;
        for (const Piece& piece : in_flight_) {
            buffers.emplace_back(piece.bytes().data(), piece.bytes().size());
            bytes += piece.bytes().size();
        }
        writing_ = true;
        stream_.expires_after(std::chrono::seconds(shared_->options.write_timeout_s));
        asio::async_write(
            stream_, buffers,
            [self = shared_from_this(), bytes](boost::system::error_code error, std::size_t) {
                self->writing_ = false;
                self->in_flight_.clear();
                self->stream_.expires_never();
                {
                    const std::lock_guard lock(self->mutex_);
                    self->unsent_ -= bytes;
                    self->gone_ = self->gone_ || error;
                }
                self->drained_.notify_all();
                error ? self->shut() : self->pump();
            });
    }

    void shut() {
        {
            const std::lock_guard lock(mutex_);
            gone_ = true;
            queue_.clear();
        }
        drained_.notify_all();
        boost::system::error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
        stream_.socket().close(ignored);
    }

    std::shared_ptr<SessionShared> shared_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::string_body>> parser_;
    std::vector<Piece> in_flight_;
    bool writing_ = false;
    bool finish_requested_ = false;
    bool keep_alive_ = false, head_only_ = false, chunked_ = false, http_1_0_ = false;

    mutable std::mutex mutex_;
    std::condition_variable drained_;
    std::deque<Piece> queue_;
    std::size_t unsent_ = 0;
    bool gone_ = false;
    bool ended_ = false;
};

void SessionShared::close_all() {
    std::set<std::weak_ptr<Session>, std::owner_less<>> open;
    {
        const std::lock_guard lock(mutex);
        open.swap(sessions);
    }
    for (const auto& weak : open) {
        if (auto session = weak.lock()) {
            session->close();
        }
    }
}

void start_session(std::shared_ptr<SessionShared> shared, tcp::socket socket) {
    auto session = std::make_shared<Session>(shared, std::move(socket));
    {
        const std::lock_guard lock(shared->mutex);
        std::erase_if(shared->sessions, [](const auto& weak) { return weak.expired(); });
        shared->sessions.insert(session);
    }
    session->start();
}

}  // namespace taffrail::server
