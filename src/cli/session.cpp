#include "cli/session.h"

#include "base/clock.h"
#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"

#include <cstdlib>

namespace taffrail::cli {

Session::Session(Looks looks, Writer out, Writer errors, Opener open)
    : now_ns(wall_time_ns()),
      looks_(looks),
      out_(std::move(out)),
      errors_(std::move(errors)),
      open_(std::move(open)) {}

ExitCode Session::fail(const Error& error) const {
    return fail(error.message);
}

ExitCode Session::fail(std::string_view message) const {
    errors_("taffrail: " + std::string(message) + "\n");
    return ExitCode::Failed;
}

ExitCode Session::wrong_usage(std::string_view message) const {
    warn(message);
    return ExitCode::Usage;
}

void Session::warn(std::string_view message) const {
    errors_("taffrail: " + std::string(message) + "\n");
}

std::string Session::styled(Style style, std::string_view text) const {
    if (!looks_.color || style == Style::Plain || text.empty()) {
        return std::string(text);
    }
    const char* code = "0";
    switch (style) {
        case Style::Plain:
            break;
        case Style::Bold:
            code = "1";
            break;
        case Style::Dim:
            code = "2";
            break;
        case Style::Red:
            code = "31";
            break;
        case Style::Green:
            code = "32";
            break;
        case Style::Yellow:
            code = "33";
            break;
        case Style::Blue:
            code = "34";
            break;
        case Style::Magenta:
            code = "35";
            break;
        case Style::Cyan:
            code = "36";
            break;
    }
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string default_root(std::string_view root) {
    if (!root.empty()) {
        return std::string(root);
    }
    const char* folder = std::getenv("TAFFRAIL_DIR");
    return folder != nullptr && *folder != '\0' ? folder : "taffrail";
}

namespace {

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

}  // namespace

Result<Target> find_runs(const Session& session, std::string_view target, std::string_view root,
                         bool include_deleted) {
    Target found;
    if (target.empty() || io::exists(target) || target.find("://") != std::string_view::npos ||
        names_folders(target)) {
        found.path = target.empty() ? default_root(root) : std::string(target);
        TAFFRAIL_ASSIGN(found.catalogue, session.open(found.path));
        for (const RunInfo& run : found.catalogue->runs(include_deleted)) {
            found.ids.push_back(run.id);
        }
        if (found.ids.empty()) {
            return Error{ErrorCode::NotFound, "no runs in " + found.path};
        }
        return found;
    }
    found.path = default_root(root);
    TAFFRAIL_ASSIGN(found.catalogue, session.open(found.path));
    auto run = found.catalogue->run(target);
    if (!run.ok()) {
        for (const RunInfo& info : found.catalogue->runs(include_deleted)) {
            if (info.deleted && (info.id.starts_with(target) || info.name == target)) {
                found.ids.push_back(info.id);
                return found;
            }
        }
        return run.error();
    }
    found.ids.push_back((*run)->info().id);
    return found;
}

Result<std::shared_ptr<RecordedRun>> find_run(const Session& session, std::string_view target,
                                              std::string_view root) {
    TAFFRAIL_ASSIGN(const Target found, find_runs(session, target, root));
    if (found.ids.size() > 1 && !target.empty()) {
        std::string names;
        const auto runs = found.catalogue->runs();
        for (std::size_t i = 0; i < runs.size() && i < 8; ++i) {
            names += (i == 0 ? "" : ", ") + runs[i].name;
        }
        return Error{ErrorCode::InvalidArgument,
                     found.path + " holds " + std::to_string(found.ids.size()) + " runs (" + names +
                         (runs.size() > 8 ? ", …" : "") + "); name one of them with --root " +
                         found.path + " NAME"};
    }
    // Without a target the newest run is meant.
    return found.catalogue->run(found.ids.front());
}

void declare_root(Arguments& arguments, std::string& root) {
    arguments.path_option("--root", root, "DIR",
                          "where runs live (default: $TAFFRAIL_DIR, else ./taffrail)");
}

}  // namespace taffrail::cli
