#include "sources/tensorboard/discovery.h"

#include "base/strings.h"
#include "io/files.h"

#include <algorithm>
#include <set>
#include <utility>

namespace taffrail::tensorboard {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::string_view kPlugins = "plugins";
constexpr std::string_view kProjectorConfig = "projector_config.pbtxt";

bool is_trace(std::string_view name) noexcept {
    return name.ends_with(".pt.trace.json") || name.ends_with(".pt.trace.json.gz");
}

class Walk {
  public:
    std::vector<FoundRun> runs;

    /// `owner` is the run that the files of a plugins folder belong to; null outside of one.
    void folder(const std::string& path, const std::string& id, FoundRun* owner, std::string below,
                int depth) {
        const auto entries = io::list(path);
        if (!entries.ok() || depth > kMaxDepth) {
            return;
        }
        FoundRun run;
        run.id = id;
        run.folder = path;
        std::vector<std::pair<std::string, std::string>> folders;
        for (const io::DirectoryEntry& entry : *entries) {
            std::string inner = io::join(path, entry.name);
            io::EntryType type = entry.type;
            if (type == io::EntryType::Other) {
                const auto info = io::stat(inner);  // a symbolic link, most likely
                type = info.ok() ? info->type : io::EntryType::Other;
                if (type == io::EntryType::Directory &&
                    !visited_.emplace(info->device, info->inode).second) {
                    continue;
                }
            }
            if (type == io::EntryType::Directory) {
                folders.emplace_back(entry.name, std::move(inner));
            } else if (type == io::EntryType::File) {
                file(run, owner, below, entry.name, inner);
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
                folder(inner, inner_id, &collected, "", depth + 1);
                if (!collected.side_files.empty()) {
                    if (is_run) {
                        auto& to = runs[index].side_files;
                        to.insert(to.end(), collected.side_files.begin(),
                                  collected.side_files.end());
                    } else {
                        collected.id = id;
                        collected.folder = path;
                        runs.push_back(std::move(collected));
                    }
                }
            } else {
                folder(inner, inner_id, owner, owner != nullptr ? below + name + "/" : below,
                       depth + 1);
            }
        }
    }

  private:
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

    std::set<std::pair<std::uint64_t, std::uint64_t>> visited_;
};

bool find_any(const std::string& path, int depth, int& budget) {
    const auto entries = io::list(path);
    if (!entries.ok() || depth > kMaxDepth || --budget < 0) {
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
               find_any(io::join(path, entry.name), depth + 1, budget);
    });
}

}  // namespace

bool is_event_file(std::string_view name) noexcept {
    return name.find("tfevents") != std::string_view::npos;
}

std::vector<FoundRun> discover(const std::string& root) {
    Walk walk;
    walk.folder(root, ".", nullptr, "", 0);
    return std::move(walk.runs);
}

bool holds_event_files(const std::string& root) {
    int budget = 10'000;
    return find_any(root, 0, budget);
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

}  // namespace taffrail::tensorboard
