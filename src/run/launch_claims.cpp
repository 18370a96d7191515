#include "run/launch_claims.h"

#include "base/clock.h"
#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "record/identity.h"
#include "record/orphan.h"
#include "store/manifest.h"
#include "store/open_log.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace taffrail::run {
namespace {

constexpr std::string_view kFolder = "launch";
constexpr std::uint64_t kMaxClaimBytes = 4096;
// So long after the last sign of life a rank that was never there is not late any more.
constexpr std::int64_t kLateNs = 300'000'000'000;

struct Found {
    std::uint32_t attempt = 0;
    std::int32_t rank = 0, world_size = 0;
    std::string boot;
    ProcessMark process, launcher;
    std::int64_t time_ns = 0;
};

std::string file_name(std::uint32_t attempt, std::int32_t rank) {
    return std::to_string(attempt) + '-' + std::to_string(rank);
}

std::string encode(const Launch& launch, const std::string& boot) {
    const ProcessMark self = mark_process(static_cast<std::uint64_t>(getpid()));
    const ProcessMark launcher = find_launcher(launch.rank_variable);
    std::string text = "taffrail-claim 1 " + boot;
    for (const std::uint64_t number : {self.id, self.start, launcher.id, launcher.start,
                                       static_cast<std::uint64_t>(launch.world_size)}) {
        text += ' ' + std::to_string(number);
    }
    return text + '\n';
}

std::optional<Found> decode(std::string_view name, std::string_view text) {
    const auto words = split(trim(text), ' ');
    const auto parts = split(name, '-');
    if (words.size() < 8 || words[0] != "taffrail-claim" || parts.size() != 2) {
        return std::nullopt;
    }
    const auto number = [&](std::string_view word) {
        return static_cast<std::uint64_t>(parse_int(word).value_or(0));
    };
    Found found;
    found.attempt = static_cast<std::uint32_t>(number(parts[0]));
    found.rank = static_cast<std::int32_t>(number(parts[1]));
    found.boot = words[2];
    found.process = {number(words[3]), number(words[4])};
    found.launcher = {number(words[5]), number(words[6])};
    found.world_size = static_cast<std::int32_t>(number(words[7]));
    return found;
}

/// The claims of the newest attempt. One that is being written counts as none.
std::vector<Found> newest_claims(const std::string& folder) {
    std::vector<Found> claims;
    const auto entries = io::list(folder);
    for (const io::DirectoryEntry& entry :
         entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        const std::string path = io::join(folder, entry.name);
        const auto bytes = io::read_inside(io::parent(folder), path, kMaxClaimBytes);
        auto found = bytes.ok() ? decode(entry.name, as_text(*bytes)) : std::nullopt;
        if (!found || (!claims.empty() && found->attempt < claims.front().attempt)) {
            continue;
        }
        if (const auto info = io::stat(path); info.ok()) {
            found->time_ns = info->modified_ns;
        }
        if (!claims.empty() && found->attempt > claims.front().attempt) {
            claims.clear();
        }
        claims.push_back(*std::move(found));
    }
    return claims;
}

/// What tells another launcher apart: both are known, both are of this boot, and they differ.
bool is_of_another_launcher(const Found& claim, const std::string& boot,
                            const ProcessMark& launcher) {
    return claim.boot == boot && claim.launcher.start != 0 && launcher.start != 0 &&
           claim.launcher != launcher;
}

bool lives(const Found& claim, const std::string& boot) {
    return claim.boot == boot && mark_process(claim.process.id) == claim.process;
}

/// Where processes of other machines cannot be seen, their logs can: a living writer adds to its
/// log every half minute.
std::int64_t last_sign_of_life(const std::string& run_folder, const std::vector<Found>& claims) {
    std::int64_t last = 0;
    for (const Found& claim : claims) {
        last = std::max(last, claim.time_ns);
    }
    const std::string live = io::join(run_folder, "live");
    const auto logs = io::list(live);
    for (const io::DirectoryEntry& log : logs.ok() ? *logs : std::vector<io::DirectoryEntry>()) {
        if (const auto info = io::stat(io::join(live, log.name)); info.ok()) {
            last = std::max(last, info->modified_ns);
        }
    }
    return last;
}

bool any_writer_lives(const std::string& run_folder, const std::string& run_id) {
    const auto folders = record::ring_folders(run_folder, run_id);
    return std::ranges::any_of(store::list_writers(run_folder), [&](std::uint64_t writer) {
        return std::ranges::any_of(folders, [&](const std::string& rings) {
            return record::writer_is_alive(rings, writer);
        });
    });
}

bool has_content(const std::string& run_folder) {
    return !store::list_writers(run_folder).empty() || store::read_manifest(run_folder).has_value();
}

/// Whether this rank belongs to the launch whose newest attempt left these claims. `had_content` is
/// what the run had before they were read: a rank claims its place before it writes anything.
Claimed judge(const std::string& run_folder, const std::string& run_id, const Launch& launch,
              const std::vector<Found>& claims, bool had_content) {
    const std::string boot = record::boot_id();
    const ProcessMark launcher = find_launcher(launch.rank_variable);
    const bool other = std::ranges::any_of(
        claims, [&](const Found& claim) { return is_of_another_launcher(claim, boot, launcher); });
    if (other) {
        return Claimed::OtherLaunch;
    }
    const auto mine = std::ranges::find(claims, launch.rank, &Found::rank);
    if (mine != claims.end() && lives(*mine, boot)) {
        return Claimed::OtherLaunch;
    }
    // The launcher counted a restart that nobody has taken part in yet.
    if (!claims.empty() && launch.restarts > claims.front().attempt) {
        return Claimed::Yes;
    }
    const bool others_live =
        std::ranges::any_of(claims, [&](const Found& claim) { return lives(claim, boot); }) ||
        any_writer_lives(run_folder, run_id);
    if (claims.empty()) {
        // Somebody made the folder a moment ago; or a version without claims did, long ago.
        return had_content && !others_live ? Claimed::Ended : Claimed::Yes;
    }
    if (claims.front().world_size != launch.world_size) {
        return Claimed::Ended;
    }
    if (mine != claims.end()) {
        return others_live ? Claimed::Yes : Claimed::Ended;  // started again beside the others
    }
    // A rank that comes when quicker ones have ended already is late.
    const bool late = wall_time_ns() - last_sign_of_life(run_folder, claims) < kLateNs;
    return others_live || late ? Claimed::Yes : Claimed::Ended;
}

}  // namespace

