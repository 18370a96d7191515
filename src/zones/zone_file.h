// Writes a .tprof file: the table now and then, and zones one by one while they are traced. A
// thread of its own; whoever enters zones never waits for it. Each frame is one write, so that a
// kill loses what came after the last one and nothing before: docs/formats/tprof.md.
#pragma once

#include <taffrail/result.h>

#include "base/clock.h"
#include "io/file.h"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace taffrail::zones {

class ZoneFile {
  public:
    static Result<std::unique_ptr<ZoneFile>> create(const std::string& path,
                                                    const std::string& writer);
    /// The last table and the end frame; the first failure, if there was one.
    Result<void> close();
    ~ZoneFile();

    /// Keeps zones one by one until `max_bytes` of them are written.
    void start_trace(std::uint64_t max_bytes);
    /// Returns when all of them are in the file.
    Result<void> stop_trace();
    [[nodiscard]] bool tracing() const;
    /// The frames of the window that ended last, with those that name its zones.
    Result<Bytes> read_window();

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// By which its zones are told; the same from its first to its last.
    [[nodiscard]] const TickClock& clock() const noexcept { return clock_; }

  private:
    ZoneFile() = default;

    void work();
    [[nodiscard]] Bytes header() const;
    void append(ByteSpan frame);
    void write_sites();
    void write_table();
    void write_zones();
    void close_trace(bool because_of_budget);

    std::string path_;
    std::unique_ptr<io::File> file_;
    TickClock clock_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_;
    bool closing_ = false, tracing_ = false;
    std::uint64_t trace_budget_ = 0, trace_bytes_ = 0;
    std::uint64_t written_ = 0;                        ///< bytes of the file
    std::uint64_t window_begin_ = 0, window_end_ = 0;  ///< places in it
    std::string writer_;
    std::uint32_t sites_written_ = 0;
    std::uint64_t calls_written_ = 0;
    std::int64_t begun_ns_ = 0, table_ns_ = 0;
    Result<void> failure_;
};

}  // namespace taffrail::zones
