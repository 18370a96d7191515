// HTTP by libcurl. The library brings 36 others along and takes 8 ms to load, so it is loaded when
// the first transport is made and never before.
#include "base/strings.h"
#include "base/try.h"
#include "io/http.h"

#include <curl/curl.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>

namespace taffrail::io {
namespace {

constexpr std::size_t kLargestAnswer = std::size_t{256} << 20;
constexpr std::size_t kLargestHeaders = std::size_t{1} << 20;
constexpr long kConnectMilliseconds = 15'000;

struct CurlLibrary {
    CURLcode (*global_init)(long) = nullptr;
    CURL* (*make)() = nullptr;
    void (*destroy)(CURL*) = nullptr;
    void (*reset)(CURL*) = nullptr;
    CURLcode (*set)(CURL*, CURLoption, ...) = nullptr;
    CURLcode (*perform)(CURL*) = nullptr;
    CURLcode (*info)(CURL*, CURLINFO, ...) = nullptr;
    const char* (*message)(CURLcode) = nullptr;
    curl_slist* (*list_append)(curl_slist*, const char*) = nullptr;
    void (*list_free)(curl_slist*) = nullptr;
    std::string problem;
};

CurlLibrary load_curl() {
    CurlLibrary library;
    void* handle = nullptr;
    const char* chosen = std::getenv("TAFFRAIL_CURL_LIBRARY");
    if (chosen != nullptr && *chosen != '\0') {
        handle = ::dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    } else {
        for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
            handle = handle != nullptr ? handle : ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        }
    }
    if (handle == nullptr) {
        library.problem =
            std::string("sending over the network needs libcurl, which is not here (") +
            ::dlerror() + "); install the package libcurl4";
        return library;
    }
    bool is_complete = true;
    const auto resolve = [&](const char* name, auto& to) {
        to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(::dlsym(handle, name));
        is_complete = is_complete && to != nullptr;
    };
    resolve("curl_global_init", library.global_init);
    resolve("curl_easy_init", library.make);
    resolve("curl_easy_cleanup", library.destroy);
    resolve("curl_easy_reset", library.reset);
    resolve("curl_easy_setopt", library.set);
    resolve("curl_easy_perform", library.perform);
    resolve("curl_easy_getinfo", library.info);
    resolve("curl_easy_strerror", library.message);
    resolve("curl_slist_append", library.list_append);
    resolve("curl_slist_free_all", library.list_free);
    if (!is_complete || library.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        library.problem = "the libcurl found here cannot be used; install the package libcurl4";
    }
    return library;
}

const CurlLibrary& curl() {
    static const CurlLibrary library = load_curl();
    return library;
}

struct Received {
    HttpResponse response;
    std::size_t header_bytes = 0;
    const Patience* patience = nullptr;
};

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* to) {
    auto& received = *static_cast<Received*>(to);
    if (received.response.body.size() + size * count > kLargestAnswer) {
        return 0;
    }
    received.response.body.append(data, size * count);
    return size * count;
}

std::size_t take_header(char* data, std::size_t size, std::size_t count, void* to) {
    auto& received = *static_cast<Received*>(to);
    const std::string_view line(data, size * count);
    received.header_bytes += line.size();
    if (received.header_bytes > kLargestHeaders) {
        return 0;
    }
    if (line.starts_with("HTTP/")) {
        received.response.headers.clear();  // of an answer before the answer (100 Continue)
    }
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
        received.response.headers.emplace_back(to_lower(trim(line.substr(0, colon))),
                                               trim(line.substr(colon + 1)));
    }
    return line.size();
}

/// Asked about once a second, and whenever something moves.
int is_out_of_patience(void* from, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return std::chrono::steady_clock::now() >= static_cast<Received*>(from)->patience->end() ? 1
                                                                                             : 0;
}

ErrorCode code_of_curl(CURLcode code) {
    switch (code) {
        case CURLE_COULDNT_RESOLVE_HOST:
        case CURLE_COULDNT_RESOLVE_PROXY:
        case CURLE_COULDNT_CONNECT:
        case CURLE_SSL_CONNECT_ERROR:
            return ErrorCode::Unavailable;
        case CURLE_OPERATION_TIMEDOUT:
        case CURLE_ABORTED_BY_CALLBACK:
            return ErrorCode::Timeout;
        case CURLE_URL_MALFORMAT:
        case CURLE_UNSUPPORTED_PROTOCOL:
            return ErrorCode::InvalidArgument;
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_CERTPROBLEM:
            return ErrorCode::PermissionDenied;
        default:
            return ErrorCode::Io;
    }
}

