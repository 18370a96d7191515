// The form of a call that must not end the training: whatever goes wrong inside, memory above all,
// is said once and the program goes on.
#pragma once

#include "base/diagnostics.h"

namespace taffrail {

/// Runs `work`; when it throws, says `message` once per `cause`.
template <typename Work>
void never_throws(const char* cause, const char* message, const Work& work) noexcept {
    try {
        work();
    } catch (...) {
        diagnose_once(DiagnosticLevel::Error, cause, message);
    }
}

}  // namespace taffrail
