// Stacks from a call graph. It only knows pairs, so the time of a function is divided among its
// callers in proportion to what each of them spent in it; what recursion leaves over stands on its
// own. Per function, self times stay what the file says.
#include "profile/derive.h"
#include "profile/span_stacks.h"

#include <algorithm>
#include <cmath>

namespace taffrail::profile {
namespace {

constexpr std::size_t kMaxNodes = 200'000;
constexpr std::size_t kMaxDepth = 200;
constexpr double kSmallestShare = 1e-5;

class GraphUnfolder {
  public:
    explicit GraphUnfolder(Profile& profile)
        : profile_(profile),
          value_(std::min(main_value(profile), profile.value_types.size())),
          callees_(profile.functions.size()),
          given_(profile.functions.size()) {
        for (const GraphCall& call : profile.calls) {
            if (call.caller != call.callee && total_of(call.cost) > 0) {
                callees_[call.caller].push_back(&call);
            }
        }
    }

    void unfold() {
        std::vector<double> called(profile_.functions.size());
        for (const GraphCall& call : profile_.calls) {
            if (call.caller != call.callee) {
                called[call.callee] += total_of(call.cost);
            }
        }
        for (std::uint32_t function = 0; function < profile_.functions.size(); ++function) {
            const double total = total_of(profile_.functions[function].cost);
            all_ = std::max(all_, total);
            called_share_.push_back(total > 0 ? std::max(total, called[function]) : 1);
        }
        for (std::uint32_t function = 0; function < profile_.functions.size(); ++function) {
            const double total = total_of(profile_.functions[function].cost);
            const double share =
                total > 0 ? (total - called[function]) / called_share_[function] : 0;
            if (share > kSmallestShare) {
                waiting_.push_back({kRoot, function, 0, share});
            }
        }
        // The order of the work is that of a queue: cutting at the limit cuts the deep ends.
        for (std::size_t next = 0; next < waiting_.size(); ++next) {
            visit(waiting_[next]);
        }
        add_rest();
    }

  private:
    struct Work {
        NodeId parent;
        std::uint32_t function;
        std::uint32_t depth;
        double share;  ///< of everything the function did
    };

    [[nodiscard]] double total_of(const GraphCost& cost) const {
        return value_ < cost.total.size() && std::isfinite(cost.total[value_]) ? cost.total[value_]
                                                                               : 0;
    }

    void visit(const Work work) {
        const GraphFunction& function = profile_.functions[work.function];
        const double share = std::min(work.share, 1 - given_[work.function]);
        if (share <= 0) {
            return;
        }
        given_[work.function] += share;
        const NodeId node = profile_.tree.child(work.parent, function.frame);
        add(node, function.cost, share);
        if (work.depth >= kMaxDepth) {
            return;
        }
        for (const GraphCall* call : callees_[work.function]) {
            const double callee_share = total_of(call->cost) * share / called_share_[call->callee];
            if (callee_share > kSmallestShare && waiting_.size() < kMaxNodes) {
                waiting_.push_back({node, call->callee, work.depth + 1, callee_share});
            }
        }
    }

    void add(NodeId node, const GraphCost& cost, double share) {
        values_.clear();
        for (std::size_t value = 0; value < profile_.value_types.size(); ++value) {
            values_.push_back(cost.self[value] * share);
        }
        profile_.add_sample({.node = node, .thread = profile_.only_thread()}, values_);
    }

    void add_rest() {
        for (std::uint32_t function = 0; function < profile_.functions.size(); ++function) {
            const GraphFunction& it = profile_.functions[function];
            if (const double rest = 1 - given_[function]; rest > 1e-12) {
                add(profile_.tree.child(kRoot, it.frame), it.cost, rest);
            }
        }
    }

    Profile& profile_;
    std::size_t value_;
    double all_ = 0;
    std::vector<std::vector<const GraphCall*>> callees_;
    std::vector<double> given_, called_share_, values_;
    std::vector<Work> waiting_;
};

}  // namespace

void make_stacks_from_graph(Profile& profile) {
    // Calls are a column of the stacks.
    const std::size_t calls = profile.value_type("calls", "count");
    for (GraphFunction& function : profile.functions) {
        function.cost.self[calls] = function.cost.calls;
    }
    GraphUnfolder(profile).unfold();
    if (!profile.calls.empty()) {
        profile.notes.add(
            "this file has calls but no stacks: time was divided among callers in proportion");
    }
}

void make_stacks(Profile& profile) {
    if (!profile.samples.empty()) {
        return;
    }
    if (!profile.spans.empty()) {
        make_stacks_from_spans(profile);
    } else if (!profile.functions.empty()) {
        make_stacks_from_graph(profile);
    }
}

}  // namespace taffrail::profile
