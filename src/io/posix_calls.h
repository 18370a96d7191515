// The system calls behind local files, one virtual function each: the place where io/fault.h steps
// in.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <string>

namespace taffrail::io {

/// Same arguments, results and errno as the calls they are named after.
class PosixCalls {
  public:
    virtual ~PosixCalls() = default;
    virtual int open(const char* path, int flags, mode_t mode);
    /// `path` is the whole of it, for who watches.
    virtual int open_at(int folder, const char* name, int flags, mode_t mode, const char* path);
    virtual int close(int descriptor);
    virtual ssize_t pread(int descriptor, void* to, std::size_t count, off_t offset);
    virtual ssize_t pwritev(int descriptor, const iovec* parts, int count, off_t offset);
    virtual int fdatasync(int descriptor);
    virtual int fsync(int descriptor);
    virtual int ftruncate(int descriptor, off_t size);
    virtual int fallocate(int descriptor, off_t size);
    virtual int rename(const char* from, const char* to);
    /// Fails with EEXIST where `to` is there already.
    virtual int rename_new(const char* from, const char* to);
    virtual int unlink(const char* path);
    virtual int unlink_at(int folder, const char* name, int flags, const char* path);
    virtual int rmdir(const char* path);
    virtual int mkdir(const char* path, mode_t mode);
};

}  // namespace taffrail::io
