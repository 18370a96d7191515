// The HTTP engine on a real socket.
#include "server/http.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace taffrail::server {
namespace {

class Connection {
  public:
    explicit Connection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        const timeval timeout{5, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    }

    ~Connection() { ::close(socket_); }

    std::size_t read_some() const {
        char buffer[65536];
        const ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0);
        return got > 0 ? static_cast<std::size_t>(got) : 0;
    }

    void send(std::string_view text) const {
        EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(text.size()));
    }

    std::string read_all() const {
        std::string text;
        char buffer[4096];
        for (ssize_t got = ::recv(socket_, buffer, sizeof buffer, 0); got > 0;
             got = ::recv(socket_, buffer, sizeof buffer, 0)) {
            text.append(buffer, static_cast<std::size_t>(got));
        }
        return text;
    }

    std::string read_until(std::string_view end) const {
        std::string text;
        char byte = 0;
        while (!text.ends_with(end) && ::recv(socket_, &byte, 1, 0) == 1) {
            text.push_back(byte);
        }
        return text;
    }

  private:
    int socket_;
};

std::unique_ptr<HttpServer> serve(Handler handler, HttpOptions options = {}) {
    return HttpServer::start(std::move(options), std::move(handler)).value();
}

Handler hello() {
    return [](const Request& request) {
        return Response::text("hello " + request.path + ' ' + request.body);
    };
}

TEST(Http, AnswersSeveralRequestsOnOneConnection) {
    auto server = serve(hello());
    const Connection client(server->port());
    for (int i = 0; i < 3; ++i) {
        client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
        EXPECT_NE(client.read_until("hello a ").find("HTTP/1.1 200 OK"), std::string::npos);
    }
    client.send(
        "POST /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nConnection: close\r\n\r\nxyz");
    EXPECT_NE(client.read_all().find("hello b xyz"), std::string::npos);
}

// The handler waits for nothing else: it ends only if the client's going reaches it.
TEST(Http, AClientThatGoesStopsWhatIsMadeForIt) {
    std::atomic<bool> begun = false, stopped = false, ended = false;
    auto server = serve([&](const Request& request) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        begun = true;
        while (!request.stop.stop_requested() && std::chrono::steady_clock::now() < limit) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        stopped = request.stop.stop_requested();
        ended = true;
        return Response::text("to nobody");
    });
    {
        const Connection client(server->port());
        client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
        while (!begun) {
            std::this_thread::yield();
        }
    }
    while (!ended) {
        std::this_thread::yield();
    }
    EXPECT_TRUE(stopped);
}

