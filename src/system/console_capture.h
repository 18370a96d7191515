// Sees what the program writes to standard output and standard error, and passes it on unchanged.
//
// It works on file descriptors, so C++, C, Python and child processes are all heard. Where the
// descriptor is a terminal, a pseudo-terminal of the same size stands in front of it: isatty()
// stays true, colours and progress bars stay.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace taffrail::system {

enum class ConsoleStream : std::uint8_t { Output, Errors };

/// Bytes as they were written, in order per stream. Called on the capture's thread; must not write
/// to the console itself.
using ConsoleCallback =
    std::function<void(ConsoleStream stream, std::int64_t time_ns, std::string_view bytes)>;

/// Captures from start() until stop() or destruction. One capture a process at a time.
class ConsoleCapture {
  public:
    static Result<std::unique_ptr<ConsoleCapture>> start(ConsoleCallback callback);
    ~ConsoleCapture();

    /// Puts the descriptors back and returns when everything written before has been handed out. A
    /// child process that still holds the captured descriptor keeps being passed on until this
    /// process ends.
    void stop();

  private:
    struct Implementation;
    explicit ConsoleCapture(std::shared_ptr<Implementation> implementation);
    std::shared_ptr<Implementation> implementation_;
};

/// Turns bytes into lines. A carriage return starts the line anew, so a progress bar leaves its
/// last state only. A line waits for its end, or for finish().
class LineAssembler {
  public:
    /// One line with its '\n'; without it for the last one, and for pieces of a very long one.
    using Emit = std::function<void(std::int64_t time_ns, std::string_view line)>;

    void add(std::int64_t time_ns, std::string_view bytes, const Emit& emit);
    /// Hands out what stands on the unfinished last line.
    void finish(const Emit& emit);

  private:
    std::string line_;
    std::int64_t time_ns_ = 0;
    bool returned_ = false;  // a carriage return was seen and nothing after it yet
};

}  // namespace taffrail::system
