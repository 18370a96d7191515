#include "io/posix_calls.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace taffrail::io {

int PosixCalls::open(const char* path, int flags, mode_t mode) {
    return ::open(path, flags, mode);
}

int PosixCalls::open_at(int folder, const char* name, int flags, mode_t mode,
                        const char* /*path*/) {
    return ::openat(folder, name, flags, mode);
}

int PosixCalls::close(int descriptor) {
    return ::close(descriptor);
}

ssize_t PosixCalls::pread(int descriptor, void* to, std::size_t count, off_t offset) {
    return ::pread(descriptor, to, count, offset);
}

ssize_t PosixCalls::pwritev(int descriptor, const iovec* parts, int count, off_t offset) {
    return ::pwritev(descriptor, parts, count, offset);
}

int PosixCalls::fdatasync(int descriptor) {
    return ::fdatasync(descriptor);
}

int PosixCalls::fsync(int descriptor) {
    return ::fsync(descriptor);
}

int PosixCalls::ftruncate(int descriptor, off_t size) {
    return ::ftruncate(descriptor, size);
}

int PosixCalls::fallocate(int descriptor, off_t size) {
    // posix_fallocate returns its error instead of setting errno.
    const int error = ::posix_fallocate(descriptor, 0, size);
    errno = error;
    return error == 0 ? 0 : -1;
}

int PosixCalls::rename(const char* from, const char* to) {
    return ::rename(from, to);
}

int PosixCalls::rename_new(const char* from, const char* to) {
    if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) {
        return -1;
    }
    // NFS and old kernels do not know that call; a second name for the file is as good.
    if (::link(from, to) != 0) {
        return -1;
    }
    (void)::unlink(from);
    return 0;
}

int PosixCalls::unlink(const char* path) {
    return ::unlink(path);
}

int PosixCalls::unlink_at(int folder, const char* name, int flags, const char* /*path*/) {
    return ::unlinkat(folder, name, flags);
}

int PosixCalls::rmdir(const char* path) {
    return ::rmdir(path);
}

int PosixCalls::mkdir(const char* path, mode_t mode) {
    return ::mkdir(path, mode);
}

}  // namespace taffrail::io