TEST(Http, ANextRequestSentEarlyStopsNothing) {
    std::atomic<int> asked = 0;
    auto server = serve([&](const Request& request) {
        ++asked;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return Response::text(request.stop.stop_requested() ? "stopped" : "whole " + request.path);
    });
    const Connection client(server->port());
    client.send(
        "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /b HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(client.read_until("whole a").find("HTTP/1.1 200 OK"), std::string::npos);
    EXPECT_NE(client.read_until("whole b").find("HTTP/1.1 200 OK"), std::string::npos);
    EXPECT_EQ(asked, 2);
}

TEST(Http, HeadSendsNoBody) {
    auto server = serve(hello());
    const Connection client(server->port());
    client.send("HEAD /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const std::string answer = client.read_all();
    EXPECT_NE(answer.find("Content-Length: 8"), std::string::npos);
    EXPECT_EQ(answer.find("hello"), std::string::npos);
}

TEST(Http, GarbageAndGiantsAreRefusedWithoutHarm) {
    HttpOptions options;
    options.max_body_bytes = 1000;
    auto server = serve(hello(), options);
    const std::pair<std::string, std::string> cases[] = {
        {"\x16\x03\x01garbage\r\n\r\n", " 400 "},
        {"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n",
         " 413 "},
        {"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999\r\n\r\n", " 413 "},
        {"GET /../x HTTP/1.1\r\nHost: localhost\r\n\r\n", " 400 "},
        {"GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", " 403 "},
        {"BREW / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", " 405 "},
    };
    for (const auto& [request, status] : cases) {
        const Connection client(server->port());
        client.send(request.substr(0, 60'000));
        EXPECT_NE(client.read_until("\r\n").find(status), std::string::npos)
            << request.substr(0, 40);
    }
    const Connection client(server->port());
    client.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_NE(client.read_all().find("hello a"), std::string::npos);
}

// What stands behind a body of unknown length would be taken for the next request.
TEST(Http, FindingS23_UnclearRequestsEndTheConnection) {
    auto server = serve(hello());
    for (const char* head :
         {"Host: localhost\r\nTransfer-Encoding: xchunked\r\n",
          "Host: localhost\r\nHost: evil.example\r\n", "Host: evil.example\r\nHost: localhost\r\n",
          "Host: [::1]evil\r\n", "Host: localhost:evil.example\r\n",
          "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n"}) {
        const Connection client(server->port());
        client.send(std::string("POST /a HTTP/1.1\r\n") + head +
                    "\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n");
        const std::string answer = client.read_all();
        EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << head << answer;
        EXPECT_EQ(answer.find("smuggled"), std::string::npos) << head;
    }
}

TEST(Http, StreamsInChunks) {
    auto server = serve([](const Request&) {
        Response response;
        response.stream = [pieces = 0](ResponseStream& stream) mutable {
            stream.write(pieces == 0 ? "one" : "three");
            return ++pieces < 2;
        };
        return response;
    });
    const Connection client(server->port());
    client.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_NE(client.read_all().find("\r\n\r\n3\r\none\r\n5\r\nthree\r\n0\r\n\r\n"),
              std::string::npos);
}

TEST(Http, WorkForClientsThatLeftStops) {
    std::atomic<bool> noticed = false;
    auto server = serve([&](const Request&) {
        Response response;
        // Held by the stream alone: gone when nobody works for it any more.
        const std::shared_ptr<void> held(nullptr, [&](void*) { noticed = true; });
        response.stream = [held](ResponseStream& stream) {
            return stream.write(std::string(1u << 20, 'x'));
        };
        return response;
    });
    {
        const Connection client(server->port());
        client.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
        client.read_until("\r\n\r\n");
    }
    for (int i = 0; i < 500 && !noticed; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(noticed);
}

// Two downloads that nobody reads held both workers, and the dashboard with them.
TEST(Http, FindingS19_SlowReadersLeaveTheWorkersToOthers) {
    HttpOptions options;
    options.workers = 2;
    std::atomic<int> pieces = 0;
    auto server = serve(
        [&](const Request& request) {
            if (request.path != "export") {
                return Response::text("fine");
            }
            Response response;
            response.stream = [&](ResponseStream& stream) {
                ++pieces;
                return stream.write(std::string(1u << 20, 'x'));
            };
            return response;
        },
        options);
    std::vector<std::unique_ptr<Connection>> slow;
    for (int i = 0; i < 8; ++i) {
        slow.push_back(std::make_unique<Connection>(server->port()));
        slow.back()->send("GET /export HTTP/1.1\r\nHost: localhost\r\n\r\n");
        slow.back()->read_until("\r\n\r\n");
    }
    // Nobody reads on: production comes to rest by itself …
    for (int before = -1; before != pieces;) {
        before = pieces;
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    EXPECT_LT(pieces, 8 * 40) << "a slow reader may cost megabytes, not everything";
    // … and other requests are answered meanwhile.
    for (int i = 0; i < 5; ++i) {
        const Connection client(server->port());
        client.send("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        EXPECT_NE(client.read_all().find("fine"), std::string::npos);
    }
    // A reader that goes on reading gets more than what was made before.
    const int rested = pieces;
    std::size_t got = 0;
    while (pieces == rested && got < (64u << 20)) {
        got += slow.front()->read_some();
    }
    EXPECT_GT(pieces, rested);
}

TEST(Http, FindingS18_TheLongestIdleConnectionMakesRoom) {
    HttpOptions options;
    options.max_connections = 8;
    auto server = serve(hello(), options);
    std::vector<std::unique_ptr<Connection>> idle;
    for (int i = 0; i < 30; ++i) {
        idle.push_back(std::make_unique<Connection>(server->port()));
    }
    const Connection client(server->port());
    client.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_NE(client.read_all().find("hello a"), std::string::npos);
    EXPECT_EQ(idle.front()->read_all(), "") << "the first one was closed";
    idle.back()->send("GET /b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_NE(idle.back()->read_all().find("hello b"), std::string::npos) << "the last one stays";
}

TEST(Http, FindingS18_BusyConnectionsAreNotGivenUpForNewOnes) {
    HttpOptions options;
    options.max_connections = 4;
    auto server = serve(
        [](const Request& request) {
            if (request.path != "events") {
                return Response::text("fine");
            }
            Response response;
            response.take_over = [](const std::shared_ptr<ResponseStream>& stream) {
                stream->offer("hello\n", 1000);
            };
            return response;
        },
        options);
    std::vector<std::unique_ptr<Connection>> streams;
    for (int i = 0; i < 4; ++i) {
        streams.push_back(std::make_unique<Connection>(server->port()));
        streams.back()->send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        EXPECT_NE(streams.back()->read_until("hello\n").find("hello"), std::string::npos);
    }
    const Connection refused(server->port());
    EXPECT_NE(refused.read_all().find(" 503 "), std::string::npos);
    streams.pop_back();
    std::string answer;
    for (int i = 0; i < 500 && answer.find("fine") == std::string::npos; ++i) {
        const Connection client(server->port());
        client.send("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        answer = client.read_all();
    }
    EXPECT_NE(answer.find("fine"), std::string::npos) << "room again once one has gone";
}

TEST(Http, FindingS18_TheLimitStaysBelowTheSystems) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit few = before;
    few.rlim_cur = 256;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    auto server = serve(hello());
    EXPECT_EQ(server->connection_limit(), 128u);
    setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Http, FindingS17_AStreamThatThrowsIsBrokenOffAndTheServerLives) {
    auto server = serve([](const Request& request) {
        if (request.path != "boom") {
            return Response::text("fine");
        }
        Response response;
        response.stream = [pieces = 0](ResponseStream& stream) mutable {
            stream.write("some");
            if (++pieces == 2) {
                throw std::bad_alloc();
            }
            return true;
        };
        return response;
    });
    for (int i = 0; i < 5; ++i) {
        const Connection client(server->port());
        client.send("GET /boom HTTP/1.1\r\nHost: localhost\r\n\r\n");
        const std::string answer = client.read_all();
        EXPECT_EQ(answer.find("0\r\n\r\n"), std::string::npos) << "it must not look whole";
        const Connection other(server->port());
        other.send("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        EXPECT_NE(other.read_all().find("fine"), std::string::npos);
    }
}

TEST(Http, SlowRequestsAreCutOff) {
    HttpOptions options;
    options.header_timeout_s = 1;
    auto server = serve(hello(), options);
    const Connection client(server->port());
    client.send("GET /a HT");
    const auto started = std::chrono::steady_clock::now();
    EXPECT_EQ(client.read_all(), "");
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(4));
}

TEST(Http, BusyPortsAreSteppedOver) {
    auto first = serve(hello());
    HttpOptions options;
    options.port = first->port();
    auto second = serve(hello(), options);
    EXPECT_NE(second->port(), first->port());
    options.next_free_port = false;
    const auto refused = HttpServer::start(options, hello());
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("--port"), std::string::npos);
}

TEST(Http, AHandlerThatThrowsIsA500AndTheServerLives) {
    auto server = serve([](const Request& request) -> Response {
        if (request.path == "boom") {
            throw std::runtime_error("boom");
        }
        return Response::text("fine");
    });
    const Connection client(server->port());
    client.send("GET /boom HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(client.read_until("\r\n").find(" 500 "), std::string::npos);
    const Connection other(server->port());
    other.send("GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_NE(other.read_all().find("fine"), std::string::npos);
}

}  // namespace
}  // namespace taffrail::server
