#include "io/http_client.h"

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/strings.h"

#include <algorithm>
#include <ctime>

namespace taffrail::io {

using std::chrono::milliseconds;

bool is_passing(int status) noexcept {
    return status == 408 || status == 425 || status == 429 ||
           (status >= 500 && status != 501 && status != 505);
}

milliseconds retry_after(std::string_view text, std::int64_t now_ns) {
    const std::string value(trim(text));
    if (const auto seconds = parse_int(value)) {
        return *seconds < 0 || *seconds > 1'000'000 ? milliseconds(-1)
                                                    : milliseconds(*seconds * 1000);
    }
    std::tm parts{};
    const char* end = ::strptime(value.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    if (end == nullptr || *end != '\0') {
        return milliseconds(-1);
    }
    const auto due_ms = static_cast<std::int64_t>(::timegm(&parts)) * 1000;
    return milliseconds(std::max<std::int64_t>(due_ms - now_ns / 1'000'000, 0));
}

HttpClient::HttpClient(std::shared_ptr<HttpTransport> transport, HttpPolicy policy, HttpTime time,
                       std::uint64_t seed)
    : transport_(std::move(transport)),
      policy_(policy),
      time_(std::move(time)),
      random_(seed != 0 ? seed : static_cast<std::uint64_t>(monotonic_ns()) | 1) {}

milliseconds HttpClient::pause_for(int attempt, const HttpResponse* answer) {
    milliseconds pause = policy_.first_pause;
    for (int i = 0; i < attempt && pause < policy_.longest_pause; ++i) {
        pause *= 2;
    }
    pause = std::min(pause, policy_.longest_pause);
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    const double part = static_cast<double>(random_ >> 33) / static_cast<double>(1u << 31);
    pause += milliseconds(
        static_cast<std::int64_t>(static_cast<double>(pause.count()) * policy_.jitter * part));
    if (answer != nullptr) {
        pause = std::max(pause, retry_after(answer->header("retry-after"), wall_time_ns()));
    }
    return pause;
}

Result<HttpResponse> HttpClient::send(const HttpRequest& request) {
    const std::string host = host_of(request.url);
    diagnose_once(DiagnosticLevel::Info, "online " + host, "sends to " + host);
    const Patience::Time give_up = time_.now() + policy_.most_waiting;
    if (not_before_ > give_up) {
        return Error{ErrorCode::Unavailable, host + " asked to wait before anything is sent again"};
    }
    const auto waited = [&](Patience::Time until) {
        return until <= time_.now() || time_.wait(until, patience_);
    };
    Error last{ErrorCode::Timeout, "the time to send to " + host + " is over"};
    if (!waited(not_before_)) {
        return last;
    }
    for (int attempt = 0;; ++attempt) {
        if (time_.now() >= patience_.end()) {
            return last;
        }
        auto answer = transport_->send(request, patience_);
        if (answer.ok() && !is_passing(answer->status)) {
            return answer;
        }
        const bool was_reached = answer.ok() || answer.error().code != ErrorCode::Unavailable;
        if (answer.ok()) {
            last = {ErrorCode::Unavailable,
                    host + " answers with status " + std::to_string(answer->status)};
        } else {
            last = answer.error();
            if (last.code != ErrorCode::Unavailable && last.code != ErrorCode::Io &&
                last.code != ErrorCode::Timeout) {
                return last;
            }
            last.code = ErrorCode::Unavailable;
        }
        // 429 and 503 say that nothing was done.
        const bool was_refused = answer.ok() && (answer->status == 429 || answer->status == 503);
        if (!request.is_repeatable && was_reached && !was_refused) {
            last.code = ErrorCode::Io;
            return last;
        }
        const Patience::Time again =
            time_.now() + pause_for(attempt, answer.ok() ? &*answer : nullptr);
        if (answer.ok()) {
            not_before_ = again;
        }
        if (attempt + 1 >= policy_.tries || again > give_up || !waited(again)) {
            return last;
        }
        ++repeats_;
    }
}

}  // namespace taffrail::io
