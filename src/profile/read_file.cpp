// From bytes or a file to a profile: unpacking, finding the format, reading.
#include "base/grouped.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/gzip.h"
#include "io/files.h"
#include "io/map_memory.h"
#include "profile/formats.h"
#include "profile/gunzip_part.h"

#include <algorithm>

namespace taffrail::profile {
namespace {

bool is_gzip(ByteSpan bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

/// A file in memory of its own, so that a part of it can be given back; a file that somebody cuts
/// off meanwhile is only shorter.
struct Loaded {
    io::Mapping pages = {};
    std::size_t size = 0;
    bool is_limited = false;
};

/// How much of a file is read, and why no more.
struct Room {
    std::uint64_t bytes = 0;
    bool is_memory = false;  ///< else a number that nothing real comes near

    Room(std::uint64_t limit_bytes, const ReadLimits& limits)
        : bytes(std::min(limit_bytes, limits.free_memory_bytes / 2)),
          is_memory(bytes < limit_bytes) {}

    [[nodiscard]] std::string text() const {
        return grouped(bytes) + " bytes" + (is_memory ? ", half of the memory that is free" : "") +
               ": only that much was read";
    }
};

/// Text of traces packs ten to thirty times, that of stacks a few hundred: more is no profile, and
/// a small file must not take all of a large machine.
std::uint64_t most_unpacked(std::uint64_t packed_bytes, const ReadLimits& limits) {
    constexpr std::uint64_t kMostTimes = 256, kAlways = std::uint64_t{1} << 30;
    return std::min(limits.max_unpacked_bytes, std::max(kAlways, packed_bytes * kMostTimes));
}

Result<Loaded> load_file(const std::string& path, std::uint64_t most_bytes) {
    TAFFRAIL_ASSIGN(const auto file, io::open(path, io::OpenMode::Read));
    TAFFRAIL_ASSIGN(const io::FileInfo info, io::stat(path));
    Loaded loaded;
    if (info.size > 0) {
        TAFFRAIL_ASSIGN(loaded.pages,
                        io::map_memory(static_cast<std::size_t>(std::min(info.size, most_bytes))));
        // A fault for each 4 KiB costs a tenth of what reading a trace does.
        constexpr std::size_t kMany = 16u << 20;
        if (loaded.pages.size() >= kMany) {
            io::prefer_large_pages(loaded.pages);
        }
        loaded.is_limited = info.size > most_bytes;
        TAFFRAIL_ASSIGN(loaded.size, file->read_at(0, {loaded.pages.data(), loaded.pages.size()}));
    }
    return loaded;
}

const Format* format_of_bytes(ByteSpan bytes) {
    for (const Format& known : formats()) {
        if (known.recognises != nullptr && known.recognises(bytes)) {
            return &known;
        }
    }
    return nullptr;
}

Result<ReadProfile> read_bytes(ByteSpan bytes, std::string_view what, const Format* format,
                               const ReadLimits& limits, const Loaded* loaded);

}  // namespace

const Format* format_of_path(std::string_view path) {
    if (path.ends_with(".gz") && !path.ends_with(".pb.gz")) {
        path.remove_suffix(3);
    }
    const Format* best = nullptr;
    std::size_t longest = 0;
    for (const Format& format : formats()) {
        for (const std::string_view extension : split(format.extensions, ' ')) {
            if (path.ends_with(extension) && extension.size() > longest) {
                best = &format;
                longest = extension.size();
            }
        }
    }
    return best;
}

const Format* format_of_file(const std::string& path) {
    constexpr std::size_t kLook = 1u << 20;
    const auto info = io::stat(path);
    if (!info.ok() || info->type != io::EntryType::File) {
        return nullptr;
    }
    const auto head = load_file(path, kLook);
    if (!head.ok()) {
        return nullptr;
    }
    ByteSpan bytes = head->pages.bytes().first(head->size);
    Result<GunzippedPart> unpacked = GunzippedPart{};
    if (is_gzip(bytes)) {
        unpacked = gunzip_part(bytes, kLook);
        bytes = unpacked.ok() ? unpacked->bytes() : ByteSpan();
    }
    return bytes.empty() ? nullptr : format_of_bytes(bytes);
}

Result<ReadProfile> read_profile(ByteSpan bytes, std::string_view what, const Format* format,
                                 const ReadLimits& limits) {
    return read_bytes(bytes, what, format, limits, nullptr);
}

namespace {

Result<ReadProfile> read_bytes(ByteSpan bytes, std::string_view what, const Format* format,
                               const ReadLimits& limits, const Loaded* loaded) {
    const auto fail = [&](ErrorCode code, const std::string& why) {
        return Error{code, std::string(what) + ": " + why};
    };
    if (bytes.empty()) {
        return fail(ErrorCode::Corrupt, "the file is empty");
    }
    ReadProfile read;
    Loaded unpacked;
    if (loaded != nullptr && loaded->is_limited) {
        read.profile.notes.add("the file is larger than " +
                               Room(limits.max_file_bytes, limits).text());
    }
    if (is_gzip(bytes)) {
        // A cut stream still gives its beginning, and a bomb the part within the limit.
        const Room room(most_unpacked(bytes.size(), limits), limits);
        TAFFRAIL_ASSIGN(GunzippedPart part, gunzip_part(bytes, room.bytes));
        if (part.size == 0) {
            return fail(ErrorCode::Corrupt, "a gzip stream that is damaged or empty");
        }
        if (part.is_limited) {
            read.profile.notes.add("unpacked it is larger than " + room.text());
        } else if (!part.is_whole) {
            read.profile.notes.add(
                "the gzip stream is cut off or damaged; what stands before is "
                "here");
        }
        unpacked = {.pages = std::move(part.pages), .size = part.size};
        bytes = unpacked.pages.bytes().first(unpacked.size);
        loaded = &unpacked;
    }
    if (as_text(bytes).starts_with("\xEF\xBB\xBF")) {
        bytes = bytes.subspan(3);
    }
    if (limits.progress != nullptr) {
        limits.progress->all_bytes = bytes.size();
        limits.progress->done_bytes = 0;
        limits.progress->phase = Progress::Phase::Reading;
    }
    read.profile.progress = limits.progress;
    read.format = format;
    read.format = read.format == nullptr ? format_of_bytes(bytes) : read.format;
    if (read.format == nullptr || read.format->read == nullptr) {
        return fail(ErrorCode::Unsupported,
                    "no profile that is known here; what can be read: " + format_names(false));
    }
    const bool once = loaded != nullptr && read.format->read_once != nullptr &&
                      bytes.data() == loaded->pages.data();
    read.profile.wants_places = once && loaded != &unpacked;
    if (const Result<void> done =
            once ? read.format->read_once(loaded->pages, loaded->size, read.profile)
                 : read.format->read(bytes, read.profile);
        !done.ok()) {
        return fail(done.error().code, done.error().message);
    }
    read.profile.progress = nullptr;
    return read;
}

}  // namespace

Result<ReadProfile> read_profile_file(const std::string& path, const Format* format,
                                      const ReadLimits& limits) {
    // A pipe does not say how long it is.
    if (const auto info = io::stat(path);
        info.ok() && (info->type != io::EntryType::File || info->size == 0)) {
        TAFFRAIL_ASSIGN(const Bytes bytes, io::read_file(path));
        return read_profile(bytes, path, format, limits);
    }
    TAFFRAIL_ASSIGN(const Loaded loaded,
                    load_file(path, Room(limits.max_file_bytes, limits).bytes));
    return read_bytes(loaded.pages.bytes().first(loaded.size), path, format, limits, &loaded);
}

Result<void> write_file(const std::string& path, bool packed,
                        const std::function<Result<void>(Output&)>& write) {
    const std::string unfinished = path + ".part";
    TAFFRAIL_ASSIGN(const auto file, io::open(unfinished, io::OpenMode::Truncate));
    Result<void> done;
    if (packed) {
        Bytes whole;
        Output out([&](ByteSpan bytes) -> Result<void> {
            append(whole, bytes);
            return {};
        });
        done = write(out);
        if (done.ok()) {
            done = file->append(gzip(whole));
        }
    } else {
        Output out([&](ByteSpan bytes) { return file->append(bytes); });
        done = write(out);
    }
    if (done.ok()) {
        done = io::rename(unfinished, path);
    }
    if (!done.ok()) {
        (void)io::remove(unfinished);
        return Error{done.error().code, path + ": " + done.error().message};
    }
    return {};
}

Result<void> write_profile_file(Profile& profile, const Format& format, const std::string& path,
                                const WriteOptions& options) {
    // pprof's own packing is part of its format.
    return write_file(path, path.ends_with(".gz") && format.name != "pprof",
                      [&](Output& out) { return format.write(profile, out, options); });
}

}  // namespace taffrail::profile
