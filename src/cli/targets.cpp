#include "cli/targets.h"

#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"

#include <algorithm>
#include <optional>

namespace taffrail::cli {
namespace {

using Deleted = TargetOptions::Deleted;

/// `name1:path1,name2:path2`, every path there: how TensorBoard takes several logdirs.
bool names_folders(std::string_view target) {
    if (target.find_first_of(":,") == std::string_view::npos) {
        return false;
    }
    for (std::string_view part : split(target, ',')) {
        const auto colon = part.find(':');
        const bool there = io::exists(part) || (colon != std::string_view::npos && colon > 0 &&
                                                io::exists(part.substr(colon + 1)));
        if (!there) {
            return false;
        }
    }
    return true;
}

/// Can be nothing but a path.
bool is_plain_path(std::string_view target) {
    return target == "." || target == ".." || target.starts_with('/') || target.starts_with("./") ||
           target.starts_with("../") || target.starts_with("~/") ||
           target.find("://") != std::string_view::npos || names_folders(target);
}

Result<Target> open_folder(const Session& session, std::string_view path, Deleted deleted) {
    Target found;
    found.path = path;
    found.is_folder = true;
    TAFFRAIL_ASSIGN(found.catalogue, session.open(found.path));
    for (const RunInfo& run : found.catalogue->runs(deleted != Deleted::ById)) {
        found.ids.push_back(run.id);
    }
    if (found.ids.empty()) {
        for (const UnreadableRun& run : found.catalogue->unreadable()) {
            return Error{ErrorCode::PermissionDenied, run.location + ": " + run.reason};
        }
        return Error{ErrorCode::NotFound, "no runs in " + found.path};
    }
    return found;
}

bool is_of_others(const Target& found) {
    return std::ranges::none_of(found.catalogue->runs(true),
                                [](const RunInfo& run) { return run.source == "taffrail"; });
}

/// The run called so: by its id, by its name as `deleted` says, by the beginning of its id.
Result<std::optional<std::string>> match(const std::vector<RunInfo>& runs, std::string_view target,
                                         Deleted deleted) {
    const RunInfo *visible = nullptr, *hidden = nullptr;
    std::vector<const RunInfo*> begins;
    for (const RunInfo& run : runs) {
        if (run.id == target) {
            return std::optional(run.id);
        }
        if (run.name == target) {
            const RunInfo*& place = run.deleted ? hidden : visible;
            place = place == nullptr ? &run : place;
        }
        if (run.id.starts_with(target)) {
            begins.push_back(&run);
        }
    }
    const RunInfo* by_name = deleted == Deleted::First && hidden != nullptr ? hidden
                             : visible != nullptr                           ? visible
                             : deleted != Deleted::ById                     ? hidden
                                                                            : nullptr;
    if (by_name != nullptr) {
        return std::optional(by_name->id);
    }
    if (hidden != nullptr) {
        return Error{ErrorCode::NotFound,
                     "'" + std::string(target) + "' is deleted: name it by its id, " + hidden->id +
                         ", or bring it back with taffrail restore " + std::string(target)};
    }
    if (begins.size() > 1) {
        return Error{ErrorCode::InvalidArgument, std::to_string(begins.size()) +
                                                     " runs begin with '" + std::string(target) +
                                                     "': give more of the id"};
    }
    return begins.empty() ? std::nullopt : std::optional(begins.front()->id);
}

Result<Target> find_by_name(const Session& session, std::string_view target,
                            const TargetOptions& options) {
    Target found;
    found.path = default_root(options.root);
    TAFFRAIL_ASSIGN(found.catalogue, session.open(found.path));
    TAFFRAIL_ASSIGN(const auto id, match(found.catalogue->runs(true), target, options.deleted));
    if (id) {
        found.ids.push_back(*id);
        return found;
    }
    // What only the catalogue knows: a run of a part of several folders without the part's name.
    TAFFRAIL_ASSIGN(const auto run, found.catalogue->run(target));
    found.ids.push_back(run->info().id);
    return found;
}

}  // namespace

void declare_targets(Arguments& arguments, TargetOptions& options) {
    declare_root(arguments, options.root);
    arguments.flag("--path", options.is_path,
                   "what is named is a folder, not a run (as with a '/' in it)");
}

Result<Target> find_runs(const Session& session, std::string_view target,
                         const TargetOptions& options) {
    if (target.empty()) {
        return open_folder(session, default_root(options.root), options.deleted);
    }
    if (options.is_path || is_plain_path(target)) {
        return open_folder(session, target, options.deleted);
    }
    auto by_name = find_by_name(session, target, options);
    if (by_name.ok() || !io::exists(target)) {
        return by_name;
    }
    if (target.find('/') != std::string_view::npos) {
        return open_folder(session, target, options.deleted);
    }
    // What another program left behind is meant by its name: no command changes it.
    if (auto folder = open_folder(session, target, options.deleted);
        folder.ok() && is_of_others(*folder)) {
        return folder;
    }
    return Error{by_name.error().code, by_name.error().message + "; the folder of that name is ./" +
                                           std::string(target) + ", or say --path"};
}

std::string describe_many(const Target& target) {
    const auto runs = target.catalogue->runs(true);
    std::string names;
    std::size_t shown = 0;
    for (const RunInfo& run : runs) {
        if (std::find(target.ids.begin(), target.ids.end(), run.id) != target.ids.end() &&
            shown++ < 8) {
            names += (names.empty() ? "" : ", ") + run.name;
        }
    }
    return target.path + " holds " + std::to_string(target.ids.size()) + " runs (" + names +
           (shown > 8 ? ", …" : "") + ")";
}

Result<std::shared_ptr<RecordedRun>> find_run(const Session& session, std::string_view target,
                                              const TargetOptions& options) {
    TAFFRAIL_ASSIGN(const Target found, find_runs(session, target, options));
    if (found.ids.size() > 1 && !target.empty()) {
        return Error{
            ErrorCode::InvalidArgument,
            describe_many(found) + "; name one of them with --root " + found.path + " NAME"};
    }
    // Without a target the newest run is meant.
    return found.catalogue->run(found.ids.front());
}

Error no_key(std::string_view what, const std::string& pattern,
             const std::vector<std::string>& known) {
    return {ErrorCode::NotFound, "no " + std::string(what) + " matches '" + pattern + "'" +
                                     did_you_mean(pattern, known) +
                                     " (taffrail show lists the keys of a run)"};
}

Result<void> keys_fit(const std::vector<KeyInfo>& keys, const std::string& pattern,
                      std::string_view what) {
    std::vector<std::string> known;
    for (const KeyInfo& key : keys) {
        if (pattern.empty() || glob_match(pattern, key.key)) {
            return {};
        }
        known.push_back(key.key);
    }
    return pattern.empty() ? Result<void>() : no_key(what, pattern, known);
}

}  // namespace taffrail::cli