ProcessMark mark_process(std::uint64_t id) {
    const auto text = io::read_text("/proc/" + std::to_string(id) + "/stat");
    const std::size_t close = text.ok() ? text->rfind(')') : std::string::npos;
    if (close == std::string::npos || close + 2 > text->size()) {
        return {id, 0};
    }
    const auto fields = split(std::string_view(*text).substr(close + 2), ' ');
    const bool ended = fields[0] == "Z" || fields[0] == "X";  // killed, and nobody asked for it yet
    return {id, ended || fields.size() < 20
                    ? 0
                    : static_cast<std::uint64_t>(parse_int(fields[19]).value_or(0))};
}

ProcessMark find_launcher(const std::string& rank_variable) {
    auto id = static_cast<std::uint64_t>(getppid());
    for (int depth = 0; depth < 64 && id > 1; ++depth) {
        const std::string folder = "/proc/" + std::to_string(id);
        const auto variables = io::read_text(folder + "/environ");
        const bool has_rank =
            variables.ok() &&
            std::ranges::any_of(split(*variables, '\0'), [&](std::string_view one) {
                return one.starts_with(rank_variable) &&
                       one.substr(rank_variable.size()).starts_with('=');
            });
        if (!has_rank) {
            return mark_process(id);
        }
        const auto text = io::read_text(folder + "/stat");
        const std::size_t close = text.ok() ? text->rfind(')') : std::string::npos;
        if (close == std::string::npos || close + 2 > text->size()) {
            break;
        }
        const auto fields = split(std::string_view(*text).substr(close + 2), ' ');
        id = fields.size() > 1 ? static_cast<std::uint64_t>(parse_int(fields[1]).value_or(0)) : 0;
    }
    return {};
}

Result<Claim> claim_rank(const std::string& run_folder, const std::string& run_id,
                         const Launch& launch) {
    const std::string folder = io::join(run_folder, kFolder);
    TAFFRAIL_TRY(io::make_directories(folder));
    // Somebody may take the same place between the look and the step.
    for (int tries = 0;; ++tries) {
        const bool had_content = has_content(run_folder);
        const std::vector<Found> claims = newest_claims(folder);
        const Claimed claimed = judge(run_folder, run_id, launch, claims, had_content);
        if (claimed != Claimed::Yes) {
            return Claim{claimed, 0};
        }
        const std::uint32_t attempt =
            claims.empty() ? launch.restarts : std::max(launch.restarts, claims.front().attempt);
        const std::string path = io::join(folder, file_name(attempt, launch.rank));
        const std::string text = encode(launch, record::boot_id());
        if (std::ranges::find(claims, launch.rank, &Found::rank) != claims.end() &&
            attempt == claims.front().attempt) {
            TAFFRAIL_TRY(io::write_file_atomically(path, as_bytes(text), false));
            return Claim{Claimed::Yes, attempt};
        }
        auto file = io::open(path, io::OpenMode::CreateExclusive);
        if (file.ok()) {
            TAFFRAIL_TRY((*file)->append(as_bytes(text)));
            return Claim{Claimed::Yes, attempt};
        }
        if (file.error().code != ErrorCode::AlreadyExists || tries > 100) {
            return file.error();
        }
        usleep(1000);  // its claim is being written
    }
}

}  // namespace taffrail::run
