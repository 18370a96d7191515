#include "io/http_client.h"

#include "base/diagnostics.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <mutex>
#include <thread>

namespace taffrail::io {
namespace {

using namespace std::chrono_literals;

/// Answers as told, and a clock that only moves when somebody waits.
struct Stage {
    struct Transport final : HttpTransport {
        explicit Transport(Stage& of) : stage(of) {}

        Result<HttpResponse> send(const HttpRequest& request, const Patience&) override {
            stage.sent.push_back(request.url);
            if (stage.answers.empty()) {
                return HttpResponse{.status = 200, .body = "done"};
            }
            auto answer = stage.answers.front();
            stage.answers.pop_front();
            return answer;
        }

        Stage& stage;
    };

    std::deque<Result<HttpResponse>> answers;
    std::vector<std::string> sent;
    std::vector<std::chrono::milliseconds> waits;
    Patience::Time now = Patience::Time{} + 1000h;

    HttpClient client(HttpPolicy policy = {.jitter = 0}) {
        HttpTime time;
        time.now = [this] { return now; };
        time.wait = [this](Patience::Time until, Patience& patience) {
            waits.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(until - now));
            if (until >= patience.end()) {
                return false;
            }
            now = until;
            return true;
        };
        return HttpClient(std::make_shared<Transport>(*this), policy, time, 1);
    }
};

HttpResponse status(int number, HttpHeaders headers = {}) {
    return {.status = number, .headers = std::move(headers)};
}

TEST(HttpClient, TriesAgainWithGrowingPauses) {
    Stage stage;
    stage.answers = {status(503), Error{ErrorCode::Unavailable, "no route"}, status(500)};
    auto client = stage.client();
    const auto answer = client.send({.url = "http://h/x"});
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->body, "done");
    EXPECT_EQ(stage.waits, (std::vector<std::chrono::milliseconds>{500ms, 1000ms, 2000ms}));
    EXPECT_EQ(client.repeats(), 3u);
}

TEST(HttpClient, GivesAnswersThatStay) {
    Stage stage;
    stage.answers = {status(404)};
    EXPECT_EQ(stage.client().send({.url = "http://h/x"})->status, 404);
    EXPECT_EQ(stage.sent.size(), 1u);
}

TEST(HttpClient, WaitsAsLongAsTheServerAsks) {
    Stage stage;
    stage.answers = {status(429, {{"retry-after", "7"}})};
    ASSERT_TRUE(stage.client().send({.url = "http://h/x"}).ok());
    EXPECT_EQ(stage.waits, (std::vector<std::chrono::milliseconds>{7000ms}));
}

TEST(HttpClient, ComesBackLaterWhereTheServerAsksForLong) {
    Stage stage;
    stage.answers = {status(429, {{"retry-after", "300"}})};
    auto client = stage.client();
    EXPECT_EQ(client.send({.url = "http://h/x"}).error().code, ErrorCode::Unavailable);
    stage.now += 100s;
    EXPECT_EQ(client.send({.url = "http://h/x"}).error().code, ErrorCode::Unavailable);
    EXPECT_EQ(stage.sent.size(), 1u) << "nothing may be sent before";
    stage.now += 195s;
    EXPECT_TRUE(client.send({.url = "http://h/x"}).ok());
    EXPECT_EQ(stage.waits, (std::vector<std::chrono::milliseconds>{5000ms}));
}

TEST(HttpClient, DoesNotRepeatWhatMayHaveBeenDone) {
    for (const Result<HttpResponse>& first :
         {Result<HttpResponse>(status(500)), Result<HttpResponse>(Error{ErrorCode::Io, "cut"})}) {
        Stage stage;
        stage.answers = {first};
        EXPECT_EQ(stage.client().send({.url = "http://h/x", .is_repeatable = false}).error().code,
                  ErrorCode::Io);
        EXPECT_EQ(stage.sent.size(), 1u);
    }
    Stage stage;
    stage.answers = {status(429), Error{ErrorCode::Unavailable, "not reached"}};
    EXPECT_TRUE(stage.client().send({.url = "http://h/x", .is_repeatable = false}).ok());
}

