// metrics_replay: reads one JSON object per line, {"metric", "options", "ranks": [[batch, …], …]},
// feeds each rank's batches to our metric on a thread of its own and prints {"values": […]} as rank
// 0 computes it over all ranks.
#include <taffrail/aggregation.h>
#include <taffrail/classification.h>
#include <taffrail/communicators.h>
#include <taffrail/image_metrics.h>
#include <taffrail/regression.h>

#include "base/diagnostics.h"
#include "codec/json.h"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace taffrail;

std::vector<double> doubles(const Json* json) {
    std::vector<double> all;
    if (json != nullptr && json->array() != nullptr) {
        for (const Json& item : *json->array()) {
            all.push_back(item.number().value_or(std::nan("")));
        }
    }
    return all;
}

std::vector<std::int64_t> integers(const Json* json) {
    std::vector<std::int64_t> all;
    for (const double value : doubles(json)) {
        all.push_back(static_cast<std::int64_t>(value));
    }
    return all;
}

ClassificationOptions classification(const Json& options) {
    ClassificationOptions made;
    const std::string task = options.string_or("task", "multiclass");
    made.task = task == "binary"       ? Task::Binary
                : task == "multilabel" ? Task::Multilabel
                                       : Task::Multiclass;
    made.classes = options.integer_or("classes", 2);
    const std::string average = options.string_or("average", "macro");
    made.average = average == "micro"      ? Average::Micro
                   : average == "weighted" ? Average::Weighted
                   : average == "none"     ? Average::None
                                           : Average::Macro;
    made.top_k = options.integer_or("top_k", 1);
    if (options.find("ignore_index") != nullptr) {
        made.ignore_index = options.integer_or("ignore_index", -1);
    }
    return made;
}

Shape shape_of(const Json& batch) {
    Shape shape;
    for (const std::int64_t extent : integers(batch.find("shape"))) {
        shape.push_back(extent);
    }
    return shape;
}

// Feeds one batch, whatever the metric takes.
Result<void> feed(Metric& metric, const Json& batch) {
    const std::vector<double> predicted = doubles(batch.find("predicted"));
    if (auto* scores = dynamic_cast<StatScores*>(&metric)) {
        return batch.truth_or("labels", false)
                   ? scores->update_labels(integers(batch.find("predicted")),
                                           integers(batch.find("target")))
                   : scores->update(predicted, integers(batch.find("target")));
    }
    if (auto* matrix = dynamic_cast<ConfusionMatrix*>(&metric)) {
        return matrix->update(predicted, integers(batch.find("target")));
    }
    if (auto* area = dynamic_cast<Auroc*>(&metric)) {
        return area->update(predicted, integers(batch.find("target")));
    }
    if (auto* perplexity = dynamic_cast<Perplexity*>(&metric)) {
        return perplexity->update(predicted, integers(batch.find("target")));
    }
    const std::vector<double> target = doubles(batch.find("target"));
    if (auto* error = dynamic_cast<MeanSquaredError*>(&metric)) {
        return error->update(predicted, target);
    }
    if (auto* determination = dynamic_cast<R2Score*>(&metric)) {
        return determination->update(predicted, target);
    }
    const TensorView ours(predicted.data(), DType::F64, shape_of(batch));
    const TensorView theirs(target.data(), DType::F64, shape_of(batch));
    if (auto* ratio = dynamic_cast<PeakSignalNoiseRatio*>(&metric)) {
        return ratio->update(ours, theirs);
    }
    if (auto* similarity = dynamic_cast<StructuralSimilarity*>(&metric)) {
        return similarity->update(ours, theirs);
    }
    if (auto* mean = dynamic_cast<MeanMetric*>(&metric); mean != nullptr && !target.empty()) {
        return mean->update(TensorView(predicted), TensorView(target));
    }
    return dynamic_cast<Aggregator&>(metric).update(TensorView(predicted));
}

std::unique_ptr<Metric> make(const std::string& name, const Json& options) {
    const ClassificationOptions classes = classification(options);
    const std::string normalize = options.string_or("normalize", "none");
    const Normalize how = normalize == "true"   ? Normalize::Target
                          : normalize == "pred" ? Normalize::Predicted
                          : normalize == "all"  ? Normalize::All
                                                : Normalize::None;
    if (name == "accuracy") {
        return std::make_unique<Accuracy>(classes);
    }
    if (name == "precision") {
        return std::make_unique<Precision>(classes);
    }
    if (name == "recall") {
        return std::make_unique<Recall>(classes);
    }
    if (name == "f1") {
        return std::make_unique<F1Score>(classes);
    }
    if (name == "confusion_matrix") {
        return std::make_unique<ConfusionMatrix>(classes, how);
    }
    if (name == "auroc") {
        return std::make_unique<Auroc>(classes);
    }
    if (name == "mse") {
        return std::make_unique<MeanSquaredError>();
    }
    if (name == "r2") {
        return std::make_unique<R2Score>();
    }
    if (name == "psnr") {
        return std::make_unique<PeakSignalNoiseRatio>(options.number_or("data_range", 1));
    }
    if (name == "ssim") {
        return std::make_unique<StructuralSimilarity>(
            SsimOptions{.data_range = options.number_or("data_range", 1)});
    }
    if (name == "perplexity") {
        std::optional<std::int64_t> ignore;
        if (options.find("ignore_index") != nullptr) {
            ignore = options.integer_or("ignore_index", -1);
        }
        return std::make_unique<Perplexity>(options.integer_or("classes", 2), ignore);
    }
    if (name == "mean") {
        return std::make_unique<MeanMetric>();
    }
    if (name == "sum") {
        return std::make_unique<SumMetric>();
    }
    if (name == "max") {
        return std::make_unique<MaxMetric>();
    }
    if (name == "min") {
        return std::make_unique<MinMetric>();
    }
    return nullptr;
}

std::string run(const Json& line) {
    const Json::Array& ranks = *line.find("ranks")->array();
    const auto world = thread_communicators(static_cast<int>(ranks.size()));
    std::vector<std::string> problems(ranks.size());
    std::vector<double> values;
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        threads.emplace_back([&, rank] {
            auto metric = make(line.string_or("metric", ""), *line.find("options"));
            metric->set_communicator(world[rank]);
            for (const Json& batch : *ranks[rank].array()) {
                if (auto fed = feed(*metric, batch); !fed.ok()) {
                    problems[rank] = fed.error().message;
                }
            }
            auto value = metric->compute();
            if (!value.ok()) {
                problems[rank] = value.error().message;
            } else if (rank == 0) {
                values = value->values;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    Json::Array printed;
    for (const double value : values) {
        printed.push_back(std::isfinite(value) ? Json(value)
                                               : Json(std::isnan(value) ? "nan"
                                                      : value > 0       ? "inf"
                                                                        : "-inf"));
    }
    std::string problem;
    for (const std::string& one : problems) {
        problem = problem.empty() ? one : problem;
    }
    return Json(Json::Object{{"values", Json(std::move(printed))}, {"problem", Json(problem)}})
        .dump();
}

}  // namespace

int main() {
    set_diagnostic_handler([](DiagnosticLevel, std::string_view) {});
    for (std::string line; std::getline(std::cin, line);) {
        const auto json = parse_json(line);
        if (!json.ok()) {
            std::fprintf(stderr, "metrics_replay: %s\n", json.error().message.c_str());
            return 2;
        }
        std::printf("%s\n", run(*json).c_str());
    }
    return 0;
}
