#include "io/local_file.h"

#include "base/try.h"
#include "io/locks.h"
#include "io/map_memory.h"
#include "io/system_error.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace taffrail::io {
namespace {

void unmap_pages(std::byte* data, std::size_t size) {
    ::munmap(data, size);
}

class LocalFile final : public File {
  public:
    LocalFile(std::string path, int descriptor, std::uint64_t end,
              std::shared_ptr<PosixCalls> calls)
        : File(std::move(path)), descriptor_(descriptor), end_(end), calls_(std::move(calls)) {}

    ~LocalFile() override {
        if (locked_) {
            forget_lock(descriptor_);
        }
        calls_->close(descriptor_);
    }

    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> to) override {
        std::size_t done = 0;
        while (done < to.size()) {
            const ssize_t got = retrying([&] {
                return calls_->pread(descriptor_, to.data() + done, to.size() - done,
                                     static_cast<off_t>(offset + done));
            });
            if (got < 0) {
                return system_error("read", path(), errno);
            }
            if (got == 0) {
                break;
            }
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

    using File::append;
    using File::write_at;

    Result<void> write_at(std::uint64_t offset, std::span<const ByteSpan> parts) override {
        return write_parts(offset, parts);
    }

    Result<void> append(std::span<const ByteSpan> parts) override {
        TAFFRAIL_TRY(write_parts(end_, parts));
        for (ByteSpan part : parts) {
            end_ += part.size();
        }
        return {};
    }

    [[nodiscard]] std::uint64_t end() const noexcept override { return end_; }

    Result<FileInfo> info() override {
        struct stat from{};
        if (fstat(descriptor_, &from) != 0) {
            return system_error("look at", path(), errno);
        }
        return to_info(from);
    }

    Result<void> truncate(std::uint64_t size) override {
        if (retrying([&] { return calls_->ftruncate(descriptor_, static_cast<off_t>(size)); }) !=
            0) {
            return system_error("resize", path(), errno);
        }
        end_ = size;
        return {};
    }

    Result<void> allocate(std::uint64_t size) override {
        if (retrying([&] { return calls_->fallocate(descriptor_, static_cast<off_t>(size)); }) !=
            0) {
            return system_error("reserve space for", path(), errno);
        }
        return {};
    }

    Result<void> sync() override {
        if (retrying([&] { return calls_->fdatasync(descriptor_); }) != 0) {
            return system_error("sync", path(), errno);
        }
        return {};
    }

    Result<Mapping> map(std::size_t size, MapAccess access) override {
        const bool writable = access == MapAccess::ReadWrite;
        void* address = ::mmap(nullptr, size, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                               MAP_SHARED, descriptor_, 0);
        if (address == MAP_FAILED) {
            return system_error("map", path(), errno);
        }
        return Mapping(static_cast<std::byte*>(address), size, unmap_pages);
    }

    Result<bool> try_lock() override {
        const int taken = lock_descriptor(descriptor_);
        if (taken < 0) {
            return system_error("lock", path(), errno);
        }
        locked_ = locked_ || taken == 1;
        return taken == 1;
    }

  private:
    Result<void> write_parts(std::uint64_t offset, std::span<const ByteSpan> parts) {
        std::array<iovec, 16> vectors;
        std::size_t next = 0;  // first part not written whole
        std::size_t skip = 0;  // bytes of it already written
        while (next < parts.size()) {
            std::size_t count = 0;
            for (; count < vectors.size() && next + count < parts.size(); ++count) {
                const ByteSpan part = parts[next + count].subspan(count == 0 ? skip : 0);
                vectors[count] = {const_cast<std::byte*>(part.data()), part.size()};
            }
            const ssize_t written = retrying([&] {
                return calls_->pwritev(descriptor_, vectors.data(), static_cast<int>(count),
                                       static_cast<off_t>(offset));
            });
            if (written < 0) {
                return system_error("write", path(), errno);
            }
            std::size_t left = static_cast<std::size_t>(written);
            offset += left;
            while (next < parts.size() && left >= parts[next].size() - skip) {
                left -= parts[next].size() - skip;
                skip = 0;
                ++next;
            }
            skip += left;
        }
        return {};
    }

    int descriptor_;
    std::uint64_t end_;
    bool locked_ = false;
    std::shared_ptr<PosixCalls> calls_;
};

}  // namespace

FileInfo to_info(const struct stat& from) noexcept {
    FileInfo info;
    info.type = S_ISREG(from.st_mode)   ? EntryType::File
                : S_ISDIR(from.st_mode) ? EntryType::Directory
                                        : EntryType::Other;
    info.size = static_cast<std::uint64_t>(from.st_size);
    info.modified_ns = from.st_mtim.tv_sec * 1'000'000'000 + from.st_mtim.tv_nsec;
    info.device = from.st_dev;
    info.inode = from.st_ino;
    return info;
}

Error not_a_file(const std::string& path, mode_t mode) {
    const char* kind = S_ISDIR(mode)    ? "a folder"
                       : S_ISFIFO(mode) ? "a named pipe"
                       : S_ISSOCK(mode) ? "a socket"
                                        : "a device";
    return {ErrorCode::PermissionDenied, "will not open " + path + ": it is " + kind +
                                             ", not a file; nothing here should be one: remove it"};
}

Result<std::unique_ptr<File>> make_local_file(std::string path, int descriptor, bool regular,
                                              std::shared_ptr<PosixCalls> calls) {
    struct stat from{};
    if (fstat(descriptor, &from) != 0) {
        const int error = errno;
        calls->close(descriptor);
        return system_error("look at", path, error);
    }
    if (S_ISDIR(from.st_mode)) {
        calls->close(descriptor);
        return system_error("open", path, EISDIR);
    }
    if (regular && !S_ISREG(from.st_mode)) {
        calls->close(descriptor);
        return not_a_file(path, from.st_mode);
    }
    return std::unique_ptr<File>(std::make_unique<LocalFile>(
        std::move(path), descriptor, static_cast<std::uint64_t>(from.st_size), std::move(calls)));
}

void Mapping::populate(std::size_t offset, std::size_t length) const noexcept {
#ifdef MADV_POPULATE_WRITE
    if (offset < size_) {
        (void)::madvise(data_ + offset, std::min(length, size_ - offset), MADV_POPULATE_WRITE);
    }
#endif
}

void Mapping::abandon() noexcept {
    if (release_ == unmap_pages) {
        // Where this fails, the file stays mapped until the mapping goes.
        (void)::mmap(data_, size_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    }
}

bool move_pages(Mapping& from, const Mapping& to) noexcept {
    if (from.size() != to.size() ||
        ::mremap(from.data(), from.size(), to.size(), MREMAP_MAYMOVE | MREMAP_FIXED, to.data()) ==
            MAP_FAILED) {
        return false;
    }
    // Where it was there is nothing any more that could be released: it goes without its
    // destructor.
    alignas(Mapping) std::array<std::byte, sizeof(Mapping)> nowhere;
    static_cast<void>(new (nowhere.data()) Mapping(std::move(from)));
    return true;
}

void forget_pages(const Mapping& pages, std::size_t offset, std::size_t length) noexcept {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t begin = (offset + page - 1) / page * page;
    const std::size_t end = std::min(pages.size(), offset + length) / page * page;
    if (begin < end) {
        (void)::madvise(pages.data() + begin, end - begin, MADV_DONTNEED);
    }
}

void prefer_large_pages(const Mapping& pages) noexcept {
    (void)::madvise(pages.data(), pages.size(), MADV_HUGEPAGE);
}

void prefer_large_pages(const void* memory, std::size_t bytes) noexcept {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / page * page;
    if (begin < end) {
        (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
    }
}

Result<Mapping> map_memory(std::size_t size) {
    void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) {
        return system_error("map memory for", std::to_string(size) + " bytes", errno);
    }
    return Mapping(static_cast<std::byte*>(data), size, unmap_pages);
}

}  // namespace taffrail::io
