#include "profile/flame/layout.h"

#include "base/try.h"
#include "profile/derive.h"
#include "profile/formats/collapsed/collapsed.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace taffrail::profile {
namespace {

/// Stacks by what their frames are called: frames that read alike are one box.
class TitleTree {
  public:
    TitleTree(Texts& texts, bool has_lines) : texts_(texts), has_lines_(has_lines) {}

    /// Adds the weights of `profile` into column `side` (0 before, 1 after).
    void add(Profile& profile, std::size_t value, bool by_thread, std::size_t side) {
        titles_.assign(profile.frames.size(), kNone);
        nodes_.assign(profile.tree.size(), kNone);
        ThreadId thread = kNone;
        NodeId root = kRoot;
        std::vector<std::uint32_t> order(profile.samples.size());
        std::iota(order.begin(), order.end(), 0);
        if (by_thread) {
            std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                return profile.samples[a].thread < profile.samples[b].thread;
            });
        }
        for (const std::uint32_t sample : order) {
            const Sample& it = profile.samples[sample];
            const double weight = profile.values_of(sample)[value];
            // Absurd weights have no share that can be drawn.
            if (!(weight > 1e-200 && weight < 1e290)) {
                continue;
            }
            if (by_thread && it.thread != thread) {
                thread = it.thread;
                root = tree.child(kRoot, texts_.id(thread_title(profile, thread)));
                std::fill(nodes_.begin(), nodes_.end(), kNone);
            }
            const NodeId node = node_of(profile, it.node, root);
            std::vector<double>& weights = self[side];
            if (weights.size() < tree.size()) {
                weights.resize(tree.size() + tree.size() / 2);
            }
            weights[node] += weight;
        }
    }

    /// Sums of everything below; call once when all is added.
    void finish() {
        for (std::vector<double>& weights : self) {
            weights.resize(tree.size());
            sum_up(tree, weights);
        }
    }

    CallTree tree;  ///< its frames are numbers of titles
    std::vector<double> self[2];

  private:
    NodeId node_of(Profile& profile, NodeId node, NodeId root) {
        path_.clear();
        for (; node != kRoot && nodes_[node] == kNone; node = profile.tree.parent(node)) {
            path_.push_back(node);
        }
        NodeId at = node == kRoot ? root : nodes_[node];
        for (auto step = path_.rbegin(); step != path_.rend(); ++step) {
            TextId& title = titles_[profile.tree.frame(*step)];
            if (title == kNone) {
                title = texts_.id(title_of(profile, profile.tree.frame(*step)));
            }
            at = tree.child(at, title);
            nodes_[*step] = at;
        }
        return at;
    }

    [[nodiscard]] std::string title_of(const Profile& profile, FrameId frame) const {
        const Frame& it = profile.frames[frame];
        return has_lines_ || it.file == 0 ? frame_title(profile, frame)
                                          : std::string(profile.texts[it.name]) + " (" +
                                                std::string(profile.texts[it.file]) + ")";
    }

    Texts& texts_;
    bool has_lines_;
    std::vector<TextId> titles_;
    std::vector<NodeId> nodes_, path_;
};

Result<std::size_t> value_of(Profile& profile, const FlameOptions& options) {
    make_stacks(profile);
    const std::size_t value = main_value(profile, options.value);
    if (value != kNone && !profile.samples.empty()) {
        return value;
    }
    std::string known;
    for (const ValueType& type : profile.value_types) {
        known += (known.empty() ? "" : ", ") + type.name + " (" + type.unit + ")";
    }
    return Error{ErrorCode::InvalidArgument,
                 options.value.empty() ? "the profile has no stacks"
                                       : "the profile has no weights \"" + options.value +
                                             "\"; it has " + (known.empty() ? "none" : known)};
}

/// Places the boxes that are wide enough to be seen.
void place(const TitleTree& titles, const FlameOptions& options, FlameLayout& layout) {
    const CallTree& tree = titles.tree;
    const std::vector<double>& now = titles.self[1];
    const std::vector<double>& before = titles.self[0];
    layout.total = now[kRoot];
    layout.total_before = before[kRoot];
    const double least = std::max(layout.total * options.min_share, 0.0);
    std::vector<std::uint32_t> depth(tree.size());
    std::vector<NodeId> seen;
    for (NodeId node = 1; node < tree.size(); ++node) {
        depth[node] = depth[tree.parent(node)] + 1;
        const bool is_seen =
            now[node] > 0 && now[node] >= least && depth[node] <= options.max_depth;
        is_seen ? seen.push_back(node) : static_cast<void>(++layout.left_out);
    }
    // Siblings stand together and in order; depths rise, so parents are placed before children.
    std::vector<TextId> by_name(layout.texts.size());
    std::iota(by_name.begin(), by_name.end(), 0);
    std::sort(by_name.begin(), by_name.end(),
              [&](TextId left, TextId right) { return layout.texts[left] < layout.texts[right]; });
    std::vector<std::uint32_t> rank(by_name.size());
    for (std::uint32_t place = 0; place < by_name.size(); ++place) {
        rank[by_name[place]] = place;
    }
    std::sort(seen.begin(), seen.end(), [&](NodeId left, NodeId right) {
        if (depth[left] != depth[right]) {
            return depth[left] < depth[right];
        }
        const NodeId left_parent = tree.parent(left), right_parent = tree.parent(right);
        return left_parent != right_parent ? left_parent < right_parent
                                           : rank[tree.frame(left)] < rank[tree.frame(right)];
    });
    std::vector<double> next(tree.size());  // where a node's next child begins
    const double scale = layout.total > 0 ? 1 / layout.total : 0;
    const double scale_before = layout.total_before > 0 ? 1 / layout.total_before : 0;
    for (const NodeId node : seen) {
        double& begin = next[tree.parent(node)];
        layout.boxes.push_back({.begin = begin * scale,
                                .share = now[node] * scale,
                                .delta = now[node] * scale - before[node] * scale_before,
                                .value = now[node],
                                .depth = depth[node],
                                .title = tree.frame(node)});
        next[node] = begin;
        begin += now[node];
        layout.depth = std::max(layout.depth, depth[node]);
    }
}

}  // namespace

Result<FlameLayout> lay_out_flame(Profile& profile, const FlameOptions& options) {
    TAFFRAIL_ASSIGN(const std::size_t value, value_of(profile, options));
    FlameLayout layout{.title = options.title, .unit = profile.value_types[value].unit};
    TitleTree titles(layout.texts, true);
    titles.add(profile, value, options.by_thread, 1);
    titles.finish();
    place(titles, options, layout);
    return layout;
}

Result<FlameLayout> lay_out_comparison(Profile& before, Profile& after,
                                       const FlameOptions& options) {
    TAFFRAIL_ASSIGN(const std::size_t value_before, value_of(before, options));
    TAFFRAIL_ASSIGN(const std::size_t value_after, value_of(after, options));
    FlameLayout layout{
        .title = options.title, .unit = after.value_types[value_after].unit, .is_comparison = true};
    // Lines move when a file is edited: a function is its name and its file.
    TitleTree titles(layout.texts, false);
    titles.add(before, value_before, options.by_thread, 0);
    titles.add(after, value_after, options.by_thread, 1);
    titles.finish();
    place(titles, options, layout);
    return layout;
}

}  // namespace taffrail::profile
