// What the library says about itself: one line per distinct cause, at most one a second, never over
// a progress bar.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace taffrail {

enum class DiagnosticLevel : std::uint8_t { Info, Warning, Error };

/// Receives every line that passes the rate limit. The default writes "taffrail: …" to stderr
/// (through the terminal layer's hook, so that a bar is not torn).
using DiagnosticHandler = std::function<void(DiagnosticLevel level, std::string_view message)>;

/// Replaces the handler and returns the one before. Thread-safe.
DiagnosticHandler set_diagnostic_handler(DiagnosticHandler handler);

/// Says `message` now; control characters in it are shown (`\x1b`), not sent.
void diagnose(DiagnosticLevel level, std::string_view message) noexcept;

/// Says it once per `cause` for the life of the process; later ones are only counted. Returns the
/// count so far.
std::uint64_t diagnose_once(DiagnosticLevel level, std::string_view cause,
                            std::string_view message) noexcept;

/// How often `cause` was reported.
std::uint64_t diagnostic_count(std::string_view cause) noexcept;

/// Forgets what was said; for tests.
void reset_diagnostics() noexcept;

}  // namespace taffrail
