#include "io/files.h"

#include "base/try.h"
#include "io/fault.h"
#include "io/local.h"
#include "io/memory.h"
#include "io/replace_file.h"

#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>

namespace taffrail::io {
namespace {

struct Registry {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<FileSystem>, std::less<>> schemes;
    std::shared_ptr<FileSystem> local = make_local_file_system(std::make_shared<PosixCalls>());

    Registry() {
        schemes["file"] = local;
        schemes["memory"] = make_memory_file_system();
        schemes["fault"] = make_local_file_system(FaultCalls::instance());
    }
};

// Leaked on purpose: the last flush of a run may come while statics are being destroyed.
Registry& registry() {
    static auto* instance = new Registry;
    return *instance;
}

template <typename Call>
auto at(std::string_view url, Call call)
    -> decltype(call(std::declval<FileSystem&>(), std::string())) {
    TAFFRAIL_ASSIGN(Location where, locate(url));
    return call(*where.file_system, where.path);
}

}  // namespace

Result<Location> locate(std::string_view url) {
    const std::size_t mark = url.find("://");
    if (mark == std::string_view::npos || mark == 0 || url.find('/') < mark) {
        return Location{registry().local, std::string(url)};
    }
    const std::string_view scheme = url.substr(0, mark);
    std::string path(url.substr(mark + 3));
    while (path.size() > 1 && path.back() == '/') {
        path.pop_back();
    }
    const std::lock_guard guard(registry().mutex);
    const auto found = registry().schemes.find(scheme);
    if (found != registry().schemes.end()) {
        return Location{found->second, std::move(path)};
    }
    std::string known;
    for (const auto& [name, file_system] : registry().schemes) {
        known += known.empty() ? "" : ", ";
        known += name;
    }
    return Error{ErrorCode::Unsupported, "cannot open " + std::string(url) +
                                             ": no file system is called '" + std::string(scheme) +
                                             "'; known are " + known};
}

void register_file_system(std::string scheme, std::shared_ptr<FileSystem> file_system) {
    const std::lock_guard guard(registry().mutex);
    registry().schemes[std::move(scheme)] = std::move(file_system);
}

Result<std::unique_ptr<File>> open(std::string_view url, OpenMode mode) {
    return at(url,
              [&](FileSystem& files, const std::string& path) { return files.open(path, mode); });
}

Result<FileInfo> stat(std::string_view url) {
    return at(url, [](FileSystem& files, const std::string& path) { return files.stat(path); });
}

bool exists(std::string_view url) {
    return stat(url).ok();
}

Result<std::vector<DirectoryEntry>> list(std::string_view url) {
    return at(url, [](FileSystem& files, const std::string& path) { return files.list(path); });
}

Result<void> make_directories(std::string_view url) {
    return at(url, [](FileSystem& files, const std::string& path) {
        return files.make_directories(path);
    });
}

namespace {

using Renaming = Result<void> (FileSystem::*)(const std::string&, const std::string&);

Result<void> rename_by(std::string_view from, std::string_view to, Renaming renaming) {
    TAFFRAIL_ASSIGN(Location source, locate(from));
    TAFFRAIL_ASSIGN(Location target, locate(to));
    if (source.file_system != target.file_system) {
        return Error{ErrorCode::InvalidArgument, "cannot rename " + std::string(from) + " to " +
                                                     std::string(to) +
                                                     ": they are on different file systems"};
    }
    return ((*source.file_system).*renaming)(source.path, target.path);
}

}  // namespace

Result<void> rename(std::string_view from, std::string_view to) {
    return rename_by(from, to, &FileSystem::rename);
}

Result<void> rename_new(std::string_view from, std::string_view to) {
    return rename_by(from, to, &FileSystem::rename_new);
}

Result<void> remove(std::string_view url) {
    return at(url, [](FileSystem& files, const std::string& path) { return files.remove(path); });
}

Result<void> remove_tree(std::string_view url) {
    TAFFRAIL_ASSIGN(const Location where, locate(url));
    if (auto* const linked = dynamic_cast<LinkedFileSystem*>(where.file_system.get())) {
        return linked->remove_tree(where.path);
    }
    auto known = stat(url);
    if (!known.ok()) {
        return known.error().code == ErrorCode::NotFound ? Result<void>()
                                                         : Result<void>(known.error());
    }
    if (known->type == EntryType::Directory) {
        TAFFRAIL_ASSIGN(const auto entries, list(url));
        for (const DirectoryEntry& entry : entries) {
            TAFFRAIL_TRY(remove_tree(join(url, entry.name)));
        }
    }
    return remove(url);
}

Result<void> sync_directory(std::string_view url) {
    return at(
        url, [](FileSystem& files, const std::string& path) { return files.sync_directory(path); });
}

Result<bool> is_locked(std::string_view url) {
    return at(url,
              [](FileSystem& files, const std::string& path) { return files.is_locked(path); });
}

bool is_local(std::string_view url) {
    auto where = locate(url);
    return where.ok() && where->file_system->is_local(where->path);
}

Result<void> set_modified(std::string_view url, std::int64_t time_ns) {
    return at(url, [time_ns](FileSystem& files, const std::string& path) {
        return files.set_modified(path, time_ns);
    });
}

Result<Bytes> read_file(std::string_view url) {
    TAFFRAIL_ASSIGN(auto file, open(url, OpenMode::Read));
    TAFFRAIL_ASSIGN(const FileInfo known, file->info());
    // Files of /proc say they are empty; growing files may be longer by now. Read until there is no
    // more. One byte too many tells the end of an ordinary file without making room for more.
    Bytes bytes(static_cast<std::size_t>(known.size) + 1);
    std::size_t filled = 0;
    for (;;) {
        TAFFRAIL_ASSIGN(const std::size_t got,
                        file->read_at(filled, std::span(bytes).subspan(filled)));
        filled += got;
        if (filled < bytes.size()) {
            break;
        }
        bytes.resize(bytes.size() + 4096);
    }
    bytes.resize(filled);
    return bytes;
}

Result<std::string> read_text(std::string_view url) {
    TAFFRAIL_ASSIGN(const Bytes bytes, read_file(url));
    return std::string(as_text(bytes));
}

namespace {

/// What outlasts a power cut when the call returns.
enum class Durable : std::uint8_t { Nothing, Content, ContentAndName };

/// What a file of its own beside `url` becomes once it is whole.
Result<void> write_beside(std::string_view url, ByteSpan bytes, Durable durable,
                          const std::function<Result<void>(const std::string&)>& take_name) {
    static std::atomic<unsigned> counter{0};
    std::string temporary;
    const auto create = [&]() -> Result<std::unique_ptr<File>> {
        // Never what is there already: a link under that name would be written through.
        for (int attempt = 0;; ++attempt) {
            temporary = std::string(url) + ".tmp-" + std::to_string(getpid()) + '-' +
                        std::to_string(counter++);
            auto file = open(temporary, OpenMode::CreateExclusive);
            if (file.ok() || file.error().code != ErrorCode::AlreadyExists || attempt == 100) {
                return file;
            }
        }
    };
    TAFFRAIL_ASSIGN(auto file, create());
    Result<void> done = file->append(bytes);
    if (done.ok() && durable != Durable::Nothing) {
        done = file->sync();
    }
    file.reset();
    if (done.ok()) {
        done = take_name(temporary);
    }
    if (!done.ok()) {
        (void)remove(temporary);
        return done;
    }
    return durable == Durable::ContentAndName ? sync_directory(parent(url)) : Result<void>();
}

}  // namespace

Result<void> write_file_atomically(std::string_view url, ByteSpan bytes, bool durable) {
    return write_beside(url, bytes, durable ? Durable::ContentAndName : Durable::Nothing,
                        [url](const std::string& temporary) { return rename(temporary, url); });
}

Result<void> write_new_file_atomically(std::string_view url, ByteSpan bytes) {
    return write_beside(url, bytes, Durable::ContentAndName,
                        [url](const std::string& temporary) { return rename_new(temporary, url); });
}

Result<void> replace_file(std::string_view url, ByteSpan bytes) {
    return write_beside(url, bytes, Durable::Content,
                        [url](const std::string& temporary) { return rename(temporary, url); });
}

std::string join(std::string_view folder, std::string_view name) {
    std::string joined(folder);
    if (!joined.empty() && joined.back() != '/') {
        joined += '/';
    }
    joined += name;
    return joined;
}

std::string parent(std::string_view url) {
    const std::size_t slash = url.rfind('/');
    if (slash == std::string_view::npos) {
        return ".";
    }
    return std::string(url.substr(0, slash == 0 ? 1 : slash));
}

}  // namespace taffrail::io
