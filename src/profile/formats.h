// The list of formats, and reading and writing by content and by name.
#pragma once

#include "profile/format.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace taffrail::profile {

/// In the order in which files are tried.
std::span<const Format> formats();
/// Null when there is none of that name.
const Format* find_format(std::string_view name);
/// By the end of a file name: "run.pt.trace.json.gz", "x.svg". Null when it says nothing.
const Format* format_of_path(std::string_view path);
/// By its first mebibyte, packed or not, whatever it is called; null where that is no profile.
const Format* format_of_file(const std::string& path);
/// Whether a file in a run's folder `profiles` is one to read, by its name: the reports beside them
/// (`fit-profiler.txt`) are for people, and pictures are only written.
bool is_profile_of_run(std::string_view name);
/// "chrome, speedscope, …" for messages.
std::string format_names(bool writable);

struct ReadLimits {
    std::uint64_t max_unpacked_bytes = std::uint64_t{2} << 30;
    std::uint64_t max_file_bytes = std::uint64_t{8} << 30;
    /// Half of it is for the bytes of a file, what is made of them takes about as much again.
    std::uint64_t free_memory_bytes = UINT64_MAX;
    Progress* progress = nullptr;  ///< told how far the reader is; null = nobody wants to know
};

struct ReadProfile {
    Profile profile;
    const Format* format = nullptr;
};

/// Reads bytes of any format, packed with gzip or not; `format` null finds it by content. `what`
/// names them in messages.
Result<ReadProfile> read_profile(ByteSpan bytes, std::string_view what,
                                 const Format* format = nullptr, const ReadLimits& limits = {});
/// The file at `path`; where its format allows it, memory is given back as it is read.
Result<ReadProfile> read_profile_file(const std::string& path, const Format* format = nullptr,
                                      const ReadLimits& limits = {});

/// Replaces `path` in one step by what `write` gives, packed with gzip where that is wanted.
Result<void> write_file(const std::string& path, bool packed,
                        const std::function<Result<void>(Output&)>& write);
/// The same of a profile; a name that ends with ".gz" is packed.
Result<void> write_profile_file(Profile& profile, const Format& format, const std::string& path,
                                const WriteOptions& options = {});

}  // namespace taffrail::profile
