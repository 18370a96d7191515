#include "io/memory.h"

#include "base/clock.h"
#include "io/system_error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

namespace taffrail::io {
namespace {

struct Node {
    std::mutex mutex;
    Bytes bytes;
    std::int64_t modified_ns = 0;
    std::uint64_t number = 0;
    bool locked = false;
};

class MemoryFile final : public File {
  public:
    MemoryFile(std::string path, std::shared_ptr<Node> node)
        : File(std::move(path)), node_(std::move(node)), end_(node_->bytes.size()) {}

    ~MemoryFile() override {
        if (locked_) {
            const std::lock_guard guard(node_->mutex);
            node_->locked = false;
        }
    }

    Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> to) override {
        const std::lock_guard guard(node_->mutex);
        if (offset >= node_->bytes.size()) {
            return std::size_t{0};
        }
        const std::size_t count = std::min<std::size_t>(
            to.size(), node_->bytes.size() - static_cast<std::size_t>(offset));
        std::copy_n(node_->bytes.begin() + static_cast<std::ptrdiff_t>(offset), count, to.begin());
        return count;
    }

    using File::append;
    using File::write_at;

    Result<void> write_at(std::uint64_t offset, std::span<const ByteSpan> parts) override {
        const std::lock_guard guard(node_->mutex);
        auto at = static_cast<std::size_t>(offset);
        for (ByteSpan part : parts) {
            node_->bytes.resize(std::max(node_->bytes.size(), at + part.size()));
            std::copy(part.begin(), part.end(),
                      node_->bytes.begin() + static_cast<std::ptrdiff_t>(at));
            at += part.size();
        }
        node_->modified_ns = wall_time_ns();
        return {};
    }

    Result<void> append(std::span<const ByteSpan> parts) override {
        (void)write_at(end_, parts);
        for (ByteSpan part : parts) {
            end_ += part.size();
        }
        return {};
    }

    [[nodiscard]] std::uint64_t end() const noexcept override { return end_; }

    Result<FileInfo> info() override {
        const std::lock_guard guard(node_->mutex);
        return FileInfo{EntryType::File, node_->bytes.size(), node_->modified_ns, 0, node_->number};
    }

    Result<void> truncate(std::uint64_t size) override {
        const std::lock_guard guard(node_->mutex);
        node_->bytes.resize(static_cast<std::size_t>(size));
        end_ = size;
        return {};
    }

    Result<void> allocate(std::uint64_t size) override {
        const std::lock_guard guard(node_->mutex);
        node_->bytes.resize(
            std::max<std::size_t>(node_->bytes.size(), static_cast<std::size_t>(size)));
        return {};
    }

    Result<void> sync() override { return {}; }

    Result<Mapping> map(std::size_t size, MapAccess access) override {
        if (access == MapAccess::ReadWrite) {
            return Error{ErrorCode::Unsupported,
                         "cannot map " + path() +
                             " for writing: it lives in memory; use read_at and write_at"};
        }
        const std::lock_guard guard(node_->mutex);
        auto* copy = new std::byte[size]();
        std::copy_n(node_->bytes.begin(), std::min(size, node_->bytes.size()), copy);
        return Mapping(copy, size, [](std::byte* data, std::size_t) { delete[] data; });
    }

    Result<bool> try_lock() override {
        const std::lock_guard guard(node_->mutex);
        if (node_->locked) {
            return false;
        }
        node_->locked = locked_ = true;
        return true;
    }

  private:
    std::shared_ptr<Node> node_;
    std::uint64_t end_;
    bool locked_ = false;
};

class MemoryFileSystem final : public FileSystem {
  public:
    Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
        const std::lock_guard guard(mutex_);
        auto found = files_.find(path);
        const bool creates = mode != OpenMode::Read && mode != OpenMode::ReadWrite;
        if (found != files_.end() && mode == OpenMode::CreateExclusive) {
            return system_error("create", path, EEXIST);
        }
        if (found == files_.end()) {
            if (!creates) {
                return system_error("open", path, ENOENT);
            }
            if (!folders_.contains(folder_of(path))) {
                return system_error("create", path, ENOENT);
            }
            auto node = std::make_shared<Node>();
            node->modified_ns = wall_time_ns();
            node->number = ++last_number_;
            found = files_.emplace(path, std::move(node)).first;
        } else if (mode == OpenMode::Truncate) {
            const std::lock_guard content(found->second->mutex);
            found->second->bytes.clear();
        }
        return std::unique_ptr<File>(std::make_unique<MemoryFile>(path, found->second));
    }

