// Threads of the library: named, and deaf to signals, which belong to the program.
#pragma once

#include <functional>
#include <thread>

namespace taffrail {

/// `name` is of static life and has at most 15 characters. Throws std::system_error when the system
/// has no more threads; which signals the caller takes is then as it was.
std::thread start_quiet_thread(const char* name, std::function<void()> body);

}  // namespace taffrail
