// Local files whose system calls fail on demand, and a record of what reached the disk in which
// order.
//
// The scheme "fault" uses the process-wide FaultCalls::instance(); tests may make their own and
// register it.
#pragma once

#include "base/bytes.h"
#include "io/posix_calls.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace taffrail::io {

enum class Operation : std::uint8_t {
    Open,
    Read,
    Write,
    Sync,
    SyncFolder,
    Resize,
    Allocate,
    Rename,
    Remove,
    MakeFolder
};

/// One rule: calls of `operation` on paths that contain `path_part` fail, after `skip` of them went
/// well, `times` times.
struct Fault {
    Operation operation = Operation::Write;
    int error_number = 0;  ///< 0 with `short_write`: no error, fewer bytes
    std::uint64_t skip = 0;
    std::uint64_t times = UINT64_MAX;
    std::string path_part = {};
    std::size_t short_write = 0;  ///< write only so many bytes of the call
    bool partial = false;         ///< with an error: half of the bytes arrive before it is reported
};

/// What changed on the disk, in order.
struct TraceEntry {
    Operation operation = Operation::Write;
    std::string path;
    std::uint64_t offset = 0;  ///< Write; Resize: the new size
    Bytes bytes;               ///< Write
    std::string to;            ///< Rename
};

class FaultCalls final : public PosixCalls {
  public:
    static std::shared_ptr<FaultCalls> instance();

    void add(Fault fault);
    /// Everything works again.
    void clear();
    /// How often a rule struck since clear().
    [[nodiscard]] std::uint64_t struck() const;

    void start_trace();
    std::vector<TraceEntry> stop_trace();

    int open(const char* path, int flags, mode_t mode) override;
    int open_at(int folder, const char* name, int flags, mode_t mode, const char* path) override;
    int close(int descriptor) override;
    ssize_t pread(int descriptor, void* to, std::size_t count, off_t offset) override;
    ssize_t pwritev(int descriptor, const iovec* parts, int count, off_t offset) override;
    int fdatasync(int descriptor) override;
    int fsync(int descriptor) override;
    int ftruncate(int descriptor, off_t size) override;
    int fallocate(int descriptor, off_t size) override;
    int rename(const char* from, const char* to) override;
    int rename_new(const char* from, const char* to) override;
    int unlink(const char* path) override;
    int unlink_at(int folder, const char* name, int flags, const char* path) override;
    int mkdir(const char* path, mode_t mode) override;

  private:
    struct Rule {
        Fault fault;
        std::uint64_t seen = 0;
    };

    int opened(int flags, const char* path, int descriptor);
    // The rule that strikes this call, if any; counts the call on the way.
    const Fault* strike(Operation operation, const std::string& path);
    std::string path_of(int descriptor);
    void trace(TraceEntry entry);

    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Rule>> rules_;
    std::map<int, std::string> paths_;
    std::uint64_t struck_ = 0;
    bool tracing_ = false;
    std::vector<TraceEntry> trace_;
};

}  // namespace taffrail::io
