#include "server/visitors.h"

#include "base/names.h"
#include "base/sha256.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace taffrail::server {
namespace {

// More browsers than one dashboard ever sees; the oldest one has to use a new address then.
constexpr std::size_t kMaxSessions = 1000;

std::string make_secret() {
    const std::uint64_t random[] = {random_u64(), random_u64(), random_u64()};
    return to_hex(std::span(reinterpret_cast<const std::uint8_t*>(random), sizeof random));
}

// Compares every byte whatever differs, so that the time says nothing about the secret.
bool equal_in_constant_time(std::string_view given, std::string_view secret) {
    unsigned difference = given.size() == secret.size() ? 0u : 1u;
    for (std::size_t i = 0; i < secret.size(); ++i) {
        difference |=
            static_cast<unsigned>(static_cast<unsigned char>(i < given.size() ? given[i] : 0) ^
                                  static_cast<unsigned char>(secret[i]));
    }
    return difference == 0;
}

}  // namespace

Visitors::Visitors() : token_(make_secret()), code_(make_secret()) {}

std::string Visitors::code() const {
    const std::lock_guard lock(mutex_);
    return code_;
}

void Visitors::on_used(std::function<void(const std::string&)> call) {
    const std::lock_guard lock(mutex_);
    used_ = std::move(call);
}

bool Visitors::is_token(std::string_view text) const {
    return equal_in_constant_time(text, token_);
}

bool Visitors::is_session(std::string_view text) const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(sessions_, [text](const std::string& session) {
        return equal_in_constant_time(text, session);
    });
}

std::optional<std::string> Visitors::enter(std::string_view code) {
    std::string session = make_secret(), next = make_secret();
    std::function<void(const std::string&)> tell;
    {
        const std::lock_guard lock(mutex_);
        if (!equal_in_constant_time(code, code_)) {
            return std::nullopt;
        }
        code_ = next;
        sessions_.push_back(session);
        if (sessions_.size() > kMaxSessions) {
            sessions_.pop_front();
        }
        tell = used_;
    }
    if (tell) {
        tell(next);
    }
    return session;
}

}  // namespace taffrail::server