    Result<FileInfo> stat(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        if (folders_.contains(path)) {
            return FileInfo{EntryType::Directory, 0, 0, 0, 0};
        }
        const auto found = files_.find(path);
        if (found == files_.end()) {
            return system_error("look at", path, ENOENT);
        }
        const std::lock_guard content(found->second->mutex);
        return FileInfo{EntryType::File, found->second->bytes.size(), found->second->modified_ns, 0,
                        found->second->number};
    }

    Result<std::vector<DirectoryEntry>> list(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        if (!folders_.contains(path)) {
            return system_error("list", path, ENOENT);
        }
        std::vector<DirectoryEntry> entries;
        for (const auto& [name, node] : files_) {
            if (folder_of(name) == path) {
                entries.push_back({name.substr(path.size() + 1), EntryType::File});
            }
        }
        for (const std::string& name : folders_) {
            if (name != path && folder_of(name) == path) {
                entries.push_back({name.substr(path.size() + 1), EntryType::Directory});
            }
        }
        std::sort(entries.begin(), entries.end(),
                  [](const auto& left, const auto& right) { return left.name < right.name; });
        return entries;
    }

    Result<void> make_directories(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        for (std::string part = path; !part.empty(); part = folder_of(part)) {
            if (files_.contains(part)) {
                return system_error("make folder", part, ENOTDIR);
            }
            folders_.insert(part);
        }
        return {};
    }

    Result<void> rename(const std::string& from, const std::string& to) override {
        const std::lock_guard guard(mutex_);
        const auto found = files_.find(from);
        if (found == files_.end() || !folders_.contains(folder_of(to))) {
            return system_error("rename to " + to, from, ENOENT);
        }
        auto node = found->second;
        files_.erase(found);
        files_[to] = std::move(node);
        return {};
    }

    Result<void> rename_new(const std::string& from, const std::string& to) override {
        const std::lock_guard guard(mutex_);
        const auto found = files_.find(from);
        if (found == files_.end() || !folders_.contains(folder_of(to))) {
            return system_error("rename to " + to, from, ENOENT);
        }
        if (!files_.emplace(to, found->second).second) {
            return system_error("rename to " + to, from, EEXIST);
        }
        files_.erase(from);
        return {};
    }

    Result<void> remove(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        if (files_.erase(path) == 1) {
            return {};
        }
        const auto below = [&](const std::string& name) { return folder_of(name) == path; };
        if (!folders_.contains(path)) {
            return system_error("remove", path, ENOENT);
        }
        if (std::any_of(folders_.begin(), folders_.end(), below) ||
            std::any_of(files_.begin(), files_.end(),
                        [&](const auto& entry) { return below(entry.first); })) {
            return system_error("remove", path, ENOTEMPTY);
        }
        folders_.erase(path);
        return {};
    }

    Result<void> sync_directory(const std::string&) override { return {}; }

    Result<bool> is_locked(const std::string& path) override {
        const std::lock_guard guard(mutex_);
        const auto found = files_.find(path);
        if (found == files_.end()) {
            return system_error("look at", path, ENOENT);
        }
        const std::lock_guard content(found->second->mutex);
        return found->second->locked;
    }

    bool is_local(const std::string&) override { return true; }

    Result<void> set_modified(const std::string& path, std::int64_t time_ns) override {
        const std::lock_guard guard(mutex_);
        const auto found = files_.find(path);
        if (found == files_.end()) {
            return system_error("set the time of", path, ENOENT);
        }
        const std::lock_guard content(found->second->mutex);
        found->second->modified_ns = time_ns;
        return {};
    }

  private:
    // "" for names at the top, which always exists.
    static std::string folder_of(const std::string& path) {
        const std::size_t slash = path.rfind('/');
        return slash == std::string::npos ? std::string() : path.substr(0, slash);
    }

    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Node>> files_;
    std::set<std::string> folders_{""};
    std::uint64_t last_number_ = 0;
};

}  // namespace

std::shared_ptr<FileSystem> make_memory_file_system() {
    return std::make_shared<MemoryFileSystem>();
}

}  // namespace taffrail::io
