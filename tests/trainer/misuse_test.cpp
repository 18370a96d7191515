// What a program can get wrong, and that it is told: values that make no sense, loaders that are
// missing, names of checkpoints.
#include "io/files.h"
#include "trainer/checkpoint_name.h"
#include "trainer/fixtures.h"

#include <gmock/gmock.h>

namespace taffrail::trainer_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::function<void(TrainerOptions&)>& change) {
    TrainerOptions options = quiet();
    change(options);
    HookModule module;
    std::int64_t steps = 0;
    module.train = [&](HookModule&, std::int64_t) { ++steps; };
    const auto done = Trainer(options).fit(module, {.train = batches(3), .val = {batches(2)}});
    EXPECT_EQ(steps, 0);
    return done.ok() ? "" : done.error().message;
}

TEST(Misuses, FindingT14_LimitsAndIntervalsThatMakeNoSenseAreRefusedByName) {
    EXPECT_THAT(refusal([](auto& options) { options.limit_train_batches = -2; }),
                AllOf(HasSubstr("limit_train_batches = -2"), HasSubstr("at least 0")));
    EXPECT_THAT(refusal([](auto& options) { options.limit_val_batches = 1.5; }),
                AllOf(HasSubstr("limit_val_batches = 1.5"), HasSubstr("share")));
    EXPECT_THAT(refusal([](auto& options) { options.limit_test_batches = -0.5; }),
                HasSubstr("limit_test_batches"));
    for (const std::int64_t interval : {0, -3}) {
        EXPECT_THAT(
            refusal([&](auto& options) { options.val_check_interval = BatchLimit(interval); }),
            AllOf(HasSubstr("val_check_interval = " + std::to_string(interval)),
                  HasSubstr("at least 1")));
    }
    EXPECT_THAT(refusal([](auto& options) { options.val_check_interval = 0.0; }),
                HasSubstr("val_check_interval"));
    EXPECT_THAT(refusal([](auto& options) { options.num_sanity_val_steps = -2; }),
                HasSubstr("num_sanity_val_steps"));
}

TEST(Misuses, FindingT14_NegativeBatchSizeIsRefused) {
    HookModule module;
    module.train = [](HookModule& self, std::int64_t index) {
        self.log("loss", static_cast<double>(index), {.on_epoch = true, .batch_size = -3});
    };
    Trainer trainer(quiet());
    const auto done = trainer.fit(module, {.train = batches(2)});
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message, HasSubstr("batch_size = -3"));
    EXPECT_EQ(trainer.misuse()->code, "E18");
}

TEST(Misuses, FindingT14_StagesWithoutALoaderAreRefused) {
    HookModule module;
    Trainer trainer(quiet());
    const auto fit = trainer.fit(module);
    ASSERT_FALSE(fit.ok());
    EXPECT_THAT(fit.error().message, HasSubstr("Module::train_dataloader()"));
    const auto test = trainer.test(module);
    ASSERT_FALSE(test.ok());
    EXPECT_THAT(test.error().message, HasSubstr("Module::test_dataloader()"));
    const auto validate = trainer.validate(module);
    ASSERT_FALSE(validate.ok());
    EXPECT_THAT(validate.error().message, HasSubstr("Module::val_dataloader()"));
    EXPECT_FALSE(trainer.predict(module).ok());
}

TEST(Misuses, FindingT15_EachFitStartsClean) {
    HookModule bad, good;
    bad.train = [](HookModule& self, std::int64_t) {
        self.log("loss", 1.0, {.on_step = false, .on_epoch = false});
    };
    good.train = [](HookModule& self, std::int64_t) { self.log("loss", 1.0); };
    Trainer trainer(quiet());
    ASSERT_FALSE(trainer.fit(bad, {.train = batches(2)}).ok());
    ASSERT_TRUE(trainer.misuse());
    const auto done = trainer.fit(good, {.train = batches(2)});
    EXPECT_TRUE(done.ok()) << done.error().message;
    EXPECT_FALSE(trainer.misuse());
    EXPECT_EQ(trainer.global_step(), 2);
}

std::optional<trainer::NamedNumber> known(std::string_view name) {
    if (name == "epoch") {
        return std::int64_t{3};
    }
    return name == "val/loss" ? std::optional<trainer::NamedNumber>(0.25) : std::nullopt;
}

TEST(CheckpointNames, FindingT18_AreFormattedAsWritten) {
    const auto name = [](std::string_view pattern) {
        return trainer::checkpoint_name(pattern, known).value();
    };
    EXPECT_EQ(name("{epoch:02d}-{val/loss:.3f}"), "epoch=03-val_loss=0.250");
    EXPECT_EQ(name("{epoch}-{val/loss}"), "epoch=3-val_loss=0.25");
    EXPECT_EQ(name("best-{val/loss:.1e}"), "best-val_loss=2.5e-01");
    EXPECT_EQ(name("{epoch:.1f}"), "epoch=3.0");
    EXPECT_EQ(name("plain{"), "plain{");
}

TEST(CheckpointNames, FindingT18_UnknownNamesAndFormatsAreRefused) {
    const auto unknown = trainer::checkpoint_name("{epoch}-{vla_loss}", known);
    ASSERT_FALSE(unknown.ok());
    EXPECT_THAT(unknown.error().message, HasSubstr("{vla_loss}"));
    const auto format = trainer::checkpoint_name("{val/loss:02d}", known);
    ASSERT_FALSE(format.ok());
    EXPECT_THAT(format.error().message, HasSubstr(".3f"));

    HookModule module;
    TrainerOptions options = quiet();
    options.callbacks = {std::make_shared<ModelCheckpoint>(
        ModelCheckpointOptions{.dirpath = "memory://misuse_test", .filename = "{x:.3f}"})};
    const auto done = Trainer(options).fit(module, {.train = batches(1)});
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message, HasSubstr("{x}"));
}

}  // namespace
}  // namespace taffrail::trainer_test
