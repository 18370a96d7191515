// Value-or-error for everything outside the training loop.
//
// A Result that is dropped is a compiler warning: ignoring a failed open or read must be a
// decision.
#pragma once

#include <taffrail/api.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace taffrail {

/// What kind of failure this is. Callers branch on it; people read Error::message.
enum class ErrorCode {
    InvalidArgument,   ///< the caller passed something that can never work
    NotFound,          ///< a file, run, key or name does not exist
    AlreadyExists,     ///< it must be new and is not
    PermissionDenied,  ///< the operating system said no
    Unsupported,       ///< understood, but this build or this format cannot do it
    Corrupt,           ///< bytes that fail their checks
    NoSpace,           ///< disk or quota is full
    Io,                ///< any other failure of a file or socket
    Unavailable,       ///< a peer is down or busy: trying again later can help
    Timeout,           ///< waited as long as asked
    Closed,            ///< used after finish() or close()
    Internal,          ///< a bug of ours
};

/// The name of a code, e.g. "NotFound".
TAFFRAIL_API std::string_view to_string(ErrorCode code) noexcept;

/// A failure: what failed, on what, why, and what to do. Never holds a secret.
struct [[nodiscard]] Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
};

/// Thrown by Result::value() of a failed result, and only there.
class ResultError : public std::runtime_error {
  public:
    explicit ResultError(Error error)
        : std::runtime_error(error.message), error_(std::move(error)) {}

    [[nodiscard]] const Error& error() const noexcept { return error_; }

  private:
    Error error_;
};

/// Either a T or an Error.
template <typename T>
class [[nodiscard]] Result {
  public:
    Result(T value)
        : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose

    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

    [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }

    explicit operator bool() const noexcept { return ok(); }

    /// The value; throws ResultError when there is none. Meant for scripts and tests.
    T& value() & { return check(), std::get<0>(state_); }

    const T& value() const& { return check(), std::get<0>(state_); }

    /// By value: `for (auto& x : f().value())` then keeps the range alive.
    T value() && { return check(), std::get<0>(std::move(state_)); }

    T value_or(T fallback) && {
        return ok() ? std::get<0>(std::move(state_)) : std::move(fallback);
    }

    /// Unchecked access: only after ok().
    T& operator*() & noexcept { return *std::get_if<0>(&state_); }

    const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }

    T operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }

    T* operator->() noexcept { return std::get_if<0>(&state_); }

    const T* operator->() const noexcept { return std::get_if<0>(&state_); }

    /// The error; only after !ok().
    [[nodiscard]] const Error& error() const& noexcept { return *std::get_if<1>(&state_); }

    [[nodiscard]] Error&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

  private:
    void check() const {
        if (!ok()) {
            throw ResultError(error());
        }
    }

    std::variant<T, Error> state_;
};

/// Success or an Error.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;

    Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose

    [[nodiscard]] bool ok() const noexcept { return !error_.has_value(); }

    explicit operator bool() const noexcept { return ok(); }

    /// Throws ResultError on failure.
    void value() const {
        if (error_) {
            throw ResultError(*error_);
        }
    }

    [[nodiscard]] const Error& error() const& noexcept { return *error_; }

    [[nodiscard]] Error&& error() && noexcept { return std::move(*error_); }

  private:
    std::optional<Error> error_;
};

}  // namespace taffrail
