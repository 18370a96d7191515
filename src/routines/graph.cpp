// `graph`: computation graphs as they are, when they change.
#include "routines/common/registry.h"
#include "routines/common/tracked.h"

#include <optional>

namespace taffrail::routines {
namespace {

bool same_graph(const Graph& a, const Graph& b) {
    if (a.nodes.size() != b.nodes.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        if (a.nodes[i].name != b.nodes[i].name || a.nodes[i].op != b.nodes[i].op ||
            a.nodes[i].inputs != b.nodes[i].inputs ||
            a.nodes[i].output_shape != b.nodes[i].output_shape) {
            return false;
        }
    }
    return true;
}

class GraphRoutine : public WithoutStatistics {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return for_each_tracked(
            data, context, "graph",
            [&](const std::string& name, const Datum& datum) -> Result<void> {
                const auto* graph = std::get_if<Graph>(&datum);
                if (graph == nullptr) {
                    return wrong_datum(name, datum, "a graph");
                }
                if (auto& last = logged_[name]; !last || !same_graph(*last, *graph)) {
                    last = *graph;
                    context.log_value(keys_.key(name, data.phase), *graph, data.total_iters);
                }
                return {};
            });
    }

    [[nodiscard]] bool logs_changes() const noexcept override { return true; }

  private:
    SeriesKeys keys_{"Graph"};
    std::map<std::string, std::optional<Graph>> logged_;
};

}  // namespace

void register_graph() {
    registry().add({.key = "graph",
                    .class_name = "GraphLogger",
                    .summary = "computation graphs, when they change",
                    .make = make_without_options<GraphRoutine>("graph")});
}

}  // namespace taffrail::routines
