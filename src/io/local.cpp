#include "io/local.h"

#include "base/try.h"
#include "io/beneath.h"
#include "io/files.h"
#include "io/local_file.h"
#include "io/locks.h"
#include "io/remove_tree.h"
#include "io/system_error.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

namespace taffrail::io {
namespace {

int open_flags(OpenMode mode) noexcept {
    switch (mode) {
        case OpenMode::Read:
            return O_CLOEXEC | O_RDONLY;
        case OpenMode::ReadWrite:
            break;
        case OpenMode::CreateExclusive:
            return O_CLOEXEC | O_RDWR | O_CREAT | O_EXCL;
        case OpenMode::CreateOrOpen:
            return O_CLOEXEC | O_RDWR | O_CREAT;
        case OpenMode::Truncate:
            return O_CLOEXEC | O_RDWR | O_CREAT | O_TRUNC;
    }
    return O_CLOEXEC | O_RDWR;
}

// What is made in a folder is open to whom the folder is open to; the umask takes its part of that.
mode_t file_rights(const struct stat& folder) noexcept {
    return 0600 | (folder.st_mode & 0066);
}

mode_t folder_rights(const struct stat& folder) noexcept {
    return 0700 | (folder.st_mode & 0077);
}

// Takes the descriptor of a folder. `type_of` is asked for links and for what the folder does not
// know.
template <typename TypeOf>
Result<std::vector<DirectoryEntry>> read_entries(int descriptor, const std::string& path,
                                                 TypeOf type_of) {
    DIR* folder = fdopendir(descriptor);
    if (folder == nullptr) {
        const int error = errno;
        ::close(descriptor);
        return system_error("list", path, error);
    }
    std::vector<DirectoryEntry> entries;
    errno = 0;
    while (const dirent* entry = readdir(folder)) {
        std::string name = entry->d_name;
        if (name == "." || name == "..") {
            continue;
        }
        EntryType type = entry->d_type == DT_REG   ? EntryType::File
                         : entry->d_type == DT_DIR ? EntryType::Directory
                                                   : EntryType::Other;
        if (entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK) {
            type = type_of(name);
        }
        entries.push_back({std::move(name), type});
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

class LocalFileSystem final : public LinkedFileSystem {
  public:
    explicit LocalFileSystem(std::shared_ptr<PosixCalls> calls) : calls_(std::move(calls)) {}

    Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
        const int flags = open_flags(mode);
        struct stat around{};
        const mode_t rights = (flags & O_CREAT) != 0 && ::stat(parent(path).c_str(), &around) == 0
                                  ? file_rights(around)
                                  : mode_t{0600};
        const int descriptor = retrying([&] { return calls_->open(path.c_str(), flags, rights); });
        if (descriptor < 0) {
            return system_error(mode == OpenMode::CreateExclusive ? "create" : "open", path, errno);
        }
        return make_local_file(path, descriptor, false, calls_);
    }

    Result<std::unique_ptr<File>> open_inside(const std::string& folder, const std::string& path,
                                              OpenMode mode) override {
        const bool reading = mode == OpenMode::Read;
        TAFFRAIL_ASSIGN(const Beneath found,
                        find_beneath(folder, path, reading ? Links::Inside : Links::None));
        if (found.exists() && !S_ISREG(found.known().st_mode)) {
            return not_a_file(path, found.known().st_mode);
        }
        struct stat around{};
        const mode_t rights = fstat(found.folder(), &around) == 0 ? file_rights(around) : 0600;
        // O_NONBLOCK: a named pipe put there since then is opened without waiting for its other
        // end, and refused.
        const int descriptor = retrying([&] {
            return calls_->open_at(found.folder(), found.name().c_str(),
                                   open_flags(mode) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, rights,
                                   path.c_str());
        });
        if (descriptor < 0) {
            return system_error(mode == OpenMode::CreateExclusive ? "create" : "open", path, errno);
        }
        return make_local_file(path, descriptor, true, calls_);
    }

    Result<FileInfo> stat_inside(const std::string& folder, const std::string& path) override {
        TAFFRAIL_ASSIGN(const Beneath found, find_beneath(folder, path, Links::Inside));
        if (!found.exists()) {
            return system_error("look at", path, ENOENT);
        }
        return to_info(found.known());
    }

    Result<std::vector<DirectoryEntry>> list_inside(const std::string& folder,
                                                    const std::string& path) override {
        TAFFRAIL_ASSIGN(const Beneath found, find_beneath(folder, path, Links::Inside));
        const int descriptor = retrying([&] {
            return ::openat(found.folder(), found.name().c_str(),
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        });
        if (descriptor < 0) {
            return system_error("list", path, errno);
        }
        return read_entries(descriptor, path, [&](const std::string& name) {
            const auto known = stat_inside(folder, path + '/' + name);
            return known.ok() ? known->type : EntryType::Other;
        });
    }

    Result<void> remove_inside(const std::string& folder, const std::string& path) override {
        TAFFRAIL_ASSIGN(const Beneath found, find_beneath(folder, path, Links::Last));
        const auto remove = [&](int flags) {
            return calls_->unlink_at(found.folder(), found.name().c_str(), flags, path.c_str());
        };
        if (remove(S_ISDIR(found.known().st_mode) ? AT_REMOVEDIR : 0) != 0) {
            return system_error("remove", path, errno);
        }
        return {};
    }

    Result<void> remove_tree(const std::string& path) override {
        return remove_local_tree(*calls_, path);
    }

    bool is_link(const std::string& path) override { return io::is_link(path); }

    Result<FileInfo> stat(const std::string& path) override {
        struct stat from{};
        if (::stat(path.c_str(), &from) != 0) {
            return system_error("look at", path, errno);
        }
        return to_info(from);
    }

    Result<std::vector<DirectoryEntry>> list(const std::string& path) override {
        const int descriptor =
            retrying([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
        if (descriptor < 0) {
            return system_error("list", path, errno);
        }
        return read_entries(descriptor, path, [&](const std::string& name) {
            const auto known = stat(path + '/' + name);
            return known.ok() ? known->type : EntryType::Other;
        });
    }

    Result<void> make_directories(const std::string& path) override {
        return make_folders(path, std::nullopt);
    }

    Result<void> make_private_directories(const std::string& path) override {
        return make_folders(path, mode_t{0700});
    }

    Result<void> rename(const std::string& from, const std::string& to) override {
        if (calls_->rename(from.c_str(), to.c_str()) != 0) {
            return system_error("rename to " + to, from, errno);
        }
        return {};
    }

    Result<void> rename_new(const std::string& from, const std::string& to) override {
        if (calls_->rename_new(from.c_str(), to.c_str()) == 0) {
            return {};
        }
        if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK) {
            return system_error("rename to " + to, from, errno);
        }
        // A file system without second names (FAT): the best that can be done there.
        struct stat known{};
        if (::lstat(to.c_str(), &known) == 0) {
            return system_error("rename to " + to, from, EEXIST);
        }
        return rename(from, to);
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
        const int descriptor = retrying([&] {
            return calls_->open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
        });
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
    // `last` are the rights of the folder itself; without them it follows the one around it, as
    // those above it do.
    Result<void> make_folders(const std::string& path, std::optional<mode_t> last) {
        if (auto there = stat(path); there.ok() && there->type == EntryType::Directory) {
            return {};
        }
        for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
            const std::string part = path.substr(0, at);
            const bool whole = at == std::string::npos || at + 1 == path.size();
            struct stat around{};
            const mode_t rights = whole && last ? *last
                                  : ::stat(parent(part).c_str(), &around) == 0
                                      ? folder_rights(around)
                                      : mode_t{0777};
            if (calls_->mkdir(part.c_str(), rights) != 0 && errno != EEXIST) {
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

    std::shared_ptr<PosixCalls> calls_;
};

}  // namespace

std::shared_ptr<LinkedFileSystem> make_local_file_system(std::shared_ptr<PosixCalls> calls) {
    return std::make_shared<LocalFileSystem>(std::move(calls));
}

}  // namespace taffrail::io
