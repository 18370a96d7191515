#include "io/open_files.h"

#include "base/lru.h"
#include "base/try.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace taffrail::io {
namespace {

using Shared = std::shared_ptr<File>;

/// The open ones, by the number of their PooledFile. A file in use is kept by whoever uses it, so
/// one that falls out here is closed when its last read ends.
class Pool {
  public:
    static Pool& shared() {
        // Never destroyed: a file in a global object may be closed after every other global is
        // gone.
        static auto* const pool = new Pool;
        return *pool;
    }

    std::uint64_t next_number() {
        const std::lock_guard lock(mutex_);
        return ++numbers_;
    }

    Shared find(std::uint64_t number) {
        const std::lock_guard lock(mutex_);
        const Shared* const found = open_.find(number);
        return found != nullptr ? *found : nullptr;
    }

    void keep(std::uint64_t number, Shared file) {
        const std::lock_guard lock(mutex_);
        open_.keep(number, std::move(file), 1);
        // The limit may have been lowered since.
        for (const std::size_t limit = pooled_limit(); open_.weight() > limit;) {
            open_.drop_oldest();
        }
    }

    void drop(std::uint64_t number) {
        const std::lock_guard lock(mutex_);
        open_.drop(number);
    }

  private:
    std::mutex mutex_;
    std::uint64_t numbers_ = 0;
    Lru<std::uint64_t, Shared> open_{SIZE_MAX};
};

class PooledFile final : public File {
  public:
    PooledFile(std::unique_ptr<File> file, FileInfo info, Reopen reopen)
        : File(file->path()),
          device_(info.device),
          inode_(info.inode),
          reopen_(std::move(reopen)),
          number_(Pool::shared().next_number()) {
        Pool::shared().keep(number_, std::move(file));
    }

    ~PooledFile() override { Pool::shared().drop(number_); }

    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> to) override {
        TAFFRAIL_ASSIGN(const Shared file, open());
        return file->read_at(offset, to);
    }

    Result<FileInfo> info() override {
        TAFFRAIL_ASSIGN(const Shared file, open());
        return file->info();
    }

    using File::append;
    using File::write_at;

    Result<void> write_at(std::uint64_t, std::span<const ByteSpan>) override { return read_only(); }

    Result<void> append(std::span<const ByteSpan>) override { return read_only(); }

    [[nodiscard]] std::uint64_t end() const noexcept override { return 0; }

    Result<void> truncate(std::uint64_t) override { return read_only(); }

    Result<void> allocate(std::uint64_t) override { return read_only(); }

    Result<void> sync() override { return read_only(); }

    Result<Mapping> map(std::size_t, MapAccess) override { return read_only(); }

    Result<bool> try_lock() override { return read_only(); }

  private:
    [[nodiscard]] Error read_only() const {
        return {ErrorCode::Unsupported, path() + " is open for reading only"};
    }

    Result<Shared> open() {
        if (Shared file = Pool::shared().find(number_)) {
            return file;
        }
        TAFFRAIL_ASSIGN(Shared file, reopen_());
        TAFFRAIL_ASSIGN(const FileInfo now, file->info());
        if (now.device != device_ || now.inode != inode_) {
            return Error{ErrorCode::NotFound,
                         path() + " was replaced by another file while it was being read"};
        }
        Pool::shared().keep(number_, file);
        return file;
    }

    const std::uint64_t device_, inode_;
    const Reopen reopen_;
    const std::uint64_t number_;
};

}  // namespace

std::unique_ptr<File> pooled(std::unique_ptr<File> file, Reopen reopen) {
    const auto info = file->info();
    // One that does not tell which file it is could not be told from another one later.
    return info.ok() ? std::make_unique<PooledFile>(std::move(file), *info, std::move(reopen))
                     : std::move(file);
}

std::size_t pooled_limit() {
    constexpr std::size_t kFewest = 8, kMost = 1024;
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) {
        return kMost;
    }
    return std::clamp<std::size_t>(files.rlim_cur / 4, kFewest, kMost);
}

std::size_t raise_open_file_limit() {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return 0;
    }
    if (files.rlim_cur < files.rlim_max) {
        rlimit raised = files;
        raised.rlim_cur = files.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) {
            files = raised;
        }
    }
    return files.rlim_cur == RLIM_INFINITY ? 0 : files.rlim_cur;
}

}  // namespace taffrail::io
