#include "cli/native_runs.h"

#include "base/try.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace taffrail::cli {

bool confirmed(const Session& session, std::string_view question) {
    if (isatty(STDIN_FILENO) == 0) {
        session.fail("nobody is here to ask; say --yes");
        return false;
    }
    session.warn(std::string(question) + " [y/N]");
    const int answer = std::getchar();
    return answer == 'y' || answer == 'Y';
}

void declare_all(Arguments& arguments, bool& all) {
    arguments.flag("--all", all, "every run of a folder that holds several");
}

Result<std::vector<NativeRun>> find_native_runs(const Session& session,
                                                const std::vector<std::string>& targets,
                                                const TargetOptions& options, Folders folders) {
    std::vector<NativeRun> runs;
    for (const std::string& target : targets) {
        TAFFRAIL_ASSIGN(const Target found, find_runs(session, target, options));
        if (found.is_folder && found.ids.size() > 1 && folders == Folders::OfOneRun) {
            return Error{ErrorCode::InvalidArgument, describe_many(found) +
                                                         "; name one of them with --root " +
                                                         found.path + " NAME, or say --all"};
        }
        for (const RunInfo& info : found.catalogue->runs(true)) {
            if (std::find(found.ids.begin(), found.ids.end(), info.id) == found.ids.end()) {
                continue;
            }
            if (info.source != "taffrail") {
                return Error{
                    ErrorCode::Unsupported,
                    info.name + " is read from " + info.source +
                        " files, which are never changed; taffrail import makes a run of them"};
            }
            runs.push_back({info, info.location});
            // Of several folders opened under names: the files know the run by its own id.
            runs.back().info.id = info.id.substr(info.id.rfind('/') + 1);
        }
    }
    return runs;
}

}  // namespace taffrail::cli
