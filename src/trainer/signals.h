// Ctrl-C and SIGTERM as requests while a stage runs. The handlers are installed for the stage only
// and chain to the ones before; a second Ctrl-C ends the program at once.
#pragma once

#include <string>

namespace taffrail::trainer {

/// Watches SIGINT and SIGTERM while it lives. Nested scopes share the watch.
class SignalScope {
  public:
    explicit SignalScope(bool active);
    SignalScope(const SignalScope&) = delete;
    SignalScope& operator=(const SignalScope&) = delete;
    ~SignalScope();

    /// All ranks stop because of `signal`, which may not have come here yet: a launcher tells them
    /// one after the other. The first one that comes after this scope is then taken for that.
    void expect_late(int signal) noexcept;

  private:
    bool active_;
};

/// The signal that arrived since the outermost scope began, 0 for none.
int pending_signal() noexcept;

/// "Ctrl-C (SIGINT)", "SIGTERM".
std::string name_signal(int signal);

}  // namespace taffrail::trainer
