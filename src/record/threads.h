// Threads of the library: named, and deaf to signals, which belong to the program.
#pragma once

#include <functional>
#include <thread>

namespace taffrail::record {

/// May throw std::system_error when the system has no more threads.
std::thread start_quiet_thread(const char* name, std::function<void()> body);

}  // namespace taffrail::record
