#include "io/local.h"

#include "base/try.h"
#include "io/locks.h"
#include "io/system_error.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace taffrail::io {
namespace {

// Calls that are interrupted are made again. close() is not among them: on Linux the descriptor is
// gone either way.
template <typename Call>
auto retrying(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) {
        result = call();
    }
    return result;
}

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
        return Mapping(static_cast<std::byte*>(address), size,
                       [](std::byte* data, std::size_t length) { ::munmap(data, length); });
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

class LocalFileSystem final : public FileSystem {
  public:
    explicit LocalFileSystem(std::shared_ptr<PosixCalls> calls) : calls_(std::move(calls)) {}

    Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
        int flags = O_CLOEXEC | (mode == OpenMode::Read ? O_RDONLY : O_RDWR);
        switch (mode) {
            case OpenMode::Read:
            case OpenMode::ReadWrite:
                break;
            case OpenMode::CreateExclusive:
                flags |= O_CREAT | O_EXCL;
                break;
            case OpenMode::CreateOrOpen:
                flags |= O_CREAT;
                break;
            case OpenMode::Truncate:
                flags |= O_CREAT | O_TRUNC;
                break;
        }
        const int descriptor = retrying([&] { return calls_->open(path.c_str(), flags, 0666); });
        if (descriptor < 0) {
            return system_error(mode == OpenMode::CreateExclusive ? "create" : "open", path, errno);
        }
        struct stat from{};
        if (fstat(descriptor, &from) != 0) {
            const int error = errno;
            calls_->close(descriptor);
            return system_error("look at", path, error);
        }
        if (S_ISDIR(from.st_mode)) {
            calls_->close(descriptor);
            return system_error("open", path, EISDIR);
        }
        return std::unique_ptr<File>(std::make_unique<LocalFile>(
            path, descriptor, static_cast<std::uint64_t>(from.st_size), calls_));
    }

    Result<FileInfo> stat(const std::string& path) override {
        struct stat from{};
        if (::stat(path.c_str(), &from) != 0) {
            return system_error("look at", path, errno);
        }
        return to_info(from);
    }

    Result<std::vector<DirectoryEntry>> list(const std::string& path) override {
        DIR* folder = opendir(path.c_str());
        if (folder == nullptr) {
            return system_error("list", path, errno);
        }
        std::vector<DirectoryEntry> entries;
        errno = 0;
        while (const dirent* entry = readdir(folder)) {
            const std::string_view name = entry->d_name;
            if (name == "." || name == "..") {
                continue;
            }
            EntryType type = entry->d_type == DT_REG   ? EntryType::File
                             : entry->d_type == DT_DIR ? EntryType::Directory
                                                       : EntryType::Other;
            if (entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK) {
                if (auto known = stat(path + '/' + entry->d_name); known.ok()) {
                    type = known->type;
                }
            }
            entries.push_back({std::string(name), type});
            errno = 0;
        }
        const int error = errno;
        closedir(folder);
        if (error != 0) {
            return system_error("list", path, error);
        }
        std::sort(entries.begin(), entries.end(),
                  [](const auto& left, const auto& right) { return left.name < right.name; });
        return entries;
    }

    Result<void> make_directories(const std::string& path) override {
        if (auto there = stat(path); there.ok() && there->type == EntryType::Directory) {
            return {};
        }
        for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
            const std::string part = path.substr(0, at);
            if (calls_->mkdir(part.c_str(), 0777) != 0 && errno != EEXIST) {
                // A folder above may refuse mkdir and still exist (read-only parents, automounts).
                const int error = errno;
                if (auto there = stat(part); !there.ok() || there->type != EntryType::Directory) {
                    return system_error("make folder", part, error);
                }
            }
            if (at == std::string::npos) {
                break;
            }
        }
        auto there = stat(path);
        if (!there.ok() && there.error().code == ErrorCode::NotFound) {
            // Made, and removed by somebody who found it empty. Who needs it makes a file in it
            // next, and may have to come back here.
            return {};
        }
        if (!there.ok() || there->type != EntryType::Directory) {
            return system_error("make folder", path, ENOTDIR);
        }
        return {};
    }

    Result<void> rename(const std::string& from, const std::string& to) override {
        if (calls_->rename(from.c_str(), to.c_str()) != 0) {
            return system_error("rename to " + to, from, errno);
        }
        return {};
    }

    Result<void> remove(const std::string& path) override {
        if (calls_->unlink(path.c_str()) == 0) {
            return {};
        }
        const int error = errno;
        if ((error == EISDIR || error == EPERM) && calls_->rmdir(path.c_str()) == 0) {
            return {};
        }
        return system_error("remove", path, error == EISDIR ? errno : error);
    }

    Result<void> sync_directory(const std::string& path) override {
        const int descriptor = retrying(
            [&] { return calls_->open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0); });
        if (descriptor < 0) {
            return system_error("open", path, errno);
        }
        const int result = retrying([&] { return calls_->fsync(descriptor); });
        const int error = errno;
        calls_->close(descriptor);
        if (result != 0) {
            return system_error("sync", path, error);
        }
        return {};
    }

    Result<bool> is_locked(const std::string& path) override {
        TAFFRAIL_ASSIGN(const FileInfo known, stat(path));
        if (holds_lock(known.device, known.inode)) {
            return true;
        }
        const int descriptor =
            retrying([&] { return calls_->open(path.c_str(), O_RDWR | O_CLOEXEC, 0); });
        if (descriptor < 0) {
            return system_error("open", path, errno);
        }
        struct flock request{};
        request.l_type = F_WRLCK;
        request.l_whence = SEEK_SET;
        const int result = fcntl(descriptor, F_GETLK, &request);
        const int error = errno;
        calls_->close(descriptor);
        if (result != 0) {
            return system_error("look at the lock of", path, error);
        }
        return request.l_type != F_UNLCK;
    }

    bool is_local(const std::string& path) override {
        struct statfs info{};
        if (::statfs(path.c_str(), &info) != 0) {
            return false;
        }
        // NFS, SMB (three numbers over the years), FUSE, Ceph, 9P, Lustre, GPFS, AFS, BeeGFS.
        static constexpr std::array<std::uint32_t, 11> kRemote{
            0x6969,     0x517B,     0xFF534D42, 0xFE534D42, 0x65735546, 0x00C36400,
            0x01021997, 0x0BD00BD0, 0x47504653, 0x5346414F, 0x19830326};
        return std::find(kRemote.begin(), kRemote.end(), static_cast<std::uint32_t>(info.f_type)) ==
               kRemote.end();
    }

    Result<void> set_modified(const std::string& path, std::int64_t time_ns) override {
        constexpr std::int64_t kSecond = 1'000'000'000;
        const timespec time{static_cast<time_t>(time_ns / kSecond),
                            static_cast<long>(time_ns % kSecond)};
        const std::array<timespec, 2> times{time, time};
        if (utimensat(AT_FDCWD, path.c_str(), times.data(), 0) != 0) {
            return system_error("set the time of", path, errno);
        }
        return {};
    }

  private:
    std::shared_ptr<PosixCalls> calls_;
};

}  // namespace

void Mapping::populate(std::size_t offset, std::size_t length) const noexcept {
#ifdef MADV_POPULATE_WRITE
    if (offset < size_) {
        (void)::madvise(data_ + offset, std::min(length, size_ - offset), MADV_POPULATE_WRITE);
    }
#endif
}

void Mapping::abandon() noexcept {
    if (data_ != nullptr && release_ != nullptr) {
        // Where this fails, the file stays mapped: the child then keeps what it never looks at.
        (void)::mmap(data_, size_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        release_ = nullptr;
    }
}

std::shared_ptr<FileSystem> make_local_file_system(std::shared_ptr<PosixCalls> calls) {
    return std::make_shared<LocalFileSystem>(std::move(calls));
}

}  // namespace taffrail::io
