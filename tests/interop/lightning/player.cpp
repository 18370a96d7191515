#include "interop/lightning/player.h"

#include <taffrail/aggregation.h>

#include <cmath>
#include <thread>

namespace taffrail::replay {

namespace {

Json number_json(double value) {
    if (std::isnan(value)) {
        return Json("nan");
    }
    if (std::isinf(value)) {
        return Json(value > 0 ? "inf" : "-inf");
    }
    return Json(value);
}

template <typename Items>
Json map_json(const Items& items) {
    Json::Object object;
    for (const auto& [name, value] : items) {
        object.emplace_back(std::string(name), number_json(value));
    }
    return Json(std::move(object));
}

/// Two numbers: what log() refuses.
class PairMetric final : public Metric {
  public:
    Result<void> update(double value) {
        return apply_update([&] { return add(value); });
    }

    Result<MetricValue> forward(double value) {
        return apply_forward([&] { return add(value); });
    }

  private:
    Result<void> add(double value) {
        state(total_)[0] += value;
        return {};
    }

    [[nodiscard]] MetricValue compute_state() const override {
        return MetricValue({state(total_)[0], state(total_)[0]}, {2});
    }

    StateId total_ = add_state("total", {0}, StateReduce::Sum);
};

std::unique_ptr<Metric> make_metric(const std::string& kind) {
    if (kind == "mean") {
        return std::make_unique<MeanMetric>();
    }
    if (kind == "max") {
        return std::make_unique<MaxMetric>();
    }
    if (kind == "min") {
        return std::make_unique<MinMetric>();
    }
    if (kind == "pair") {
        return std::make_unique<PairMetric>();
    }
    return std::make_unique<SumMetric>();
}

void feed(Metric& metric, const std::string& how, double value) {
    const auto to = [&](auto& known) {
        if (how == "forward") {
            static_cast<void>(known.forward(value));
        } else if (how == "update") {
            static_cast<void>(known.update(value));
        }
    };
    if (auto* aggregator = dynamic_cast<Aggregator*>(&metric)) {
        to(*aggregator);
    } else if (auto* pair = dynamic_cast<PairMetric*>(&metric)) {
        to(*pair);
    }
}

class RowLogger final : public LoggerBase {
  public:
    explicit RowLogger(RankReport& report) : report_(report) {}

    void log_metrics(std::span<const std::pair<std::string_view, double>> row,
                     Step step) noexcept override {
        report_.rows.push_back(
            Json(Json::Object{{"metrics", map_json(row)}, {"step", Json(step)}}));
    }

  private:
    RankReport& report_;
};

class ScriptModule;

/// Keeps the position and plays the entries of a hook.
class Player {
  public:
    Player(const Script& script, RankReport& report, std::int64_t rank)
        : script_(script), report_(report) {
        position_.rank = rank;
    }

    void at(std::int64_t batch, std::int64_t loader) {
        position_.batch = batch;
        position_.loader = loader;
    }

    void play(Trainer& trainer, Module& module, std::string_view hook, bool from_callback);
    void probe(Trainer& trainer, std::string_view hook);

    [[nodiscard]] const Script& script() const { return script_; }

    [[nodiscard]] Position position() const { return position_; }

    std::map<std::string, std::unique_ptr<Metric>>& metrics() { return metrics_; }

  private:
    void play_entry(Module& module, const Entry& entry);
    LogOptions options_of(const Entry& entry) const;

