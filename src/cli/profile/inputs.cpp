// Where `taffrail profile` gets its profiles from and puts its results.
#include "base/try.h"
#include "cli/profile/actions.h"
#include "io/files.h"
#include "io/inside.h"
#include "io/system_error.h"
#include "system/free_memory.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

namespace taffrail::cli {
namespace {

constexpr std::uint64_t kMaxInputBytes = std::uint64_t{8} << 30;

/// Of standard input and of pipes (`<(zcat …)`), which do not say how long they are.
Result<Bytes> read_stream(std::FILE* stream, std::string_view what, std::uint64_t free_bytes) {
    const std::uint64_t most_bytes = std::min(kMaxInputBytes, free_bytes / 4);
    Bytes bytes;
    std::array<std::byte, 1u << 16> piece;
    for (;;) {
        const std::size_t count = std::fread(piece.data(), 1, piece.size(), stream);
        if (count == 0) {
            break;
        }
        append(bytes, ByteSpan(piece).first(count));
        if (bytes.size() > most_bytes) {
            return Error{ErrorCode::Unsupported, std::string(what) + ": more than " +
                                                     std::to_string(most_bytes) +
                                                     " bytes; write it to a file first"};
        }
    }
    return bytes;
}

Result<Bytes> read_pipe(const std::string& path, std::uint64_t free_bytes) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(path.c_str(), "rb"),
                                                                 std::fclose);
    if (stream == nullptr) {
        return io::system_error("open", path, errno);
    }
    return read_stream(stream.get(), path, free_bytes);
}

/// The newest file in the folder `profiles` of a run that is a profile; where steps are asked for,
/// of its traces, if it has any. The run may be anybody's: what leads out of it is none, and
/// neither is a pipe, which would be waited for.
Result<std::string> newest_profile(const std::string& run_folder, const std::string& name,
                                   bool wants_steps) {
    const std::string folder = io::join(run_folder, "profiles");
    std::string newest;
    std::pair<bool, std::int64_t> best;
    if (const auto entries = io::list_inside(run_folder, folder); entries.ok()) {
        for (const io::DirectoryEntry& entry : *entries) {
            const std::string path = io::join(folder, entry.name);
            const auto info = io::stat_inside(run_folder, path);
            if (entry.type == io::EntryType::File && profile::is_profile_of_run(entry.name) &&
                info.ok()) {
                const std::pair rank(
                    wants_steps && profile::format_of_path(entry.name)->name == "chrome",
                    info->modified_ns);
                if (newest.empty() || rank > best) {
                    newest = path;
                    best = rank;
                }
            }
        }
    }
    if (newest.empty()) {
        return Error{ErrorCode::NotFound,
                     name +
                         ": the run has no profile; they are written by profiler=… in a "
                         "configuration"};
    }
    return newest;
}

}  // namespace

Result<ProfileInput> open_profile(const Session& session, const std::string& target,
                                  const ProfileRequest& request) {
    const profile::Format* format = nullptr;
    if (!request.from.empty()) {
        format = profile::find_format(request.from);
    }
    ProfileInput input{.name = target};
    const profile::ReadLimits limits{.free_memory_bytes = system::free_memory()};
    if (target == "-") {
        input.name = "standard input";
        TAFFRAIL_ASSIGN(const Bytes bytes,
                        read_stream(stdin, input.name, limits.free_memory_bytes));
        TAFFRAIL_ASSIGN(input.read, profile::read_profile(bytes, input.name, format, limits));
    } else if (const auto info = io::stat(target);
               info.ok() && info->type == io::EntryType::Other) {
        TAFFRAIL_ASSIGN(const Bytes bytes, read_pipe(target, limits.free_memory_bytes));
        TAFFRAIL_ASSIGN(input.read, profile::read_profile(bytes, target, format, limits));
    } else {
        std::string path = target;
        if (!info.ok() || info->type == io::EntryType::Directory) {
            const auto run = find_run(session, target, request.where);
            if (!run.ok()) {
                return Error{ErrorCode::NotFound,
                             target + ": neither a file nor a run (" + run.error().message + ")"};
            }
            const bool wants_steps = request.action == "analyze" || request.action == "trace";
            input.title = (*run)->info().name;
            TAFFRAIL_ASSIGN(path, newest_profile((*run)->info().location, target, wants_steps));
            input.name = path;
        }
        TAFFRAIL_ASSIGN(input.read, profile::read_profile_file(path, format, limits));
    }
    input.title += (input.title.empty() ? "" : ", ") + input.name.substr(input.name.rfind('/') + 1);
    input.is_damaged = !input.read.profile.notes.empty();
    for (const std::string& line : input.read.profile.notes.lines()) {
        session.warn(input.name + ": " + line);
    }
    return input;
}

Result<void> write_output(const Session& session, const std::string& path,
                          const std::function<Result<void>(profile::Output&)>& write) {
    if (path.empty() || path == "-") {
        profile::Output out([&](ByteSpan bytes) -> Result<void> {
            session.print(as_text(bytes));
            return {};
        });
        return write(out);
    }
    return profile::write_file(path, path.ends_with(".gz"), write);
}

}  // namespace taffrail::cli
