// The tree of modules of a network, from the calls of modules that Python functions record.
#include "profile/analysis/look.h"

#include <map>
#include <string>
#include <tuple>

namespace taffrail::profile::analysis {
namespace {

constexpr std::uint32_t kMostDepth = 512;

struct Module {
    ModuleRow row;
    std::vector<std::uint32_t> children;
};

}  // namespace

void look_at_modules(const Look& look, Analysis& to) {
    const OperatorTree& tree = look.tree;
    std::vector<Module> modules;
    std::vector<std::uint32_t> module_of(tree.nodes.size(), kNone);
    std::vector<std::uint32_t> enclosing(tree.nodes.size(), kNone);  // the nearest module above
    std::map<std::tuple<std::uint32_t, TextId, std::int64_t>, std::uint32_t> known;
    std::vector<std::uint32_t> roots;
    for (std::uint32_t index = 0; index < tree.nodes.size(); ++index) {
        const OperatorNode& node = tree.nodes[index];
        const Event& event = look.events.all[node.event];
        const std::uint32_t directly_above = tree.standing(node.parent);
        if (directly_above != kNone) {
            enclosing[index] = module_of[directly_above] != kNone ? module_of[directly_above]
                                                                  : enclosing[directly_above];
        }
        if (event.is_operator() && !node.is_merged) {
            // An operator right below a module counts for it.
            if (directly_above != kNone && module_of[directly_above] != kNone) {
                ModuleRow& row = modules[module_of[directly_above]].row;
                ++row.operators;
                add_to(row.device_self_ns, node.device_total_ns);
            }
        }
        if (event.kind != Kind::Module) {
            continue;
        }
        const std::uint32_t parent = enclosing[index];
        const auto next = static_cast<std::uint32_t>(modules.size());
        const auto [found, is_new] = known.try_emplace({parent, event.name, event.external}, next);
        if (is_new) {
            const std::uint32_t depth = parent == kNone ? 0 : modules[parent].row.depth + 1;
            if (depth >= kMostDepth) {
                known.erase(found);
                continue;
            }
            modules.push_back({.row = {.name = std::string(look.events.profile->texts[event.name]),
                                       .id = event.external,
                                       .depth = depth}});
            (parent == kNone ? roots : modules[parent].children).push_back(next);
        }
        module_of[index] = found->second;
        ModuleRow& row = modules[found->second].row;
        ++row.calls;
        add_to(row.host_total_ns, event.duration_ns());
        add_to(row.host_self_ns, node.host_self_ns);
        add_to(row.device_total_ns, node.device_total_ns);
        add_to(row.device_self_ns, node.device_self_ns);
    }
    // Preorder without recursion: the next one is at the end of the list of those to come.
    std::vector<std::pair<std::uint32_t, std::int32_t>> to_come;
    for (std::size_t index = roots.size(); index-- > 0;) {
        to_come.emplace_back(roots[index], -1);
    }
    while (!to_come.empty()) {
        const auto [index, parent] = to_come.back();
        to_come.pop_back();
        const auto place = static_cast<std::int32_t>(to.modules.size());
        Module& module = modules[index];
        module.row.parent = parent;
        to.modules.push_back(std::move(module.row));
        for (std::size_t child = module.children.size(); child-- > 0;) {
            to_come.emplace_back(module.children[child], place);
        }
    }
}

}  // namespace taffrail::profile::analysis
