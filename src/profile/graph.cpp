// A call graph from stacks. Recursive time counts once: a function's total is that of its
// outermost frames.
#include "profile/derive.h"
#include "profile/tree_walk.h"

#include <unordered_map>

namespace taffrail::profile {
namespace {

class GraphMaker {
  public:
    explicit GraphMaker(Profile& profile) : profile_(profile), links_(profile.tree) {
        const std::size_t types = profile.value_types.size();
        for (std::size_t value = 0; value < types; ++value) {
            self_.push_back(self_by_node(profile, value));
            total_.push_back(self_.back());
            sum_up(profile.tree, total_.back());
        }
        calls_ = calls_value(profile);
        function_of_.resize(profile.frames.size(), kNone);
    }

    void make() {
        links_.walk(
            profile_.tree, [&](NodeId node) { enter(node); }, [&](NodeId node) { leave(node); });
    }

  private:
    void enter(NodeId node) {
        const std::uint32_t callee = function_of(profile_.tree.frame(node));
        add(profile_.functions[callee].cost, node, open_functions_[callee]++ == 0);
        std::uint32_t call = kNone;
        if (const NodeId parent = profile_.tree.parent(node); parent != kRoot) {
            call = call_of(function_of(profile_.tree.frame(parent)), callee);
            add(profile_.calls[call].cost, node, open_calls_[call]++ == 0);
        }
        path_.push_back({callee, call});
    }

    void leave(NodeId) {
        const auto [callee, call] = path_.back();
        path_.pop_back();
        --open_functions_[callee];
        if (call != kNone) {
            --open_calls_[call];
        }
    }

    void add(GraphCost& cost, NodeId node, bool is_outermost) {
        for (std::size_t value = 0; value < self_.size(); ++value) {
            cost.self[value] += self_[value][node];
            if (is_outermost) {
                cost.total[value] += total_[value][node];
            }
        }
        if (calls_ != kNone) {
            cost.calls += self_[calls_][node];
            if (is_outermost) {
                cost.primitive_calls += self_[calls_][node];
            }
        }
    }

    std::uint32_t function_of(FrameId frame) {
        if (function_of_[frame] == kNone) {
            function_of_[frame] = static_cast<std::uint32_t>(profile_.functions.size());
            profile_.functions.push_back({frame, empty_cost()});
            open_functions_.push_back(0);
        }
        return function_of_[frame];
    }

    std::uint32_t call_of(std::uint32_t caller, std::uint32_t callee) {
        const auto [known, is_new] =
            call_ids_.try_emplace(static_cast<std::uint64_t>(caller) << 32 | callee,
                                  static_cast<std::uint32_t>(profile_.calls.size()));
        if (is_new) {
            profile_.calls.push_back({caller, callee, empty_cost()});
            open_calls_.push_back(0);
        }
        return known->second;
    }

    [[nodiscard]] GraphCost empty_cost() const {
        return {.self = std::vector<double>(self_.size()),
                .total = std::vector<double>(self_.size())};
    }

    struct PathEntry {
        std::uint32_t callee, call;
    };

    Profile& profile_;
    TreeLinks links_;
    std::vector<std::vector<double>> self_, total_;
    std::size_t calls_ = kNone;
    std::vector<std::uint32_t> function_of_, open_functions_, open_calls_;
    std::unordered_map<std::uint64_t, std::uint32_t> call_ids_;
    std::vector<PathEntry> path_;
};

}  // namespace

void make_graph(Profile& profile) {
    if (!profile.functions.empty()) {
        return;
    }
    make_stacks(profile);
    if (profile.tree.size() > 1) {
        GraphMaker(profile).make();
    }
}

}  // namespace taffrail::profile
