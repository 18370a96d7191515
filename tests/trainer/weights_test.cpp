// The weights of a checkpoint, without going on with its training.
#include "trainer/fixtures.h"

#include <gmock/gmock.h>

#include <cstring>

namespace taffrail::trainer_test {

namespace {

using testing::HasSubstr;

/// Its one weight counts the steps, and the score of a validation is given by the test.
class Counted : public Module {
  public:
    double weight = 0;
    std::vector<double> scores = {};
    double tested = -1, predicted = -1;

    void training_step(const Batch&, std::int64_t) override { weight += 1; }

    void on_validation_epoch_end() override {
        validated = weight;
        log("score", scores.empty() ? weight : scores.at(next_score_++));
    }

    void test_step(const Batch&, std::int64_t, int) override {
        tested = weight;
        log("weight", weight);
    }

    void predict_step(const Batch&, std::int64_t, int) override { predicted = weight; }

    std::vector<std::byte> state_dict() override {
        std::vector<std::byte> bytes(sizeof(weight));
        std::memcpy(bytes.data(), &weight, sizeof(weight));
        return bytes;
    }

    Result<void> load_state_dict(const std::vector<std::byte>& bytes) override {
        if (bytes.size() != sizeof(weight)) {
            return Error{ErrorCode::Corrupt, "not one weight"};
        }
        std::memcpy(&weight, bytes.data(), sizeof(weight));
        return {};
    }

    double validated = -1;

  private:
    std::size_t next_score_ = 0;
};

/// Three epochs of two steps, the second of them with the best score.
struct Trained {
    std::shared_ptr<ModelCheckpoint> keep;
    Counted module;
    Trainer trainer;

    explicit Trained(const std::string& folder)
        : keep(std::make_shared<ModelCheckpoint>(
              ModelCheckpointOptions{.dirpath = folder, .monitor = "score", .save_last = true})),
          trainer(options()) {
        module.scores = {0.5, 0.1, 0.9};
        EXPECT_TRUE(trainer.fit(module, {.train = batches(2), .val = {batches(1)}}).ok());
        module.scores.clear();
    }

  private:
    TrainerOptions options() const {
        TrainerOptions made = quiet();
        made.max_epochs = 3;
        made.callbacks = {keep};
        return made;
    }
};

TEST(Weights, FindingT25_EveryStageUsesTheCheckpointItIsGiven) {
    Trained done("memory://weights/stages");
    EXPECT_EQ(done.module.weight, 6);
    const std::string best = done.keep->best_model_path();

    const auto tested = done.trainer.test(done.module, {batches(2)}, best);
    ASSERT_TRUE(tested.ok()) << tested.error().message;
    EXPECT_EQ(done.module.tested, 4);
    EXPECT_EQ(tested->front().front().second, 4);

    done.module.weight = 6;
    ASSERT_TRUE(done.trainer.validate(done.module, {batches(1)}, best).ok());
    EXPECT_EQ(done.module.validated, 4);

    done.module.weight = 6;
    ASSERT_TRUE(done.trainer.predict(done.module, {batches(1)}, best).ok());
    EXPECT_EQ(done.module.predicted, 4);
}

TEST(Weights, FindingT25_BestAndLastAreThoseOfTheModelCheckpoint) {
    Trained done("memory://weights/words");
    ASSERT_TRUE(done.trainer.test(done.module, {batches(1)}, "best").ok());
    EXPECT_EQ(done.module.tested, 4);
    ASSERT_TRUE(done.trainer.load_checkpoint(done.module, "last").ok());
    EXPECT_EQ(done.module.weight, 6);

    // Going on from a word: at the end of the fit there is nothing left to do.
    ASSERT_TRUE(
        done.trainer.fit(done.module, {.train = batches(2), .val = {batches(1)}}, "last").ok());
    EXPECT_EQ(done.trainer.global_step(), 6);
}

TEST(Weights, FindingT25_LoadingThemChangesNothingElse) {
    Trained done("memory://weights/alone");
    const auto before = items(done.trainer.callback_metrics());
    const int kept_score = static_cast<int>(*done.keep->best_model_score() * 10);
    ASSERT_TRUE(done.trainer.load_checkpoint(done.module, done.keep->best_model_path()).ok());
    EXPECT_EQ(done.module.weight, 4);
    EXPECT_EQ(done.trainer.global_step(), 6);
    EXPECT_EQ(done.trainer.current_epoch(), 3);
    EXPECT_EQ(items(done.trainer.callback_metrics()), before);
    EXPECT_EQ(static_cast<int>(*done.keep->best_model_score() * 10), kept_score);

    // A trainer that has run nothing yet, and a module of another program's life.
    Counted fresh;
    ASSERT_TRUE(Trainer(quiet()).load_checkpoint(fresh, done.keep->best_model_path()).ok());
    EXPECT_EQ(fresh.weight, 4);
}

TEST(Weights, FindingT25_WhatCannotBeLoadedIsNamed) {
    Counted module;
    Trainer trainer(quiet());
    const auto absent = trainer.load_checkpoint(module, "memory://weights/absent.ckpt");
    ASSERT_FALSE(absent.ok());
    EXPECT_THAT(absent.error().message, HasSubstr("absent.ckpt"));

    const auto no_best = trainer.test(module, {batches(1)}, "best");
    ASSERT_FALSE(no_best.ok());
    EXPECT_THAT(no_best.error().message, HasSubstr("'best'"));
    EXPECT_THAT(no_best.error().message, HasSubstr("ModelCheckpoint"));
    EXPECT_EQ(module.tested, -1) << "a test of other weights would be taken for the one asked for";
    EXPECT_EQ(trainer.exit_code(), 1);

    class Larger final : public Counted {
        std::vector<std::byte> state_dict() override { return std::vector<std::byte>(3); }
    } larger;

    Trainer other(quiet());
    ASSERT_TRUE(other.fit(larger, {.train = batches(1)}).ok());
    ASSERT_TRUE(other.save_checkpoint("memory://weights/larger.ckpt").ok());
    const auto refused = trainer.load_checkpoint(module, "memory://weights/larger.ckpt");
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, HasSubstr("larger.ckpt"));
    EXPECT_THAT(refused.error().message, HasSubstr("not one weight"));
}

}  // namespace

}  // namespace taffrail::trainer_test
