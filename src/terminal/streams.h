// Brings what the program prints by itself above the live lines.
//
// stdio's `stdout` and `stderr` variables and the buffers of std::cout, cerr and clog are exchanged
// for ones that print through the Screen, in the same call: no pipe, no thread, nothing that a
// crash could lose. Descriptors 1 and 2 stay as they are, so children and write(2) are untouched.
#pragma once

namespace taffrail::terminal {

class Screen;

class StandardStreams {
  public:
    /// Exchanges them. stderr only when it is a terminal too. Idempotent.
    static void divert(Screen& screen) noexcept;
    /// Puts back what was there, unless somebody else has exchanged it since. Idempotent.
    static void release() noexcept;
};

}  // namespace taffrail::terminal
