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

  private:
    bool active_;
};

/// The signal that arrived since the outermost scope began, 0 for none.
int pending_signal() noexcept;

/// "Ctrl-C (SIGINT)", "SIGTERM".
std::string name_signal(int signal);

}  // namespace taffrail::trainer
