// The calls of the tracker's server: GraphQL, the stream of lines, and uploads.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "codec/json.h"
#include "io/http_client.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::sinks::wandb {

/// A document as the server knows it; variables come beside it.
struct Operation {
    std::string_view name, document;
};

extern const Operation kUpsertBucket, kRunResumeStatus, kCreateRunFiles, kNotifyAlert,
    kCreateArtifact, kCreateArtifactManifest, kCreateArtifactFiles, kCommitArtifact;

class GraphqlServer {
  public:
    /// `base` without a slash at its end. The key is sent, never kept elsewhere or shown.
    GraphqlServer(std::shared_ptr<io::HttpTransport> transport, std::string base, std::string key,
                  io::HttpPolicy policy = {}, io::HttpTime time = {});

    /// `variables` is a JSON object; gives the member `data`.
    Result<Json> ask(const Operation& operation, std::string_view variables);
    Result<void> stream(const std::string& entity, const std::string& project,
                        const std::string& run, std::string_view body);
    /// To an address that the server gave, which carries its own permission.
    Result<void> put(const std::string& url, const io::HttpHeaders& headers, ByteSpan bytes);

    io::HttpClient& client() noexcept { return client_; }

  private:
    Result<io::HttpResponse> post(const std::string& url, std::string_view body);

    io::HttpClient client_;
    std::string base_, authorization_;
};

/// The key of WANDB_API_KEY, else of the host's line in ~/.netrc; empty where there is none.
std::string find_key(const std::string& base);
/// WANDB_BASE_URL, else the address of the hosted service.
std::string find_base();

}  // namespace taffrail::sinks::wandb
