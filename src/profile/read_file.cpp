// From bytes or a file to a profile: unpacking, finding the format, reading.
#include "base/strings.h"
#include "base/try.h"
#include "codec/gzip.h"
#include "io/files.h"
#include "profile/formats.h"
#include "profile/gunzip_part.h"

#include <algorithm>

namespace taffrail::profile {
namespace {

bool is_gzip(ByteSpan bytes) {
    return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

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

Result<ReadProfile> read_profile(ByteSpan bytes, std::string_view what, const Format* format,
                                 const ReadLimits& limits) {
    const auto fail = [&](ErrorCode code, const std::string& why) {
        return Error{code, std::string(what) + ": " + why};
    };
    if (bytes.empty()) {
        return fail(ErrorCode::Corrupt, "the file is empty");
    }
    ReadProfile read;
    Bytes unpacked;
    if (is_gzip(bytes)) {
        // A cut stream still gives its beginning, and a bomb the part within the limit.
        GunzippedPart part = gunzip_part(bytes, limits.max_unpacked_bytes);
        if (part.bytes.empty()) {
            return fail(ErrorCode::Corrupt, "a gzip stream that is damaged or empty");
        }
        if (part.is_limited) {
            read.profile.notes.add("unpacked it is larger than " +
                                   std::to_string(limits.max_unpacked_bytes) +
                                   " bytes: only that much was read");
        } else if (!part.is_whole) {
            read.profile.notes.add(
                "the gzip stream is cut off or damaged; what stands before is "
                "here");
        }
        unpacked = std::move(part.bytes);
        bytes = unpacked;
    }
    if (as_text(bytes).starts_with("\xEF\xBB\xBF")) {
        bytes = bytes.subspan(3);
    }
    read.format = format;
    for (const Format& known : formats()) {
        if (read.format == nullptr && known.recognises != nullptr && known.recognises(bytes)) {
            read.format = &known;
        }
    }
    if (read.format == nullptr || read.format->read == nullptr) {
        return fail(ErrorCode::Unsupported,
                    "no profile that is known here; what can be read: " + format_names(false));
    }
    if (const Result<void> done = read.format->read(bytes, read.profile); !done.ok()) {
        return fail(done.error().code, done.error().message);
    }
    return read;
}

Result<ReadProfile> read_profile_file(const std::string& path, const Format* format,
                                      const ReadLimits& limits) {
    TAFFRAIL_ASSIGN(const Bytes bytes, io::read_file(path));
    return read_profile(bytes, path, format, limits);
}

Result<void> write_profile_file(Profile& profile, const Format& format, const std::string& path,
                                const WriteOptions& options) {
    const std::string unfinished = path + ".part";
    TAFFRAIL_ASSIGN(const auto file, io::open(unfinished, io::OpenMode::Truncate));
    Result<void> done;
    if (path.ends_with(".gz") && format.name != "pprof") {
        Bytes whole;
        Output out([&](ByteSpan bytes) -> Result<void> {
            append(whole, bytes);
            return {};
        });
        done = format.write(profile, out, options);
        if (done.ok()) {
            done = file->append(gzip(whole));
        }
    } else {
        Output out([&](ByteSpan bytes) { return file->append(bytes); });
        done = format.write(profile, out, options);
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

}  // namespace taffrail::profile
