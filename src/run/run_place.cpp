#include "run/run_place.h"

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/names.h"
#include "base/sha256.h"
#include "base/try.h"
#include "io/files.h"
#include "record/orphan.h"
#include "run/launch_claims.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/open_log.h"
#include "store/run_reader.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace taffrail::run {
namespace {

std::string name_from_id(const std::string& id) {
    return make_run_name(load<std::uint64_t>(sha256(as_bytes(id)).data()));
}

// "<id>-<name>": the part behind the id.
std::string name_of_folder(const std::string& folder, const std::string& id) {
    const std::size_t slash = folder.rfind('/');
    const std::string last = slash == std::string::npos ? folder : folder.substr(slash + 1);
    return last.size() > id.size() + 1 ? last.substr(id.size() + 1) : last;
}

constexpr std::int64_t kBeingMadeNs = 10'000'000'000;

// A log has its name a moment before its first bytes, and without them nobody knows whose it is.
// One that stays empty was left by a process that died just then.
Result<store::WriterTail> tail_of_writer(const std::string& folder, std::uint64_t writer) {
    for (int tries = 0;; ++tries) {
        auto tail = store::read_writer_tail(folder, writer);
        if (!tail.ok() || !tail->identity.run_id.empty()) {
            return tail;
        }
        const auto log =
            io::stat(io::join(io::join(folder, store::kLiveFolder), store::log_name(writer, 0)));
        const bool is_new = log.ok() && wall_time_ns() - log->modified_ns < kBeingMadeNs;
        if (!is_new || tries == 200) {
            return Error{ErrorCode::NotFound, "the log of a writer is empty"};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

struct Writers {
    std::uint32_t newest_attempt = 0;
    bool any = false, any_alive = false;
    bool rank_was_there = false;  ///< this rank has a writer in the newest attempt
};

Writers look_at_writers(const std::string& folder, const std::string& id, std::int32_t rank) {
    Writers found;
    for (const std::uint64_t writer : store::list_writers(folder)) {
        if (const auto tail = tail_of_writer(folder, writer); tail.ok()) {
            found.any = true;
            if (tail->identity.attempt > found.newest_attempt) {
                found.newest_attempt = tail->identity.attempt;
                found.rank_was_there = false;
            }
            found.rank_was_there |=
                tail->identity.attempt == found.newest_attempt && tail->identity.rank == rank;
        }
        for (const std::string& rings : record::ring_folders(folder, id)) {
            found.any_alive = found.any_alive || record::writer_is_alive(rings, writer);
        }
    }
    // Logs of a sealed run may be gone; what it says about itself then still counts.
    if (!found.any && store::read_manifest(folder)) {
        if (const auto run = store::RunReader::open(folder); run.ok()) {
            found.any = found.rank_was_there = true;
            found.newest_attempt = std::max<std::uint32_t>((*run)->info().attempts, 1) - 1;
        }
    }
    return found;
}

// The ranks of a launch derive the id of their run from what all of them know. A run of that id may
// be another launch's, ended or going on beside this one: then the next generation is theirs.
Result<RunPlace> place_launched(const Settings& settings, std::uint32_t number) {
    const RunOptions& options = settings.options;
    Launch launch = settings.launch;
    launch.rank = options.rank.value_or(launch.rank);
    launch.world_size = options.world_size.value_or(launch.world_size);
    constexpr int kMostTries = 100;
    for (int tries = 0; tries < kMostTries; ++tries) {
        std::vector<RunPlace> known;  // by generation
        for (;;) {
            RunPlace place;
            place.id = shared_run_id(launch, number, static_cast<std::uint32_t>(known.size()));
            auto existing = store::find_run_folder(options.root, place.id);
            if (!existing.ok()) {
                break;
            }
            place.folder = *std::move(existing);
            place.joined = true;
            place.name =
                !options.name.empty() ? options.name : name_of_folder(place.folder, place.id);
            known.push_back(std::move(place));
        }
        std::string beside;  // a run of another launch that goes on
        for (auto place = known.rbegin(); place != known.rend(); ++place) {
            TAFFRAIL_ASSIGN(const Claim claim, claim_rank(place->folder, place->id, launch));
            if (claim.claimed == Claimed::Yes) {
                place->attempt = claim.attempt;
                return std::move(*place);
            }
            beside = claim.claimed == Claimed::OtherLaunch ? place->id : beside;
        }
        RunPlace place;
        place.id = shared_run_id(launch, number, static_cast<std::uint32_t>(known.size()));
        // Ranks must choose the same name without talking, so it comes from the id.
        place.name = !options.name.empty() ? options.name : name_from_id(place.id);
        auto made = store::make_run_folder(options.root, place.id, place.name);
        if (!made.ok() && made.error().code == ErrorCode::AlreadyExists) {
            continue;  // another rank was quicker
        }
        TAFFRAIL_ASSIGN(place.folder, std::move(made));
        TAFFRAIL_ASSIGN(const Claim claim, claim_rank(place.folder, place.id, launch));
        if (claim.claimed == Claimed::Yes) {
            place.attempt = claim.attempt;
            if (!beside.empty()) {
                diagnose_once(DiagnosticLevel::Warning, "run.launch." + place.id,
                              "run " + beside + " in " + options.root +
                                  " belongs to another launch with the same variables; this one is "
                                  "recorded as run " +
                                  place.id +
                                  ". Give launches that should share a run the same "
                                  "TAFFRAIL_RUN_ID");
            }
            return place;
        }
    }
    return Error{ErrorCode::Unavailable,
                 "no run for this launch could be made in " + options.root +
                     ": others keep taking its place; set TAFFRAIL_RUN_ID to one id per launch"};
}

}  // namespace

Result<RunPlace> place_run(const Settings& settings, std::uint32_t number) {
    const RunOptions& options = settings.options;
    TAFFRAIL_TRY(store::make_root(options.root));
    if (options.id.empty() && !settings.launch.job.empty() && options.resume != Resume::Must) {
        return place_launched(settings, number);
    }
    const bool meets_others = settings.id_from_variable;
    RunPlace place;
    if (options.id.empty() && options.resume != Resume::Must) {
        // Nobody has this id, so nobody looks for it: a store may hold many thousand runs.
        place.id = make_run_id(wall_time_ns());
        place.name = !options.name.empty() ? options.name : name_from_id(place.id);
        TAFFRAIL_ASSIGN(place.folder, store::make_run_folder(options.root, place.id, place.name,
                                                             store::IdIs::New));
        return place;
    }
    place.id = !options.id.empty() ? options.id : make_run_id(wall_time_ns());
    auto existing = store::find_run_folder(options.root, place.id);
    if (!existing.ok()) {
        if (existing.error().code != ErrorCode::NotFound) {
            return existing.error();
        }
        if (options.resume == Resume::Must) {
            return Error{ErrorCode::NotFound, "there is no run '" + place.id + "' in " +
                                                  options.root +
                                                  " to resume; check the id with `taffrail ls " +
                                                  options.root + "` or use Resume::Allow"};
        }
        // Processes that share an id must choose the same name without talking: it comes from
        // there.
        place.name = !options.name.empty() ? options.name : name_from_id(place.id);
        auto made = store::make_run_folder(options.root, place.id, place.name);
        if (made.ok()) {
            place.folder = *std::move(made);
            return place;
        }
        if (made.error().code != ErrorCode::AlreadyExists ||
            (!meets_others && options.resume == Resume::Never)) {
            return made.error();
        }
        existing = store::find_run_folder(options.root, place.id);
        if (!existing.ok()) {
            return existing.error();
        }
    } else if (options.resume == Resume::Never && !meets_others) {
        return Error{ErrorCode::AlreadyExists,
                     "run '" + place.id + "' exists already in " + options.root +
                         "; choose another id, or Resume::Allow to continue it"};
    }
    place.folder = *std::move(existing);
    place.name = !options.name.empty() ? options.name : name_of_folder(place.folder, place.id);
    place.joined = true;
    const Writers writers = look_at_writers(place.folder, place.id, options.rank.value_or(0));
    if (meets_others && (writers.any_alive || !writers.rank_was_there)) {
        // A rank that comes when quicker ones have ended already is late, not restarted.
        place.attempt = writers.newest_attempt;
    } else {
        place.attempt = writers.any ? writers.newest_attempt + 1 : 0;
    }
    return place;
}

}  // namespace taffrail::run
