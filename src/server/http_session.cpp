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
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace taffrail::server {

namespace beast = boost::beast;
namespace http = beast::http;

SessionShared::SessionShared(HttpOptions http_options, Handler request_handler)
    : options(std::move(http_options)),
      handler(std::move(request_handler)),
      workers(std::make_unique<asio::thread_pool>(
          options.workers != 0 ? options.workers
                               : std::max(2u, std::thread::hardware_concurrency()))) {}

namespace {

// A client this far behind gets no further pieces until it has read some.
constexpr std::size_t kUnsentLimit = 4u << 20;

/// Headers that decide who asks, for what or where the body ends: of two, a proxy may have looked
/// at the other one.
bool stands_once(std::string_view name) {
    static constexpr std::string_view kNames[] = {
        "host", "origin", "content-length", "transfer-encoding", "content-type", "authorization"};
    return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace

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

    void close() noexcept {
        try {
            asio::post(stream_.get_executor(), [self = shared_from_this()] { self->shut(); });
        } catch (...) {
            // No memory even for that: its reads and writes then end by themselves.
            ::shutdown(stream_.socket().native_handle(), SHUT_RDWR);
        }
    }

    // ResponseStream

    void begin(int status, std::vector<std::pair<std::string, std::string>> headers) override {
        chunked_ = !http_1_0_;
        std::string head =
            format_head(status, headers, chunked_ ? BodyLength::Chunked : BodyLength::UntilClose, 0,
                        keep_alive_);
        push(std::move(head));
    }

    bool write(std::string_view bytes) override { return offer(bytes, SIZE_MAX); }

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
        idle_place_ = shared_->idle.insert(shared_->idle.end(), this);
        stream_.expires_after(std::chrono::seconds(first ? shared_->options.header_timeout_s
                                                         : shared_->options.idle_timeout_s));
        http::async_read(stream_, buffer_, *parser_,
                         [self = shared_from_this()](beast::error_code error, std::size_t) {
                             self->on_read(error);
                         });
    }

    // io thread only.
    void leave_idle() {
        if (idle_place_) {
            shared_->idle.erase(*idle_place_);
            idle_place_.reset();
        }
    }

    void on_read(beast::error_code error) {
        leave_idle();
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
        std::string repeated;
        for (const auto& field : message) {
            const auto [entry, added] = request.headers.emplace(
                to_lower({field.name_string().data(), field.name_string().size()}),
                std::string(field.value()));
            if (!added && stands_once(entry->first)) {
                repeated = entry->first;
            }
        }
        if (!repeated.empty()) {
            keep_alive_ = false;
            respond(Response::error(request, 400, "invalid",
                                    "the header '" + repeated + "' stands there twice"));
            return;
        }
        request.body = std::move(message.body());
        const std::string target(message.target());
        if (auto refused = admit(shared_->options, target, request)) {
            // Where a malformed request ends is not known, so nothing after it is taken for one.
            keep_alive_ = keep_alive_ && refused->status != 400;
            respond(std::move(*refused));
            return;
        }
        stream_.expires_never();
        {
            const std::lock_guard lock(mutex_);
            counted_ = true;
        }
        ++shared_->busy;
        stop_ = std::stop_source();
        request.stop = stop_.get_token();
        watch_while_answering();
        asio::post(*shared_->workers, [self = shared_from_this(), request = std::move(request)] {
            self->guarded([&] { self->answer(request); });
        });
    }

    // A worker must survive whatever an answer throws, also where memory is short; the connection
    // need not.
    template <typename Work>
    void guarded(Work work) {
        try {
            work();
        } catch (...) {
            close();
            finish_request();
        }
    }

    /// The request in hand is done with, however it ended; more calls do nothing. Before the end of
    /// its answer is queued: the next request may come right behind it.
    void finish_request() {
        const std::lock_guard lock(mutex_);
        if (std::exchange(counted_, false)) {
            --shared_->busy;
        }
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
            finish_request();
            keep_alive_ = false;
            begin(response.status, std::move(response.headers));
            response.take_over(shared_from_this());
            watch_for_close();
            return;
        }
        if (response.stream && !head_only_) {
            begin(response.status, std::move(response.headers));
            producer_ = std::move(response.stream);
            produce();
        } else {
            finish_request();
            respond(std::move(response));
        }
    }

    // One piece on a worker, then the next in a turn of its own: other requests come in between,
    // and a client that does not read leaves the workers to them.
    void produce() {
        bool more = false;
        try {
            more = producer_(*this);
        } catch (...) {
            // The head is out: cutting the connection is the only honest sign left.
            producer_ = nullptr;
            throw;
        }
        bool next = false;
        {
            const std::lock_guard lock(mutex_);
            parked_ = more && !gone_ && unsent_ >= kUnsentLimit;
            next = more && !gone_ && !parked_;
            if (parked_) {
                return;
            }
        }
        if (next) {
            asio::post(*shared_->workers,
                       [self = shared_from_this()] { self->guarded([&] { self->produce(); }); });
            return;
        }
        producer_ = nullptr;
        finish_request();
        end();
    }

    // io thread: goes on with a parked producer once there is room, and lets it go when the client
    // has.
    void unpark() {
        {
            const std::lock_guard lock(mutex_);
            if (!parked_ || (!gone_ && unsent_ >= kUnsentLimit)) {
                return;
            }
            parked_ = false;
            if (!gone_) {
                asio::post(*shared_->workers, [self = shared_from_this()] {
                    self->guarded([&] { self->produce(); });
                });
                return;
            }
        }
        producer_ = nullptr;
        finish_request();
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

    // A client that goes while its answer is made: nobody needs the rest of it. Bytes that come are
    // the next request, which is read when its turn comes.
    void watch_while_answering() {
        const std::uint64_t request = ++requests_;
        stream_.socket().async_wait(tcp::socket::wait_read, [self = shared_from_this(), request](
                                                                boost::system::error_code error) {
            if (error || request != self->requests_) {
                return;
            }
            char byte = 0;
            const auto got =
                ::recv(self->stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
                self->stop_.request_stop();
            }
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

    // io thread only: at most one write in flight, several queued pieces in one call. Not too many:
    // the time a client has is per write, and a slow line is not a dead one.
    void pump() {
        static constexpr std::size_t kWriteBytes = 256u << 10;
        if (writing_) {
            return;
        }
        {
            const std::lock_guard lock(mutex_);
            if (gone_) {
                return;
            }
            for (std::size_t taken = 0; !queue_.empty() && taken < kWriteBytes;) {
                taken += queue_.front().bytes().size();
                in_flight_.push_back(std::move(queue_.front()));
                queue_.pop_front();
            }
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
                if (error) {
                    self->shut();
                } else {
                    self->unpark();
                    self->pump();
                }
            });
    }

  public:
    // io thread only.
    void shut() {
        {
            const std::lock_guard lock(mutex_);
            gone_ = true;
            queue_.clear();
        }
        stop_.request_stop();
        leave_idle();
        unpark();
        boost::system::error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
        stream_.socket().close(ignored);
    }

  private:
    std::shared_ptr<SessionShared> shared_;
    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::string_body>> parser_;
    std::vector<Piece> in_flight_;
    std::stop_source stop_{std::nostopstate};  ///< of the request in hand; io thread only
    std::uint64_t requests_ = 0;               ///< io thread only
    bool writing_ = false;
    bool finish_requested_ = false;
    bool keep_alive_ = false, head_only_ = false, chunked_ = false, http_1_0_ = false;

    mutable std::mutex mutex_;
    std::deque<Piece> queue_;
    std::size_t unsent_ = 0;
    bool gone_ = false;
    bool ended_ = false;
    bool parked_ = false;   ///< the producer waits until the client has taken more
    bool counted_ = false;  ///< in shared_->busy

    std::function<bool(ResponseStream&)> producer_;  ///< of the one call of produce() at a time
    std::optional<std::list<Session*>::iterator> idle_place_;  ///< io thread only
};

bool SessionShared::close_idle_longest() {
    if (idle.empty()) {
        return false;
    }
    idle.front()->shut();
    return true;
}

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
