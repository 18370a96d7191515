// Walks that are stopped somewhere by something, and what an unbroken one has and they have not.
#pragma once

#include "trainer/fixtures.h"
#include "trainer/walk.h"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>

namespace taffrail::trainer_test {

enum class How { Exception, Signal, Asked };

struct Walk {
    std::shared_ptr<ValueLogger> logger = std::make_shared<ValueLogger>();
    bool ok = false;
    std::string error;
    std::int64_t steps = 0, epochs = 0;
    int exit_code = 0;
    std::string last;
    int checks = 0;
};

struct WalkOptions {
    std::string folder;
    std::int64_t accumulate = 1;
    std::shared_ptr<Communicator> ranks = {};
    bool stream = false;       ///< loaders do not know their length
    bool iterator = false;     ///< the step draws its own batches
    bool over_epochs = false;  ///< validations are counted over epochs
    std::int64_t max_steps = -1;
};

inline TrainerOptions walk_options(const WalkOptions& wanted) {
    TrainerOptions options = quiet();
    options.max_epochs = 3;
    options.val_check_interval = wanted.accumulate == 1 ? 3 : 4;  // of 7: also inside of epochs
    options.accumulate_grad_batches = wanted.accumulate;
    options.handle_signals = true;
    options.communicator = wanted.ranks;
    options.max_steps = wanted.max_steps;
    if (wanted.over_epochs) {
        options.check_val_every_n_epoch = {};
        options.val_check_interval = 5;
    }
    return options;
}

inline Walk walk(const WalkOptions& wanted, const std::function<void(WalkModule&)>& prepare,
                 std::shared_ptr<ValueLogger> logger = nullptr, const std::string& from = "") {
    Walk done;
    if (logger) {
        done.logger = std::move(logger);
    }
    TrainerOptions options = walk_options(wanted);
    options.loggers = {done.logger};
    auto keep = std::make_shared<ModelCheckpoint>(
        ModelCheckpointOptions{.dirpath = wanted.folder, .monitor = "val_loss", .save_last = true});
    options.callbacks = {std::make_shared<WalkCallback>(), keep};
    WalkModule module(wanted.ranks, wanted.iterator);
    if (prepare) {
        prepare(module);
    }
    auto train = std::make_shared<ShuffledLoader>(7, wanted.stream);
    auto val = std::make_shared<ShuffledLoader>(3, wanted.stream);
    train->before_next = [&] { module.reached_outside(WalkPlace::Draw); };
    val->before_next = [&] { module.reached_outside(WalkPlace::ValidationDraw); };
    Trainer trainer(options);
    const auto fitted = trainer.fit(module, {.train = train, .val = {val}}, from);
    done.ok = fitted.ok();
    done.error = fitted.ok() ? "" : fitted.error().message;
    done.steps = module.steps;
    done.epochs = trainer.current_epoch();
    done.exit_code = trainer.exit_code();
    done.last = keep->last_model_path();
    done.checks = module.patience->wait_count();
    EXPECT_EQ(module.steps, trainer.global_step());
    return done;
}

/// Stops at the `when`th time that `place` is reached.
inline std::function<void(WalkModule&)> stopped_at(How how, WalkPlace place, std::int64_t when) {
    return [=](WalkModule& module) {
        module.at = [=, &module](WalkPlace here, std::int64_t times) {
            if (here != place || times != when) {
                return;
            }
            if (how == How::Exception) {
                throw std::runtime_error("out of luck");
            }
            if (how == How::Signal) {
                std::raise(SIGTERM);
            } else {
                module.trainer()->stop();
            }
        };
    };
}

using WalkValues = std::map<std::pair<std::string, Step>, double>;

// What the unbroken one has and the other has not, or has differently.
inline std::string missing(const WalkValues& whole, const WalkValues& other) {
    std::string text;
    for (const auto& [key, value] : whole) {
        const auto found = other.find(key);
        if (found == other.end() || found->second != value) {
            text +=
                key.first + " at " + std::to_string(key.second) + ": " + std::to_string(value) +
                (found == other.end() ? " is missing" : " is " + std::to_string(found->second)) +
                "\n";
        }
    }
    return text;
}

}  // namespace taffrail::trainer_test
