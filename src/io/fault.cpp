#include "io/fault.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

namespace taffrail::io {

std::shared_ptr<FaultCalls> FaultCalls::instance() {
    static const auto calls = std::make_shared<FaultCalls>();
    return calls;
}

void FaultCalls::add(Fault fault) {
    const std::lock_guard guard(mutex_);
    rules_.push_back(std::make_unique<Rule>(Rule{std::move(fault), 0}));
}

void FaultCalls::clear() {
    const std::lock_guard guard(mutex_);
    rules_.clear();
    struck_ = 0;
}

std::uint64_t FaultCalls::struck() const {
    const std::lock_guard guard(mutex_);
    return struck_;
}

void FaultCalls::start_trace() {
    const std::lock_guard guard(mutex_);
    tracing_ = true;
    trace_.clear();
}

std::vector<TraceEntry> FaultCalls::stop_trace() {
    const std::lock_guard guard(mutex_);
    tracing_ = false;
    return std::move(trace_);
}

const Fault* FaultCalls::strike(Operation operation, const std::string& path) {
    for (const auto& rule : rules_) {
        const Fault& fault = rule->fault;
        if (fault.operation != operation || path.find(fault.path_part) == std::string::npos) {
            continue;
        }
        const std::uint64_t number = rule->seen++;
        if (number >= fault.skip && number - fault.skip < fault.times) {
            ++struck_;
            return &fault;
        }
    }
    return nullptr;
}

std::string FaultCalls::path_of(int descriptor) {
    const auto found = paths_.find(descriptor);
    return found == paths_.end() ? std::string() : found->second;
}

void FaultCalls::trace(TraceEntry entry) {
    if (tracing_) {
        trace_.push_back(std::move(entry));
    }
}

int FaultCalls::opened(int flags, const char* path, int descriptor) {
    if (descriptor >= 0) {
        paths_[descriptor] = path;
        if ((flags & O_CREAT) != 0) {
            trace({Operation::Open, path, 0, {}, {}});
        }
    }
    return descriptor;
}

int FaultCalls::open(const char* path, int flags, mode_t mode) {
    const std::lock_guard guard(mutex_);
    if (const Fault* fault = strike(Operation::Open, path)) {
        errno = fault->error_number;
        return -1;
    }
    return opened(flags, path, PosixCalls::open(path, flags, mode));
}

int FaultCalls::open_at(int folder, const char* name, int flags, mode_t mode, const char* path) {
    const std::lock_guard guard(mutex_);
    if (const Fault* fault = strike(Operation::Open, path)) {
        errno = fault->error_number;
        return -1;
    }
    return opened(flags, path, PosixCalls::open_at(folder, name, flags, mode, path));
}

int FaultCalls::close(int descriptor) {
    const std::lock_guard guard(mutex_);
    paths_.erase(descriptor);
    return PosixCalls::close(descriptor);
}

ssize_t FaultCalls::pread(int descriptor, void* to, std::size_t count, off_t offset) {
    {
        const std::lock_guard guard(mutex_);
        if (const Fault* fault = strike(Operation::Read, path_of(descriptor))) {
            errno = fault->error_number;
            return -1;
        }
    }
    return PosixCalls::pread(descriptor, to, count, offset);
}

ssize_t FaultCalls::pwritev(int descriptor, const iovec* parts, int count, off_t offset) {
    const std::lock_guard guard(mutex_);
    const std::string path = path_of(descriptor);
    Bytes bytes;
    for (int i = 0; i < count; ++i) {
        const auto* from = static_cast<const std::byte*>(parts[i].iov_base);
        bytes.insert(bytes.end(), from, from + parts[i].iov_len);
    }
    const Fault* fault = strike(Operation::Write, path);
    if (fault != nullptr) {
        if (fault->short_write != 0 && fault->error_number == 0) {
            bytes.resize(std::min(bytes.size(), fault->short_write));
        } else {
            bytes.resize(fault->partial ? bytes.size() / 2 : 0);
        }
    }
    ssize_t written = 0;
    if (!bytes.empty() || fault == nullptr) {
        const iovec whole{bytes.data(), bytes.size()};
        written = PosixCalls::pwritev(descriptor, &whole, 1, offset);
        if (written > 0) {
            bytes.resize(static_cast<std::size_t>(written));
            trace(
                {Operation::Write, path, static_cast<std::uint64_t>(offset), std::move(bytes), {}});
        }
    }
    if (fault != nullptr && fault->error_number != 0) {
        errno = fault->error_number;
        return -1;
    }
    return written;
}

int FaultCalls::fdatasync(int descriptor) {
    const std::lock_guard guard(mutex_);
    const std::string path = path_of(descriptor);
    if (const Fault* fault = strike(Operation::Sync, path)) {
        errno = fault->error_number;
        return -1;
    }
    trace({Operation::Sync, path, 0, {}, {}});
    return PosixCalls::fdatasync(descriptor);
}

int FaultCalls::fsync(int descriptor) {
    const std::lock_guard guard(mutex_);
    const std::string path = path_of(descriptor);
    if (const Fault* fault = strike(Operation::SyncFolder, path)) {
        errno = fault->error_number;
        return -1;
    }
    trace({Operation::SyncFolder, path, 0, {}, {}});
    return PosixCalls::fsync(descriptor);
}

int FaultCalls::ftruncate(int descriptor, off_t size) {
    const std::lock_guard guard(mutex_);
    const std::string path = path_of(descriptor);
    if (const Fault* fault = strike(Operation::Resize, path)) {
        errno = fault->error_number;
        return -1;
    }
    trace({Operation::Resize, path, static_cast<std::uint64_t>(size), {}, {}});
    return PosixCalls::ftruncate(descriptor, size);
}

int FaultCalls::fallocate(int descriptor, off_t size) {
    const std::lock_guard guard(mutex_);
    if (const Fault* fault = strike(Operation::Allocate, path_of(descriptor))) {
        errno = fault->error_number;
        return -1;
    }
    return PosixCalls::fallocate(descriptor, size);
}

int FaultCalls::rename(const char* from, const char* to) {
    const std::lock_guard guard(mutex_);
    if (const Fault* fault = strike(Operation::Rename, from)) {
        errno = fault->error_number;
        return -1;
    }
    trace({Operation::Rename, from, 0, {}, to});
    return PosixCalls::rename(from, to);
}

int FaultCalls::rename_new(const char* from, const char* to) {
    const std::lock_guard guard(mutex_);
    if (const Fault* fault = strike(Operation::Rename, from)) {
        errno = fault->error_number;
        return -1;
    }
    const int result = PosixCalls::rename_new(from, to);
    if (result == 0) {
        trace({Operation::Rename, from, 0, {}, to});
    }
    return result;
}

int FaultCalls::unlink(const char* path) {
    const std::lock_guard guard(mutex_);
    if (const Fault* fault = strike(Operation::Remove, path)) {
        errno = fault->error_number;
        return -1;
    }
    const int result = PosixCalls::unlink(path);
    if (result == 0) {
        trace({Operation::Remove, path, 0, {}, {}});
    }
    return result;
}

int FaultCalls::unlink_at(int folder, const char* name, int flags, const char* path) {
    const std::lock_guard guard(mutex_);
    if (const Fault* fault = strike(Operation::Remove, path)) {
        errno = fault->error_number;
        return -1;
    }
    const int result = PosixCalls::unlink_at(folder, name, flags, path);
    if (result == 0) {
        trace({Operation::Remove, path, 0, {}, {}});
    }
    return result;
}

int FaultCalls::mkdir(const char* path, mode_t mode) {
    const std::lock_guard guard(mutex_);
    if (const Fault* fault = strike(Operation::MakeFolder, path)) {
        errno = fault->error_number;
        return -1;
    }
    return PosixCalls::mkdir(path, mode);
}

}  // namespace taffrail::io
