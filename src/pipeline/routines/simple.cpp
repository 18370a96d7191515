// Routines that hand one kind of datum on as it is: hparams, text, audio, table, graph.
#include "base/try.h"
#include "codec/capture.h"
#include "pipeline/routines/routines.h"

#include <algorithm>
#include <optional>
#include <variant>

namespace taffrail {
namespace {

// A routine without statistics of its own.
template <typename Kind>
class Passing : public Kind {
  public:
    Result<void> log_epoch(std::int64_t, Phase, RoutineContext&) override { return {}; }

    Result<void> end_log(RoutineContext&) override { return {}; }
};

class HparamsRoutine : public Passing<OnceRoutine> {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        const auto& tracked = context.tracked();
        for (const auto& [name, datum] : data.values) {
            const bool wanted = tracked.empty() || name == "hparams" ||
                                std::find(tracked.begin(), tracked.end(), name) != tracked.end();
            const auto* hparams = std::get_if<Hparams>(&datum);
            // The same set with every batch is one set of hyperparameters, not thousands.
            if (hparams != nullptr && wanted && logged_[name] != *hparams) {
                logged_[name] = *hparams;
                context.log_value("hparams", *hparams, 0);
            }
        }
        return {};
    }

  private:
    std::map<std::string, Hparams> logged_;
};

class TextRoutine : public Passing<Routine> {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return for_each_tracked(data, context, "text",
                                [&](const std::string& name, const Datum& datum) -> Result<void> {
                                    const auto* text = std::get_if<std::string>(&datum);
                                    if (text == nullptr) {
                                        return wrong_datum(name, datum, "text");
                                    }
                                    context.log_value(keys_.key(name, data.phase), Text{*text},
                                                      data.total_iters);
                                    return {};
                                });
    }

  private:
    SeriesKeys keys_{"Text"};
};

class AudioRoutine : public Passing<Routine> {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return for_each_tracked(data, context, "audio",
                                [&](const std::string& name, const Datum& datum) -> Result<void> {
                                    const auto* audio = std::get_if<AudioView>(&datum);
                                    if (audio == nullptr) {
                                        return wrong_datum(name, datum, "audio");
                                    }
                                    TAFFRAIL_ASSIGN(Value value, capture_audio(*audio));
                                    context.log_value(keys_.key(name, data.phase), std::move(value),
                                                      data.total_iters);
                                    return {};
                                });
    }

  private:
    SeriesKeys keys_{"Audio"};
};

class TableRoutine : public Passing<Routine> {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return for_each_tracked(data, context, "table",
                                [&](const std::string& name, const Datum& datum) -> Result<void> {
                                    const auto* table = std::get_if<Table>(&datum);
                                    if (table == nullptr) {
                                        return wrong_datum(name, datum, "a table");
                                    }
                                    TAFFRAIL_ASSIGN(Value value, capture_table(*table));
                                    context.log_value(keys_.key(name, data.phase), std::move(value),
                                                      data.total_iters);
                                    return {};
                                });
    }

  private:
    SeriesKeys keys_{"Table"};
};

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

class GraphRoutine : public Passing<OnceRoutine> {
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

  private:
    SeriesKeys keys_{"Graph"};
    std::map<std::string, std::optional<Graph>> logged_;
};

}  // namespace

std::unique_ptr<Routine> make_hparams_routine() {
    return std::make_unique<HparamsRoutine>();
}

std::unique_ptr<Routine> make_text_routine() {
    return std::make_unique<TextRoutine>();
}

std::unique_ptr<Routine> make_audio_routine() {
    return std::make_unique<AudioRoutine>();
}

std::unique_ptr<Routine> make_table_routine() {
    return std::make_unique<TableRoutine>();
}

std::unique_ptr<Routine> make_graph_routine() {
    return std::make_unique<GraphRoutine>();
}

}  // namespace taffrail
