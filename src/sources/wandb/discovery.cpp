#include "sources/wandb/discovery.h"

#include "io/files.h"
#include "io/inside.h"

#include <algorithm>
#include <set>
#include <utility>

namespace taffrail::sources::wandb {
namespace {

constexpr int kMaxDepth = 8;
constexpr int kMaxFolders = 100'000;

class Walk {
  public:
    Walk(int budget, bool stops_at_first) : budget_(budget), stops_at_first_(stops_at_first) {}

    std::vector<FoundLog> found;
    int nearest = kMaxDepth + 1;

    void folder(const std::string& path, int depth) {
        // A link back into the tree is no second run: folders are known by what they are.
        const auto info = io::stat(path);
        if (is_done() || depth > kMaxDepth || --budget_ < 0 || !info.ok() ||
            (info->inode != 0 && !seen_.emplace(info->device, info->inode).second)) {
            return;
        }
        const auto entries = io::list(path);
        if (!entries.ok()) {
            return;
        }
        std::vector<std::string> folders;
        for (const io::DirectoryEntry& entry : *entries) {
            const std::string url = io::join(path, entry.name);
            if (entry.type == io::EntryType::File && entry.name.ends_with(".wandb")) {
                found.push_back({path, url});
                nearest = std::min(nearest, depth);
            } else if (entry.type != io::EntryType::File) {
                // `latest-run` leads to a run that has a name of its own: links come last.
                (io::is_link(url) ? links_ : folders).push_back(url);
            }
        }
        for (const std::string& inner : folders) {
            folder(inner, depth + 1);
        }
    }

    void links() {
        for (const std::string& link : std::exchange(links_, {})) {
            const auto info = io::stat(link);
            if (info.ok() && info->type == io::EntryType::Directory) {
                folder(link, kMaxDepth - 2);
            }
        }
    }

    [[nodiscard]] bool is_done() const noexcept { return stops_at_first_ && !found.empty(); }

  private:
    int budget_;
    bool stops_at_first_;
    std::vector<std::string> links_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;
};

}  // namespace

std::vector<FoundLog> discover(const std::string& root) {
    if (root.ends_with(".wandb")) {
        if (const auto info = io::stat(root); info.ok() && info->type == io::EntryType::File) {
            return {{io::parent(root), root}};
        }
    }
    Walk walk(kMaxFolders, false);
    walk.folder(root, 0);
    walk.links();
    std::ranges::stable_sort(walk.found, {}, &FoundLog::file);
    return std::move(walk.found);
}

std::optional<int> depth_of_logs(const std::string& root) {
    if (root.ends_with(".wandb")) {
        return discover(root).empty() ? std::nullopt : std::optional(0);
    }
    Walk walk(10'000, true);
    walk.folder(root, 0);
    if (!walk.is_done()) {
        walk.links();
    }
    return walk.is_done() ? std::optional(walk.nearest) : std::nullopt;
}

}  // namespace taffrail::sources::wandb
