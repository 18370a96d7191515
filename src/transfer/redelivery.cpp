#include "transfer/redelivery.h"

#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "store/glance.h"

#include <algorithm>

namespace taffrail::transfer {
namespace {

// Options come out of the run folder, which may be anybody's: `$HOME/x` there would name a place
// that nobody has seen. note_sink() keeps values, never variables.
bool names_a_variable(const NotedSink& noted) {
    return std::ranges::any_of(noted.options, [](const auto& option) {
        return option.second.starts_with('~') || option.second.find('$') != std::string::npos;
    });
}

std::string obstacle_of(const NotedSink& noted) {
    if (noted.type.empty()) {
        return "it was made by the program itself; resume the run to deliver to it";
    }
    if (names_a_variable(noted)) {
        return "it was noted with a variable or ~ in its options, which are not expanded here: "
               "resume "
               "the run to deliver to it, or use taffrail export";
    }
    return {};
}

Result<void> check_ordinary(const std::string& place) {
    const auto known = io::stat(place);
    const bool is_link = io::is_link(place);
    if (is_link || (known.ok() && known->type == io::EntryType::Other)) {
        return Error{ErrorCode::PermissionDenied,
                     place + (is_link ? " is a link" : " is no ordinary file") +
                         ", and nothing in a run folder is written through one: remove it, or "
                         "give the sink another place (log_dir)"};
    }
    if (!known.ok() || known->type != io::EntryType::Directory) {
        return {};
    }
    const auto entries = io::list(place);
    if (!entries.ok() && entries.error().code != ErrorCode::NotFound) {  // other ranks tidy up
        return entries.error();
    }
    for (const io::DirectoryEntry& entry :
         entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        TAFFRAIL_TRY(check_ordinary(io::join(place, entry.name)));
    }
    return {};
}

Result<std::uint64_t> deliver(const StoredRun& run, const NotedSink& noted,
                              const std::function<void(std::uint64_t)>& progress) {
    TAFFRAIL_TRY(check_usual_place(run.folder, noted.type));
    return deliver_backlog(
        run.folder, run.info.id, noted, [&] { return make_sink(noted.type, noted.options); },
        {run.info.state, run.info.message}, progress);
}

}  // namespace

Result<void> check_usual_place(const std::string& run_folder, const std::string& type) {
    if (type.empty()) {
        return {};  // made by the program, which knows where it writes
    }
    std::string name = type;
    for (const SinkInfo& info : registered_sinks()) {
        name = info.class_name == type ? info.name : name;
    }
    TAFFRAIL_ASSIGN(const auto entries, io::list(run_folder));
    for (const io::DirectoryEntry& entry : entries) {
        if (entry.name.starts_with(name) || entry.name.starts_with("." + name)) {
            TAFFRAIL_TRY(check_ordinary(io::join(run_folder, entry.name)));
        }
    }
    return {};
}

std::vector<Destination> destinations(const StoredRun& run, std::string_view wanted) {
    std::vector<Destination> found;
    for (NotedSink& noted : noted_sinks(run.folder)) {
        if (wanted.empty() || wanted == noted.name || wanted == noted.type) {
            std::string obstacle = obstacle_of(noted);
            found.push_back({std::move(noted), std::move(obstacle)});
        }
    }
    return found;
}

Result<void> add_destination(const StoredRun& run, const std::string& type,
                             const OptionMap& options) {
    // Refused here with its reason, before anything is noted.
    TAFFRAIL_TRY(make_sink(type, options));
    return attach_sink(run.folder,
                       {.name = type, .type = type, .mask = kAllSinks, .options = options});
}

RunInfo state_now(const StoredRun& run) {
    RunInfo info = store::glance_at_run(run.folder).info;
    info.id = run.info.id;
    return info;
}

Result<std::vector<Pending>> pending(const StoredRun& run, std::string_view wanted, bool is_new) {
    std::vector<Pending> all;
    if (is_new) {
        const NotedSink noted{
            .name = std::string(wanted), .type = std::string(wanted), .mask = kAllSinks};
        TAFFRAIL_ASSIGN(const std::uint64_t count,
                        count_backlog(run.folder, run.info.id, noted, true));
        return std::vector<Pending>{{std::string(wanted), count}};
    }
    for (const Destination& destination : destinations(run, wanted)) {
        if (destination.obstacle.empty()) {
            TAFFRAIL_ASSIGN(const std::uint64_t count,
                            count_backlog(run.folder, run.info.id, destination.sink, false));
            all.push_back({destination.sink.name, count});
        }
    }
    return all;
}

Result<bool> redeliver(const StoredRun& run, std::string_view wanted,
                       const std::function<void(const Adopted&)>& adopted,
                       const std::function<void(const Delivered&)>& delivered,
                       const std::function<void(std::uint64_t)>& progress) {
    TAFFRAIL_ASSIGN(const Adopted taken, adopt_orphans(run.folder, run.info.id));
    adopted(taken);
    bool complete = true;
    for (const Destination& destination : destinations(run, wanted)) {
        Delivered outcome{.sink = destination.sink.name, .problem = destination.obstacle};
        if (outcome.problem.empty()) {
            const auto done = deliver(run, destination.sink, progress);
            outcome.records = done.ok() ? *done : 0;
            outcome.problem = done.ok() ? std::string() : done.error().message;
        }
        complete = complete && outcome.problem.empty();
        delivered(outcome);
    }
    return complete;
}

}  // namespace taffrail::transfer
