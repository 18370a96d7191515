// One request over HTTP and its answer, and who carries it: the interface that tests replace.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "io/patience.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::io {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
    std::string method = "GET";
    std::string url = {};  ///< http or https
    HttpHeaders headers = {};
    ByteSpan body = {};  ///< must live as long as the call
    std::chrono::milliseconds timeout = std::chrono::seconds(120);  ///< of one attempt
    /// False: not sent again once the server may have seen it.
    bool is_repeatable = true;
};

struct HttpResponse {
    int status = 0;
    HttpHeaders headers = {};  ///< names in small letters
    std::string body = {};

    /// Empty where there is none.
    [[nodiscard]] std::string_view header(std::string_view name) const noexcept;
};

/// Sends once. Any answer is a response, whatever its status. Errors: Unavailable when the server
/// was not reached, Io or Timeout when it may have seen the request, InvalidArgument and
/// Unsupported where trying again cannot help. No error holds more of a URL than its host.
class HttpTransport {
  public:
    virtual ~HttpTransport() = default;
    virtual Result<HttpResponse> send(const HttpRequest& request, const Patience& patience) = 0;
};

struct HttpTrust {
    std::string ca_file = {};      ///< certificates of authorities; empty: those of the system
    std::string client_file = {};  ///< certificate and key of this client
    bool is_checked = true;        ///< false: any certificate will do
};

/// By libcurl, which is loaded here: an error names the package where there is none. Proxies are
/// those of the environment. Connections are kept; one request at a time.
Result<std::shared_ptr<HttpTransport>> make_curl_transport(const HttpTrust& trust);

/// Whether there is a libcurl; else why not and what to install.
Result<void> curl_available();

/// "https://host:port" of a URL, without names, passwords and path.
std::string host_of(std::string_view url);
/// Everything but letters, digits and "-._~" (and those in `kept`) as %XX.
std::string url_escape(std::string_view text, std::string_view kept = {});

}  // namespace taffrail::io