    const Script& script_;
    RankReport& report_;
    Position position_;
    std::map<std::string, std::unique_ptr<Metric>> metrics_;
};

LogOptions Player::options_of(const Entry& entry) const {
    LogOptions options;
    const auto truth = [&](std::string_view name) -> std::optional<bool> {
        const Json* found = entry.flags.find(name);
        return found != nullptr ? found->truth() : std::nullopt;
    };
    options.on_step = truth("on_step");
    options.on_epoch = truth("on_epoch");
    options.logger = truth("logger");
    options.prog_bar = truth("prog_bar").value_or(false);
    options.add_dataloader_idx = truth("add_dataloader_idx").value_or(true);
    options.sync_dist = truth("sync_dist").value_or(false);
    options.rank_zero_only = truth("rank_zero_only").value_or(false);
    options.enable_graph = truth("enable_graph").value_or(false);
    if (const Json* reduce = entry.flags.find("reduce_fx");
        reduce != nullptr && reduce->string() != nullptr) {
        options.reduce_fx = std::string_view(*reduce->string());
    }
    if (const Json* size = entry.flags.find("batch_size"); size != nullptr && !size->is_null()) {
        options.batch_size = static_cast<std::int64_t>(evaluate(*size, position_).value().number);
    }
    return options;
}

void Player::play_entry(Module& module, const Entry& entry) {
    const LogOptions options = options_of(entry);
    for (const auto& [raw_name, form] : entry.values) {
        std::string name = raw_name;
        for (auto place = name.find("{loader}"); place != std::string::npos;
             place = name.find("{loader}")) {
            name.replace(place, 8, std::to_string(position_.loader));
        }
        const ReplayValue value = evaluate(form, position_).value();
        if (entry.metric) {
            Metric& metric = *metrics_.at(entry.metric->id);
            feed(metric, entry.metric->feed, value.number);
            module.log(name, metric, options);
            continue;
        }
        if (value.form == ReplayValue::Form::Number) {
            module.log(name, value.number, options);
        } else if (value.form == ReplayValue::Form::Unsupported) {
            module.log(name, LogValue::unsupported(value.type_name), options);
        } else if (value.is_vector) {
            const std::vector<float> floats(value.vector.begin(), value.vector.end());
            module.log(name, TensorView(floats), options);
        } else {
            // A typed scalar: the bits of its type, so that LogValue reads what a device would
            // hold.
            Shape shape;
            for (std::int64_t axis = 0; axis < value.dims; ++axis) {
                shape.push_back(1);
            }
            const float narrow = static_cast<float>(value.number);
            const auto whole = static_cast<std::int64_t>(value.number);
            const auto small = static_cast<std::int32_t>(whole);
            const auto tiny = static_cast<std::int8_t>(whole);
            const void* bits = &narrow;
            DType dtype = DType::F32;
            switch (value.dtype) {
                case DType::F64:
                    bits = &value.number;
                    dtype = DType::F64;
                    break;
                case DType::I64:
                    bits = &whole;
                    dtype = DType::I64;
                    break;
                case DType::I32:
                    bits = &small;
                    dtype = DType::I32;
                    break;
                case DType::I8:
                case DType::Bool:
                    bits = &tiny;
                    dtype = value.dtype;
                    break;
                default:
                    break;  // 16-bit floats were rounded already and fit into 32
            }
            module.log(name, TensorView(bits, dtype, shape), options);
        }
    }
}

void Player::play(Trainer& trainer, Module& module, std::string_view hook, bool from_callback) {
    position_.epoch = trainer.current_epoch();
    position_.sanity = trainer.sanity_checking();
    for (const Entry& entry : script_.logs) {
        if (entry.hook == hook && entry.from_callback == from_callback &&
            entry.plays_at(position_)) {
            play_entry(module, entry);
        }
    }
}

void Player::probe(Trainer& trainer, std::string_view hook) {
    if (!script_.probes.contains(std::string(hook))) {
        return;
    }
    Json probe(
        Json::Object{{"hook", Json(hook)},
                     {"sanity", Json(trainer.sanity_checking())},
                     {"epoch", Json(trainer.current_epoch())},
                     {"batch", Json(position_.batch)},
                     {"loader", Json(position_.loader)},
                     {"callback_metrics", map_json(trainer.callback_metrics().items())},
                     {"logged_metrics", map_json(trainer.logged_metrics().items())},
                     {"progress_bar_metrics", map_json(trainer.progress_bar_metrics().items())}});
    // Reading a view may compute a metric and find a mistake; then there is nothing to report.
    if (!trainer.misuse()) {
        report_.probes.push_back(std::move(probe));
    }
}

// The hooks that callbacks and modules share and that take nothing else.
#define TAFFRAIL_PLAIN_HOOKS(HOOK)  \
    HOOK(on_fit_start)              \
    HOOK(on_fit_end)                \
    HOOK(on_train_start)            \
    HOOK(on_train_end)              \
    HOOK(on_train_epoch_start)      \
    HOOK(on_train_epoch_end)        \
    HOOK(on_before_zero_grad)       \
    HOOK(on_before_backward)        \
    HOOK(on_after_backward)         \
    HOOK(on_before_optimizer_step)  \
    HOOK(on_validation_start)       \
    HOOK(on_validation_end)         \
    HOOK(on_validation_epoch_start) \
    HOOK(on_validation_epoch_end)   \
    HOOK(on_test_start)             \
    HOOK(on_test_end)               \
    HOOK(on_test_epoch_start)       \
    HOOK(on_test_epoch_end)         \
    HOOK(on_predict_start)          \
    HOOK(on_predict_end)            \
    HOOK(on_predict_epoch_start)    \
    HOOK(on_predict_epoch_end)

/// Callback entries, then the probe.
class ScriptCallback final : public Callback {
  public:
    explicit ScriptCallback(Player& player) : player_(player) {}

#define TAFFRAIL_PLAIN_HOOK(name) \
    void name(Trainer& trainer, Module& module) override { run(trainer, module, #name); }
    TAFFRAIL_PLAIN_HOOKS(TAFFRAIL_PLAIN_HOOK)
    TAFFRAIL_PLAIN_HOOK(on_sanity_check_start)
    TAFFRAIL_PLAIN_HOOK(on_sanity_check_end)
#undef TAFFRAIL_PLAIN_HOOK

    void setup(Trainer& trainer, Module& module, Stage) override { run(trainer, module, "setup"); }

    void teardown(Trainer& trainer, Module& module, Stage) override {
        run(trainer, module, "teardown");
    }

    void on_train_batch_start(Trainer& trainer, Module& module, const Batch&,
                              std::int64_t index) override {
        player_.at(index, 0);
        run(trainer, module, "on_train_batch_start");
    }

    void on_train_batch_end(Trainer& trainer, Module& module, const Batch&, std::int64_t) override {
        run(trainer, module, "on_train_batch_end");
    }

#define TAFFRAIL_BATCH_HOOK(name)                                                             \
    void name(Trainer& trainer, Module& module, const Batch&, std::int64_t index, int loader) \
        override {                                                                            \
        player_.at(index, loader);                                                            \
        run(trainer, module, #name);                                                          \
    }
    TAFFRAIL_BATCH_HOOK(on_validation_batch_start)
    TAFFRAIL_BATCH_HOOK(on_validation_batch_end)
    TAFFRAIL_BATCH_HOOK(on_test_batch_start)
    TAFFRAIL_BATCH_HOOK(on_test_batch_end)
    TAFFRAIL_BATCH_HOOK(on_predict_batch_start)
    TAFFRAIL_BATCH_HOOK(on_predict_batch_end)
#undef TAFFRAIL_BATCH_HOOK

  private:
    void run(Trainer& trainer, Module& module, std::string_view hook) {
        player_.play(trainer, module, hook, true);
        player_.probe(trainer, hook);
    }

    Player& player_;
};

/// Module entries, and the loaders of the script but those of a validation.
class ScriptModule : public Module {
  public:
    explicit ScriptModule(Player& player) : player_(player) {
        for (const Entry& entry : player.script().logs) {
            if (!entry.metric || player.metrics().contains(entry.metric->id)) {
                continue;
            }
            auto& metric = player.metrics()[entry.metric->id];
            metric = make_metric(entry.metric->kind);
            if (entry.metric->attached) {
                register_metric(entry.metric->id, *metric);
            }
        }
    }

#define TAFFRAIL_PLAIN_HOOK(name) \
    void name() override { run(#name); }
    TAFFRAIL_PLAIN_HOOKS(TAFFRAIL_PLAIN_HOOK)
#undef TAFFRAIL_PLAIN_HOOK

    // Hooks that callbacks do not have: the probe comes first, as it does elsewhere.
#define TAFFRAIL_OWN_HOOK(name) \
    void name() override { run_own(#name); }
    TAFFRAIL_OWN_HOOK(prepare_data)
    TAFFRAIL_OWN_HOOK(configure_optimizers)
    TAFFRAIL_OWN_HOOK(optimizer_zero_grad)
    TAFFRAIL_OWN_HOOK(backward)
    TAFFRAIL_OWN_HOOK(configure_gradient_clipping)
    TAFFRAIL_OWN_HOOK(configure_model)
    TAFFRAIL_OWN_HOOK(on_validation_model_eval)
    TAFFRAIL_OWN_HOOK(on_validation_model_train)
    TAFFRAIL_OWN_HOOK(on_validation_model_zero_grad)
    TAFFRAIL_OWN_HOOK(on_test_model_eval)
    TAFFRAIL_OWN_HOOK(on_test_model_train)
#undef TAFFRAIL_OWN_HOOK

    void optimizer_step(const std::function<void()>& closure) override {
        run_own("optimizer_step");
        closure();
    }

#define TAFFRAIL_TRANSFER_HOOK(name)        \
    Batch name(Batch batch, int) override { \
        run_own(#name);                     \
        return batch;                       \
    }
    TAFFRAIL_TRANSFER_HOOK(on_before_batch_transfer)
    TAFFRAIL_TRANSFER_HOOK(transfer_batch_to_device)
    TAFFRAIL_TRANSFER_HOOK(on_after_batch_transfer)
#undef TAFFRAIL_TRANSFER_HOOK

    void setup(Stage) override { run("setup"); }

    void teardown(Stage) override { run("teardown"); }

    void on_train_batch_start(const Batch&, std::int64_t) override { run("on_train_batch_start"); }

    void training_step(const Batch&, std::int64_t index) override {
        if (player_.script().stop_at == std::pair(trainer()->current_epoch(), index)) {
            trainer()->stop();
        }
        run_own("training_step");
    }

    void on_train_batch_end(const Batch&, std::int64_t) override {
        run("on_train_batch_end");
        player_.at(0, 0);
    }

#define TAFFRAIL_STEP_HOOK(name) \
    void name(const Batch&, std::int64_t, int) override { run_own(#name); }
    TAFFRAIL_STEP_HOOK(validation_step)
    TAFFRAIL_STEP_HOOK(test_step)
    TAFFRAIL_STEP_HOOK(predict_step)
#undef TAFFRAIL_STEP_HOOK
#define TAFFRAIL_BATCH_START(name) \
    void name(const Batch&, std::int64_t, int) override { run(#name); }
    TAFFRAIL_BATCH_START(on_validation_batch_start)
    TAFFRAIL_BATCH_START(on_test_batch_start)
    TAFFRAIL_BATCH_START(on_predict_batch_start)
#undef TAFFRAIL_BATCH_START
#define TAFFRAIL_BATCH_END(name)                          \
    void name(const Batch&, std::int64_t, int) override { \
        run(#name);                                       \
        player_.at(0, 0);                                 \
    }
    TAFFRAIL_BATCH_END(on_validation_batch_end)
    TAFFRAIL_BATCH_END(on_test_batch_end)
    TAFFRAIL_BATCH_END(on_predict_batch_end)
#undef TAFFRAIL_BATCH_END

    std::shared_ptr<Loader> train_dataloader() override {
        run_own("train_dataloader");
        return loader(player_.script().train_batches, 0);
    }

    LoaderList test_dataloader() override {
        return loaders("test_dataloader", player_.script().test_batches);
    }

    LoaderList predict_dataloader() override { return loaders("predict_dataloader", {1}); }

  protected:
    [[nodiscard]] const Script& script() const { return player_.script(); }

    LoaderList loaders(std::string_view hook, const std::vector<std::int64_t>& batches) {
        LoaderList all;
        if (!batches.empty()) {
            run_own(hook);
        }
        for (std::size_t number = 0; number < batches.size(); ++number) {
            all.push_back(loader(batches[number], static_cast<std::int64_t>(number)));
        }
        return all;
    }

  private:
    void run(std::string_view hook) { player_.play(*trainer(), *this, hook, false); }

    void run_own(std::string_view hook) {
        player_.probe(*trainer(), hook);
        run(hook);
    }

    std::shared_ptr<Loader> loader(std::int64_t batches, std::int64_t number) {
        return map_loader(batches, [this, number](std::int64_t index) {
            Position position = player_.position();
            position.batch = index;
            position.loader = number;
            return player_.script().batch.make(position);
        });
    }

    Player& player_;
};

/// A class of its own, as on Lightning: whether there is a validation is seen by the class.
class ScriptModuleWithValidation final : public ScriptModule {
  public:
    using ScriptModule::ScriptModule;

    LoaderList val_dataloader() override { return loaders("val_dataloader", script().val_batches); }
};

Json stage_json(const std::string& stage, Trainer& trainer, const EvaluationResults* results) {
    Json::Object object{{"stage", Json(stage)},
                        {"callback_metrics", map_json(trainer.callback_metrics().items())},
                        {"logged_metrics", map_json(trainer.logged_metrics().items())},
                        {"progress_bar_metrics", map_json(trainer.progress_bar_metrics().items())}};
    if (results != nullptr) {
        Json::Array maps;
        for (const auto& one : *results) {
            maps.push_back(map_json(one));
        }
        object.emplace_back("results", Json(std::move(maps)));
    }
    return Json(std::move(object));
}

}  // namespace

namespace {

template <typename M>
RankReport play_module(const Script& script, std::shared_ptr<Communicator> communicator) {
    RankReport report;
    Player player(script, report, communicator->rank());
    M module(player);
    TrainerOptions options = script.options;
    options.communicator = communicator;
    options.callbacks = {std::make_shared<ScriptCallback>(player)};
    if (script.sink) {
        options.loggers = {std::make_shared<RowLogger>(report)};
    }
    Trainer trainer(options);
    for (const std::string& stage : script.stages) {
        Result<void> done;
        EvaluationResults results;
        const bool evaluating = stage == "validate" || stage == "test";
        if (stage == "fit") {
            done = trainer.fit(module);
        } else if (stage == "predict") {
            done = trainer.predict(module);
        } else if (evaluating) {
            auto evaluated = stage == "test" ? trainer.test(module) : trainer.validate(module);
            if (evaluated.ok()) {
                results = *std::move(evaluated);
            } else {
                done = std::move(evaluated).error();
            }
        } else {
            done = Error{ErrorCode::InvalidArgument, "unknown stage '" + stage + "'"};
        }
        if (!done.ok()) {
            report.misuse = trainer.misuse();
            report.other_error = report.misuse ? "" : done.error().message;
            break;
        }
        report.stages.push_back(stage_json(stage, trainer, evaluating ? &results : nullptr));
    }
    report.warnings = trainer.warnings();
    return report;
}

}  // namespace

RankReport play_rank(const Script& script, std::shared_ptr<Communicator> communicator) {
    return script.val_batches.empty()
               ? play_module<ScriptModule>(script, std::move(communicator))
               : play_module<ScriptModuleWithValidation>(script, std::move(communicator));
}

Json play(const Script& script) {
    const auto ranks = thread_communicators(script.world, std::chrono::seconds(20));
    std::vector<RankReport> reports(ranks.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        threads.emplace_back([&, rank] { reports[rank] = play_rank(script, ranks[rank]); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    RankReport& first = reports.front();
    Json::Object output{{"id", script.id}};
    for (const RankReport& report : reports) {
        if (report.misuse) {
            output.emplace_back("error", Json(to_string(report.misuse->kind)));
            output.emplace_back("code", Json(report.misuse->code));
            output.emplace_back("message", Json(report.misuse->message));
            break;
        }
    }
    for (const RankReport& report : reports) {
        if (!report.other_error.empty() && output.size() == 1) {
            output.emplace_back("error", Json("runtime"));
            output.emplace_back("code", Json("run"));
            output.emplace_back("message", Json(report.other_error));
        }
    }
    output.emplace_back("rows", Json(std::move(first.rows)));
    output.emplace_back("stages", Json(std::move(first.stages)));
    Json::Array warnings;
    for (const std::string& warning : first.warnings) {
        warnings.emplace_back(Json(warning));
    }
    output.emplace_back("warnings", Json(std::move(warnings)));
    if (!script.probes.empty()) {
        output.emplace_back("probes", Json(std::move(first.probes)));
    }
    if (script.world > 1) {
        Json::Array others;
        for (std::size_t rank = 1; rank < reports.size(); ++rank) {
            others.emplace_back(Json(std::move(reports[rank].stages)));
        }
        output.emplace_back("other_ranks", Json(std::move(others)));
    }
    return Json(std::move(output));
}

}  // namespace taffrail::replay
