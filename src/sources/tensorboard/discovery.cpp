#include "sources/tensorboard/discovery.h"

#include "base/diagnostics.h"
#include "base/strings.h"
#include "io/files.h"
#include "io/inside.h"
#include "sources/tensorboard/place_values.h"

#include <algorithm>
#include <set>
#include <utility>

namespace taffrail::sources::tensorboard {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::string_view kPlugins = "plugins";

bool is_trace(std::string_view name) noexcept {
    return name.ends_with(".pt.trace.json") || name.ends_with(".pt.trace.json.gz");
}

// Folders that were seen, by what they are and not by what they are called: a link back into the
// logdir is no second run.
class Seen {
  public:
    /// False when the folder was there before, or cannot be looked at.
    bool add(const std::string& path) {
        const auto info = io::stat(path);
        // File systems without links do not number their folders.
        return info.ok() &&
               (info->inode == 0 || folders_.emplace(info->device, info->inode).second);
    }

  private:
    std::set<std::pair<std::uint64_t, std::uint64_t>> folders_;
};

class Walk {
  public:
    std::vector<FoundRun> runs;

    void root(const std::string& path) {
        seen_.add(path);
        folder(path, ".", nullptr, "", 0);
        // Links come last, so that a folder with a link to it keeps its own name.
        const bool any = !links_.empty();
        while (!links_.empty()) {
            const std::vector<Link> links = std::exchange(links_, {});
            for (const Link& link : links) {
                if (seen_.add(link.path)) {
                    folder(link.path, link.id, nullptr, "", link.depth);
                }
            }
        }
        if (any) {
            std::ranges::stable_sort(runs, {}, &FoundRun::id);
        }
    }

  private:
    struct Link {
        std::string path, id;
        int depth = 0;
    };

    /// `owner` is the run that the files of a plugins folder belong to; null outside of one.
    void folder(const std::string& path, const std::string& id, FoundRun* owner, std::string below,
                int depth) {
        // Inside a run nothing may lead out of it; outside of one, whole folders are linked.
        const auto entries = io::list_inside(owner != nullptr ? owner->folder : path, path);
        if (!entries.ok() || depth > kMaxDepth) {
            return;
        }
        FoundRun run;
        run.id = id;
        run.folder = path;
        std::vector<std::pair<std::string, std::string>> folders;
        for (const io::DirectoryEntry& entry : *entries) {
            std::string inner = io::join(path, entry.name);
            const std::string inner_id = id == "." ? entry.name : id + "/" + entry.name;
            if (entry.type == io::EntryType::File) {
                file(run, owner, below, entry.name, inner);
                continue;
            }
            const auto info = io::stat(inner);
            if (!info.ok() || info->type != io::EntryType::Directory) {
                refuse(owner != nullptr ? owner->folder : path, inner, entry.name);
            } else if (owner != nullptr ? entry.type == io::EntryType::Directory
                                        : !io::is_link(inner)) {
                if (seen_.add(inner)) {
                    folders.emplace_back(entry.name, std::move(inner));
                }
            } else if (owner == nullptr) {
                links_.push_back({std::move(inner), inner_id, depth + 1});
            }
        }
        const std::size_t index = runs.size();
        const bool is_run =
            !run.event_files.empty() || (owner == nullptr && !run.side_files.empty());
        if (is_run) {
            runs.push_back(std::move(run));
        }
        for (auto& [name, inner] : folders) {
            const std::string inner_id = id == "." ? name : id + "/" + name;
            if (owner == nullptr && name == kPlugins) {
                // Files below plugins/ belong to the run above; event files there are runs of their
                // own as ever.
                FoundRun collected;
                collected.folder = path;
                folder(inner, inner_id, &collected, "", depth + 1);
                if (!collected.side_files.empty()) {
                    if (is_run) {
                        auto& to = runs[index].side_files;
                        to.insert(to.end(), collected.side_files.begin(),
                                  collected.side_files.end());
                    } else {
                        collected.id = id;
                        runs.push_back(std::move(collected));
                    }
                }
            } else {
                folder(inner, inner_id, owner, owner != nullptr ? below + name + "/" : below,
                       depth + 1);
            }
        }
    }

    /// What has the name of a file to read and is none: said once, not waited for.
    static void refuse(const std::string& folder, const std::string& path, std::string_view name) {
        if (is_event_file(name) || is_trace(name) || name == kProjectorConfig) {
            if (const auto opened = io::open_inside(folder, path); !opened.ok()) {
                diagnose_once(DiagnosticLevel::Warning, path, opened.error().message);
            }
        }
    }

    static void file(FoundRun& run, FoundRun* owner, const std::string& below,
                     const std::string& name, const std::string& path) {
        if (is_event_file(name)) {
            run.event_files.push_back(path);
            return;
        }
        const bool config = name == kProjectorConfig;
        const bool trace = is_trace(name) || (owner != nullptr && below.starts_with("profile/"));
        if (!config && !trace) {
            return;
        }
        const auto info = io::stat(path);
        if (info.ok()) {
            (owner != nullptr ? *owner : run)
                .side_files.push_back(
                    {.key = config ? std::string(kProjectorConfig) : "profiler/" + below + name,
                     .path = path,
                     .size = info->size,
                     .modified_ns = info->modified_ns});
        }
    }

    Seen seen_;
    std::vector<Link> links_;
};

bool find_any(const std::string& path, int depth, int& budget, Seen& seen) {
    if (depth > kMaxDepth || --budget < 0 || !seen.add(path)) {
        return false;
    }
    const auto entries = io::list(path);
    if (!entries.ok()) {
        return false;
    }
    for (const io::DirectoryEntry& entry : *entries) {
        if (entry.type != io::EntryType::Directory &&
            (is_event_file(entry.name) || is_trace(entry.name))) {
            return true;
        }
    }
    return std::any_of(entries->begin(), entries->end(), [&](const io::DirectoryEntry& entry) {
        return entry.type != io::EntryType::File &&
               find_any(io::join(path, entry.name), depth + 1, budget, seen);
    });
}

}  // namespace

bool is_event_file(std::string_view name) noexcept {
    return name.find("tfevents") != std::string_view::npos;
}

std::vector<FoundRun> discover(const std::string& root) {
    Walk walk;
    walk.root(root);
    return std::move(walk.runs);
}

bool holds_event_files(const std::string& root) {
    int budget = 10'000;
    Seen seen;
    return find_any(root, 0, budget, seen);
}

std::vector<NamedPath> split_spec(std::string_view spec) {
    std::vector<NamedPath> parts;
    for (std::string_view part : split(spec, ',')) {
        part = trim(part);
        const auto colon = part.find(':');
        const bool named = colon != std::string_view::npos && colon > 0 && !part.starts_with('/') &&
                           !part.substr(colon).starts_with("://");
        if (named) {
            parts.push_back(
                {std::string(part.substr(0, colon)), std::string(part.substr(colon + 1))});
        } else if (!part.empty()) {
            parts.push_back({"", std::string(part)});
        }
    }
    return parts;
}

}  // namespace taffrail::sources::tensorboard
