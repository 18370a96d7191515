// Files and file systems, behind one seam: everything that touches a disk goes through here, so
// that tests can put a store into memory or break any system call of it.
//
// A path is a URL: "runs/x" and "file:///runs/x" are local, "memory://test/x" lives in this
// process, "fault:///tmp/x" is a local file whose system calls can be made to fail (io/fault.h).
// Free functions in io/files.h pick the file system.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::io {

enum class OpenMode : std::uint8_t {
    Read,             ///< must exist
    ReadWrite,        ///< must exist
    CreateExclusive,  ///< must not exist; read and write
    CreateOrOpen,     ///< read and write, made when absent
    Truncate,         ///< read and write, made when absent, emptied when not
};

enum class MapAccess : std::uint8_t { Read, ReadWrite };

enum class EntryType : std::uint8_t { File, Directory, Other };

struct FileInfo {
    EntryType type = EntryType::File;
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
    std::uint64_t device = 0, inode = 0;
};

struct DirectoryEntry {
    std::string name;
    EntryType type = EntryType::File;
};

/// Pages of a file in memory; unmapped by the destructor. Movable.
class Mapping {
  public:
    /// Called once with (address, size) when the mapping goes.
    using Release = void (*)(std::byte* data, std::size_t size);

    /// Takes the faults of writing to this range now; where the kernel cannot, they come later.
    void populate(std::size_t offset, std::size_t length) const noexcept;
    /// Swaps the pages for private zero pages: threads that still hold a pointer into them write
    /// into nothing, as long as this object lives.
    void abandon() noexcept;

    Mapping() = default;

    Mapping(std::byte* data, std::size_t size, Release release) noexcept
        : data_(data), size_(size), release_(release) {}

    Mapping(Mapping&& other) noexcept { swap(other); }

    Mapping& operator=(Mapping&& other) noexcept {
        Mapping(std::move(other)).swap(*this);
        return *this;
    }

    ~Mapping() {
        if (release_ != nullptr) {
            release_(data_, size_);
        }
    }

    [[nodiscard]] std::byte* data() const noexcept { return data_; }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    [[nodiscard]] ByteSpan bytes() const noexcept { return {data_, size_}; }

  private:
    void swap(Mapping& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(release_, other.release_);
    }

    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    Release release_ = nullptr;
};

/// An open file. Interrupted and short calls are retried inside. Reads may come from several
/// threads at once; writes from one at a time.
class File {
  public:
    virtual ~File() = default;

    /// Fills `to` from `offset`; returns the bytes read, fewer only at the end of the file.
    virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> to) = 0;
    /// Writes the parts one after the other, all of them or it fails; after a failure any prefix of
    /// it may be in the file.
    virtual Result<void> write_at(std::uint64_t offset, std::span<const ByteSpan> parts) = 0;

    Result<void> write_at(std::uint64_t offset, ByteSpan bytes) {
        return write_at(offset, std::span<const ByteSpan>(&bytes, 1));
    }

    /// Writes the parts one after the other behind the end as this object knows it (the size at
    /// open plus what it appended). A failed append does not move that end: the next one writes
    /// over its remains.
    virtual Result<void> append(std::span<const ByteSpan> parts) = 0;

    Result<void> append(ByteSpan bytes) { return append(std::span<const ByteSpan>(&bytes, 1)); }

    /// Where the next append goes.
    [[nodiscard]] virtual std::uint64_t end() const noexcept = 0;

    virtual Result<FileInfo> info() = 0;
    virtual Result<void> truncate(std::uint64_t size) = 0;
    /// Reserves real blocks, so that later stores through a mapping cannot fail for lack of space.
    virtual Result<void> allocate(std::uint64_t size) = 0;
    /// Forces the bytes (and the size) to the disk itself. After a failure the unsynced bytes count
    /// as lost: do not sync again, write them elsewhere.
    virtual Result<void> sync() = 0;
    /// The first `size` bytes. ReadWrite is shared with every other mapping of the file.
    virtual Result<Mapping> map(std::size_t size, MapAccess access) = 0;
    /// Takes the write lock of the whole file for the life of this process or until close; false
    /// when another process holds it. Not inherited by fork(). See is_locked() in io/files.h for
    /// the other side.
    virtual Result<bool> try_lock() = 0;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

  protected:
    explicit File(std::string path) : path_(std::move(path)) {}

  private:
    std::string path_;
};

/// One kind of storage. Thread-safe. Paths come without their scheme.
class FileSystem {
  public:
    virtual ~FileSystem() = default;

    virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
    virtual Result<FileInfo> stat(const std::string& path) = 0;
    /// Entries without "." and "..", sorted by name.
    virtual Result<std::vector<DirectoryEntry>> list(const std::string& path) = 0;
    /// Makes the folder and those above it; fine when it is there.
    virtual Result<void> make_directories(const std::string& path) = 0;
    /// Replaces `to` in one step.
    virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
    /// Of several who want the name `to` one gets it, the others AlreadyExists; `from` stays
    /// theirs.
    virtual Result<void> rename_new(const std::string& from, const std::string& to) = 0;
    /// A file or an empty folder.
    virtual Result<void> remove(const std::string& path) = 0;
    /// Forces new, renamed and removed names in this folder to the disk.
    virtual Result<void> sync_directory(const std::string& path) = 0;
    /// True when another process holds File::try_lock() of it, or this one does.
    virtual Result<bool> is_locked(const std::string& path) = 0;
    /// False for NFS, SMB, FUSE and the like: no shared mappings there.
    virtual bool is_local(const std::string& path) = 0;
    /// For who writes down what happened earlier; `time_ns` counts from the Unix epoch.
    virtual Result<void> set_modified(const std::string& path, std::int64_t time_ns) = 0;
};

}  // namespace taffrail::io
