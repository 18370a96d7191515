// Who was let in: a single-use code in the printed address, a secret of its own for each browser
// that used one, and one token for programs.
//
// Three secrets and not one, because they travel differently. The address ends up in histories and
// chats, so it must be worthless once used. A cookie is sent to every server on the same host name,
// whatever its port, so it must open this server only and be no one else's. The token never leaves
// the programs it was given to.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::server {

/// Safe from any thread.
class Visitors {
  public:
    Visitors();

    /// For `Authorization: Bearer …`; good as long as the server runs.
    [[nodiscard]] const std::string& token() const noexcept { return token_; }

    /// What the next address to print holds. Good for one browser.
    [[nodiscard]] std::string code() const;

    /// Called after a code was used, with the next one; from the thread that served the visitor.
    void on_used(std::function<void(const std::string& next_code)> call);

    [[nodiscard]] bool is_token(std::string_view text) const;
    [[nodiscard]] bool is_session(std::string_view text) const;

    /// The secret of a new session in exchange for the code, which is worthless from then on.
    [[nodiscard]] std::optional<std::string> enter(std::string_view code);

  private:
    const std::string token_;
    mutable std::mutex mutex_;
    std::string code_;
    std::deque<std::string> sessions_;  ///< oldest first
    std::function<void(const std::string&)> used_;
};

}  // namespace taffrail::server