class CurlTransport final : public HttpTransport {
  public:
    explicit CurlTransport(HttpTrust trust) : trust_(std::move(trust)), handle_(curl().make()) {}

    CurlTransport(const CurlTransport&) = delete;
    CurlTransport& operator=(const CurlTransport&) = delete;

    ~CurlTransport() override { curl().destroy(handle_); }

    Result<HttpResponse> send(const HttpRequest& request, const Patience& patience) override {
        if (!request.url.starts_with("http://") && !request.url.starts_with("https://")) {
            return Error{ErrorCode::InvalidArgument,
                         "only http:// and https:// can be sent to, not " + host_of(request.url)};
        }
        const std::lock_guard guard(mutex_);
        const CurlLibrary& library = curl();
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            patience.end() - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            return Error{ErrorCode::Timeout,
                         "the time to send to " + host_of(request.url) + " is over"};
        }
        library.reset(handle_);  // connections stay
        Received received;
        received.patience = &patience;
        std::array<char, CURL_ERROR_SIZE> text{};
        curl_slist* headers = nullptr;
        for (const auto& [name, value] : request.headers) {
            headers = library.list_append(headers, (name + ": " + value).c_str());
        }
        headers = library.list_append(headers, "Expect:");
        const auto set = [&](CURLoption option, auto value) {
            library.set(handle_, option, value);
        };
        set(CURLOPT_URL, request.url.c_str());
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_HTTPHEADER, headers);
        set(CURLOPT_ERRORBUFFER, text.data());
        set(CURLOPT_ACCEPT_ENCODING, "");
        set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMilliseconds);
        set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::min(left, request.timeout).count()));
        set(CURLOPT_WRITEFUNCTION, &take_body);
        set(CURLOPT_WRITEDATA, &received);
        set(CURLOPT_HEADERFUNCTION, &take_header);
        set(CURLOPT_HEADERDATA, &received);
        set(CURLOPT_XFERINFOFUNCTION, &is_out_of_patience);
        set(CURLOPT_XFERINFODATA, &received);
        set(CURLOPT_NOPROGRESS, 0L);
        if (request.method != "GET") {
            // The size is known, so that nothing is sent in chunks: some servers refuse those.
            set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
            set(CURLOPT_POSTFIELDS,
                request.body.empty() ? "" : reinterpret_cast<const char*>(request.body.data()));
            set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
        }
        if (!trust_.ca_file.empty()) {
            set(CURLOPT_CAINFO, trust_.ca_file.c_str());
        }
        if (!trust_.client_file.empty()) {
            set(CURLOPT_SSLCERT, trust_.client_file.c_str());
            set(CURLOPT_SSLKEY, trust_.client_file.c_str());
        }
        if (!trust_.is_checked) {
            set(CURLOPT_SSL_VERIFYPEER, 0L);
            set(CURLOPT_SSL_VERIFYHOST, 0L);
        }
        const CURLcode done = library.perform(handle_);
        library.list_free(headers);
        if (done != CURLE_OK) {
            const std::string why = text[0] != '\0' ? text.data() : library.message(done);
            return Error{code_of_curl(done), host_of(request.url) + ": " + why};
        }
        long status = 0;
        library.info(handle_, CURLINFO_RESPONSE_CODE, &status);
        received.response.status = static_cast<int>(status);
        return std::move(received.response);
    }

  private:
    HttpTrust trust_;
    CURL* handle_;
    std::mutex mutex_;
};

}  // namespace

Result<void> curl_available() {
    const std::string& problem = curl().problem;
    return problem.empty() ? Result<void>() : Result<void>(Error{ErrorCode::Unsupported, problem});
}

Result<std::shared_ptr<HttpTransport>> make_curl_transport(const HttpTrust& trust) {
    TAFFRAIL_TRY(curl_available());
    return std::shared_ptr<HttpTransport>(std::make_shared<CurlTransport>(trust));
}

}  // namespace taffrail::io
