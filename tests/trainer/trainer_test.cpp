#include <gtest/gtest.h>

#include <taffrail/trainer.h>

namespace taffrail {
namespace {

struct Rows : LoggerBase {
    std::vector<std::pair<std::map<std::string, double>, Step>> rows;

    void log_metrics(std::span<const std::pair<std::string_view, double>> row, Step step) noexcept override {
        std::map<std::string, double> one;
        for (const auto& [name, value] : row) {
            one[std::string(name)] = value;
        }
        rows.emplace_back(one, step);
    }
};

TEST(Trainer, Case06StepAndEpochRows) {
    struct Foo : Module {
        void training_step(const Batch&, std::int64_t) override {
            log("foo", 0, {.on_step = true, .on_epoch = true});
        }
    } module;
    auto rows = std::make_shared<Rows>();
    Trainer trainer({.max_epochs = 2, .log_every_n_steps = 1, .loggers = {rows}});
    const auto loader = map_loader(2, [](std::int64_t) { return Batch(std::vector<float>(3)); });
    const auto done = trainer.fit(module, {.train = loader});
    ASSERT_TRUE(done.ok()) << done.error().message;
    ASSERT_EQ(rows->rows.size(), 6u);
    EXPECT_EQ(rows->rows[2].second, 1);
    EXPECT_TRUE(rows->rows[2].first.contains("foo_epoch"));
}

}  // namespace
}  // namespace taffrail
