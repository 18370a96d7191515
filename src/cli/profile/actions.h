// What `taffrail profile` can do with profiles, one function each.
#pragma once

#include "cli/session.h"
#include "cli/targets.h"
#include "profile/formats.h"

#include <cstdint>
#include <string>
#include <vector>

namespace taffrail::cli {

struct ProfileRequest {
    std::string action;
    std::vector<std::string> inputs;
    TargetOptions where;
    std::string from, to, output, value, title, before;
    std::string sort = "self";
    std::int64_t limit = 30;
    bool by_thread = false, is_icicle = false, json = false, wide = false;
};

/// A profile and what it is called.
struct ProfileInput {
    std::string name;
    std::string title;  ///< of pictures: the file without its folders, behind the name of its run
    profile::ReadProfile read;
    bool is_damaged = false;  ///< part of the file could not be read; said already

    /// What a command that answered ends with.
    [[nodiscard]] ExitCode code() const { return is_damaged ? ExitCode::Failed : ExitCode::Ok; }
};

/// A file, "-" for standard input, or a run, of which the newest profile is meant. What was wrong
/// with it is said on standard error.
Result<ProfileInput> open_profile(const Session& session, const std::string& target,
                                  const ProfileRequest& request);

ExitCode print_profile_table(const Session& session, const ProfileRequest& request);
ExitCode print_profile_difference(const Session& session, const ProfileRequest& request);
/// A flame graph of one profile, or the comparison of two.
ExitCode draw_flame(const Session& session, const ProfileRequest& request);
/// What the steps of one trace, or of each worker's, were spent on, and advice.
ExitCode analyze_profiles(const Session& session, const ProfileRequest& request);
/// What is on the timeline, or the timeline as a trace of its own.
ExitCode show_trace(const Session& session, const ProfileRequest& request);
ExitCode convert_profile(const Session& session, const ProfileRequest& request);
/// Writes what was read, and says so.
ExitCode write_profile_as(const Session& session, const ProfileRequest& request,
                          ProfileInput& input, const profile::Format& format);

/// Writes to `path` in one step, packed where it ends with ".gz", or to standard output where it is
/// empty or "-".
Result<void> write_output(const Session& session, const std::string& path,
                          const std::function<Result<void>(profile::Output&)>& write);

}  // namespace taffrail::cli
