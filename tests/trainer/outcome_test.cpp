// How a run ends when its training does not end well: without a word of the program, down to every
// sink.
#include <taffrail/logger.h>
#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "io/files.h"
#include "io/temporary_folder.h"
#include "trainer/fixtures.h"

#include <gmock/gmock.h>

#include <csignal>
#include <stdexcept>

namespace taffrail::trainer_test {

namespace {

using testing::HasSubstr;

struct SinkEnd {
    std::optional<RunState> state;
    std::string reason;
};

class EndSink final : public Sink {
  public:
    explicit EndSink(std::shared_ptr<SinkEnd> end) : end_(std::move(end)) {}

    Result<void> open(const SinkContext&) override { return {}; }

    Result<void> write(std::span<const Record> records, std::size_t& delivered) override {
        delivered = records.size();
        return {};
    }

    Result<void> flush() override { return {}; }

    void give_reason(std::string_view reason) override { end_->reason = reason; }

    Result<void> close(RunState state) override {
        end_->state = state;
        return {};
    }

    [[nodiscard]] bool accepts(Kind) const noexcept override { return true; }

  private:
    std::shared_ptr<SinkEnd> end_;
};

class OutcomeTest : public testing::Test {
  protected:
    taffrail::Run open() {
        taffrail::Run run =
            taffrail::Run::open(
                {.root = folder_.file("runs"), .environment = false, .machine_load = {}})
                .value();
        id_ = run.id();
        EXPECT_TRUE(run.add_sink(std::make_unique<EndSink>(end), "end").ok());
        return run;
    }

    std::string file(const std::string& name) { return folder_.file(name); }

    RunInfo recorded() { return read(folder_.file("runs")).value()->run(id_).value()->info(); }

    static void boom(HookModule&, std::int64_t index) {
        if (index == 1) {
            throw std::runtime_error("the loss is not a number");
        }
    }

    std::shared_ptr<SinkEnd> end = std::make_shared<SinkEnd>();

  private:
    test::TemporaryFolder folder_;
    std::string id_;
};

TEST_F(OutcomeTest, FindingT01_AnExceptionFailsTheRunAndItsSinksWithItsText) {
    for (const bool by_destructor : {false, true}) {
        *end = {};
        {
            taffrail::Run run = open();
            HookModule module;
            module.train = boom;
            TrainerOptions options = quiet();
            options.run = &run;
            EXPECT_FALSE(Trainer(options).fit(module, {.train = batches(3)}).ok());
            if (!by_destructor) {
                EXPECT_TRUE(run.finish().ok());
            }
        }
        EXPECT_EQ(recorded().state, RunState::Failed);
        EXPECT_THAT(recorded().message, HasSubstr("the loss is not a number"));
        EXPECT_EQ(end->state, RunState::Failed);
        EXPECT_THAT(end->reason, HasSubstr("the loss is not a number"));
    }
}

TEST_F(OutcomeTest, FindingT01_TheReadySinksShowTheReason) {
    {
        taffrail::Run run = open();
        ASSERT_TRUE(run.add_sink("csv", {{"log_dir", file("csv")}}).ok());
        ASSERT_TRUE(run.add_sink("tensorboard", {{"log_dir", file("tensorboard")}}).ok());
        HookModule module;
        module.train = boom;
        TrainerOptions options = quiet();
        options.run = &run;
        EXPECT_FALSE(Trainer(options).fit(module, {.train = batches(3)}).ok());
    }
    EXPECT_THAT(io::read_text(file("csv/outcome.yaml")).value(),
                HasSubstr("the loss is not a number"));
    const auto logdir = read(file("tensorboard")).value()->run(".").value();
    const auto entries = logdir->entries("run/reason").value();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_THAT(std::get<Text>(*entries[0].value).text, HasSubstr("the loss is not a number"));
}

TEST_F(OutcomeTest, FindingT01_ALoggerThatEndsAsFailedFailsItsRun) {
    {
        taffrail::Run run = open();
        auto logger = Logger::make(run, {.print_epochs = false}).value();
        logger->end_log(RunState::Failed);
    }
    EXPECT_EQ(recorded().state, RunState::Failed);
    EXPECT_EQ(end->state, RunState::Failed);
}

TEST_F(OutcomeTest, FindingT01_TheRunOfALoggerFailsWhereTheTrainerHasNone) {
    {
        taffrail::Run run = open();
        std::shared_ptr<Logger> logger = Logger::make(run, {.print_epochs = false}).value();
        HookModule module;
        module.train = boom;
        TrainerOptions options = quiet();
        options.loggers = {logger};
        EXPECT_FALSE(Trainer(options).fit(module, {.train = batches(3)}).ok());
    }
    EXPECT_EQ(recorded().state, RunState::Failed);
    EXPECT_THAT(recorded().message, HasSubstr("the loss is not a number"));
}

TEST_F(OutcomeTest, FindingT01_AStageThatIsTriedAgainTakesItsFailureBack) {
    {
        taffrail::Run run = open();
        std::shared_ptr<Logger> logger = Logger::make(run, {.print_epochs = false}).value();
        TrainerOptions options = quiet();
        options.run = &run;
        options.loggers = {logger};
        HookModule module;
        module.train = boom;
        EXPECT_FALSE(Trainer(options).fit(module, {.train = batches(3)}).ok());
        module.train = {};
        EXPECT_TRUE(Trainer(options).fit(module, {.train = batches(3)}).ok());
    }
    EXPECT_EQ(recorded().state, RunState::Finished);
    EXPECT_EQ(recorded().message, "");
    EXPECT_EQ(end->state, RunState::Finished);
}

TEST_F(OutcomeTest, FindingT02_SignalsAbortTheRunAndGiveTheExitCodeOfShells) {
    for (const int signal : {SIGINT, SIGTERM}) {
        {
            taffrail::Run run = open();
            HookModule module;
            module.train = [signal](HookModule&, std::int64_t index) {
                if (index == 1) {
                    std::raise(signal);
                }
            };
            TrainerOptions options = quiet();
            options.handle_signals = true;
            options.run = &run;
            Trainer trainer(options);
            EXPECT_TRUE(trainer.fit(module, {.train = batches(5)}).ok());
            EXPECT_EQ(trainer.exit_code(), 128 + signal);
            EXPECT_TRUE(run.finish().ok());
        }
        EXPECT_EQ(recorded().state, RunState::Aborted);
        EXPECT_THAT(recorded().message, HasSubstr(signal == SIGINT ? "Ctrl-C" : "SIGTERM"));
        EXPECT_EQ(end->state, RunState::Aborted);
        EXPECT_THAT(end->reason, HasSubstr("stopped by"));
    }
}

TEST_F(OutcomeTest, FindingT02_ExitCodesOfGoodAndBadEnds) {
    HookModule module;
    Trainer trainer(quiet());
    ASSERT_TRUE(trainer.fit(module, {.train = batches(2)}).ok());
    EXPECT_EQ(trainer.exit_code(), 0);
    module.train = boom;
    Trainer failing(quiet());
    ASSERT_FALSE(failing.fit(module, {.train = batches(2)}).ok());
    EXPECT_EQ(failing.exit_code(), 1);
}

}  // namespace

}  // namespace taffrail::trainer_test