TEST(HttpClient, EndsWithPatience) {
    Stage stage;
    stage.answers = {status(503), status(503), status(503)};
    auto client = stage.client();
    client.patience().end_by(stage.now + 600ms);
    EXPECT_FALSE(client.send({.url = "http://h/x"}).ok());
    EXPECT_EQ(stage.sent.size(), 2u);
    stage.now += 1s;
    EXPECT_EQ(client.send({.url = "http://h/x"}).error().code, ErrorCode::Timeout);
    EXPECT_EQ(stage.sent.size(), 2u);
}

TEST(HttpClient, SaysTheHostOnceAndNothingMore) {
    reset_diagnostics();
    std::vector<std::string> lines;
    const auto before = set_diagnostic_handler(
        [&](DiagnosticLevel, std::string_view line) { lines.emplace_back(line); });
    Stage stage;
    stage.answers = {status(200), status(503), status(503), status(503), status(503)};
    auto client = stage.client();
    ASSERT_TRUE(client.send({.url = "http://me:secret@h:1/x?token=secret"}).ok());
    const auto failed = client.send({.url = "http://me:secret@h:1/x?token=secret"});
    set_diagnostic_handler(before);
    EXPECT_EQ(lines, std::vector<std::string>{"sends to http://h:1"});
    EXPECT_EQ(failed.error().message.find("secret"), std::string::npos);
    EXPECT_NE(failed.error().message.find("503"), std::string::npos);
}

TEST(RetryAfter, ReadsSecondsAndDates) {
    EXPECT_EQ(retry_after("120", 0), 120s);
    EXPECT_EQ(retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 0), 60s);
    EXPECT_EQ(retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 90'000'000'000), 0s);
    EXPECT_LT(retry_after("soon", 0), 0s);
    EXPECT_LT(retry_after("", 0), 0s);
    EXPECT_LT(retry_after("-5", 0), 0s);
}

TEST(Urls, AreEscapedAndCutToTheirHost) {
    EXPECT_EQ(url_escape("a b/ä%", "/"), "a%20b/%C3%A4%25");
    EXPECT_EQ(host_of("https://u:p@h:8/x?y"), "https://h:8");
    EXPECT_EQ(host_of("http://h"), "http://h");
}

TEST(CurlTransport, SaysWhoIsNotThereAndHoldsNoSecret) {
    auto transport = make_curl_transport({});
    ASSERT_TRUE(transport.ok()) << transport.error().message;
    const Patience patience;
    // Port 1 of this machine: nobody listens there.
    const auto answer =
        (*transport)->send({.url = "http://u:secret@127.0.0.1:1/?k=secret"}, patience);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, ErrorCode::Unavailable);
    EXPECT_EQ(answer.error().message.find("secret"), std::string::npos);
    EXPECT_EQ((*transport)->send({.url = "file:///etc/passwd"}, patience).error().code,
              ErrorCode::InvalidArgument);
}

/// Takes connections and never says a word, as a server behind a network that swallows everything.
class SilentServer {
  public:
    SilentServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(listener_, generic, size), 0);
        EXPECT_EQ(::listen(listener_, 8), 0);
        EXPECT_EQ(::getsockname(listener_, generic, &size), 0);
        url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    }

    SilentServer(const SilentServer&) = delete;
    SilentServer& operator=(const SilentServer&) = delete;

    ~SilentServer() { ::close(listener_); }

    [[nodiscard]] const std::string& url() const { return url_; }

  private:
    int listener_;
    std::string url_;
};

TEST(CurlTransport, WaitsForASilentServerNoLongerThanPatienceLasts) {
    const SilentServer server;
    auto transport = make_curl_transport({}).value();
    const HttpRequest request{.method = "POST",
                              .url = server.url() + "/?k=secret",
                              .body = as_bytes("x"),
                              .timeout = std::chrono::hours(1)};
    Patience known;
    known.end_by(std::chrono::steady_clock::now() + 200ms);
    EXPECT_EQ(transport->send(request, known).error().code, ErrorCode::Timeout);
    Patience shortened;  // by finish(), while the request is under way
    std::thread finish([&] {
        std::this_thread::sleep_for(200ms);
        shortened.end_by(std::chrono::steady_clock::now());
    });
    const auto answer = transport->send(request, shortened);
    finish.join();
    EXPECT_EQ(answer.error().code, ErrorCode::Timeout);
    EXPECT_EQ(answer.error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace taffrail::io
