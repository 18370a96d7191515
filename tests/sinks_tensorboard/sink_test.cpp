#include "sinks/tensorboard/sink.h"

#include "io/files.h"
#include "sources/tensorboard/catalogue.h"
#include "sources_tensorboard/logdir.h"

#include <gtest/gtest.h>

namespace taffrail::sinks::tensorboard {

using namespace sources::tensorboard;

namespace {

using testing::fresh_folder;

std::shared_ptr<RecordedRun> only_run(const std::string& folder) {
    return open_logdir(folder).value()->run(".").value();
}

TEST(SinkOptions, UnknownAndWrongOnesAreNamed) {
    const auto unknown = parse_options({{"max_que", "5"}});
    ASSERT_FALSE(unknown.ok());
    EXPECT_NE(unknown.error().message.find("max_queue"), std::string::npos);
    EXPECT_FALSE(parse_options({{"flush_secs", "soon"}}).ok());
    const auto fine = parse_options(
        {{"log_dir", "x"}, {"max_queue", "100"}, {"flush_secs", "0.5"}, {"purge_step", "7"}});
    ASSERT_TRUE(fine.ok());
    EXPECT_EQ(fine->max_queue, 100u);
    EXPECT_EQ(fine->purge_step, 7);
}

TEST(TensorboardSink, HonoursQueueAndFlushTime) {
    SinkOptions options;
    options.max_queue = 3;
    options.flush_secs = 1.5;
    const TensorboardSink sink(options);
    EXPECT_EQ(sink.flush_records(), 3u);
    EXPECT_EQ(sink.flush_interval(), std::chrono::milliseconds(1500));
}

TEST(TensorboardSink, WritesScalarsTextAndHparams) {
    const std::string folder = fresh_folder();
    SinkOptions options;
    options.log_dir = folder;
    TensorboardSink sink(options);
    ASSERT_TRUE(sink.open({.run_id = "r"}).ok());
    const Value hparams = Hparams{{"lr", 0.5}, {"deep", true}};
    const Value text = Text{.text = "# hello", .plain = false};
    const std::vector<Record> records{
        {.key = "hparams", .kind = Kind::Hparams, .time_ns = 1'000'000'000, .value = &hparams},
        {.key = "loss", .kind = Kind::Scalar, .step = 1, .time_ns = 2'000'000'000, .scalar = 0.5},
        {.key = "note", .kind = Kind::Text, .step = 2, .time_ns = 3'000'000'000, .value = &text}};
    std::size_t delivered = 0;
    ASSERT_TRUE(sink.write(records, delivered).ok());
    EXPECT_EQ(delivered, 3u);
    ASSERT_TRUE(sink.close(RunState::Failed).ok());
    const auto run = only_run(folder);
    const RunInfo info = run->info();
    EXPECT_EQ(info.config, std::get<Hparams>(hparams));
    EXPECT_EQ(info.state, RunState::Failed);
    EXPECT_EQ(run->points("loss").value()[0].time_ns, 2'000'000'000);
    EXPECT_EQ(std::get<Text>(*run->entries("note").value()[0].value).text, "# hello");
}

TEST(TensorboardSink, FindingT01_ABadEndIsATextAtTheLastStepAndAFailedSession) {
    const std::string folder = fresh_folder();
    SinkOptions options;
    options.log_dir = folder;
    TensorboardSink sink(options);
    ASSERT_TRUE(sink.open({.run_id = "r"}).ok());
    const Value hparams = Hparams{{"lr", 0.5}};
    const std::vector<Record> records{
        {.key = "hparams", .kind = Kind::Hparams, .time_ns = 1, .value = &hparams},
        {.key = "loss", .kind = Kind::Scalar, .step = 7, .time_ns = 2, .scalar = 0.5},
        {.key = "loss", .kind = Kind::Scalar, .step = 3, .time_ns = 3, .scalar = 0.5}};
    std::size_t delivered = 0;
    ASSERT_TRUE(sink.write(records, delivered).ok());
    sink.give_reason("fit stopped by an exception: a_b * c_d\nsecond line");
    ASSERT_TRUE(sink.close(RunState::Failed).ok());
    const auto run = only_run(folder);
    EXPECT_EQ(run->info().state, RunState::Failed);
    const auto entries = run->entries(kReasonTag).value();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].step, 7);
    EXPECT_EQ(std::get<Text>(*entries[0].value).text,
              "failed:\n\n    fit stopped by an exception: a_b * c_d\n    second line");
}

TEST(TensorboardSink, FindingT01_AGoodEndHasNoReason) {
    const std::string folder = fresh_folder();
    SinkOptions options;
    options.log_dir = folder;
    TensorboardSink sink(options);
    ASSERT_TRUE(sink.open({.run_id = "r"}).ok());
    sink.give_reason("an earlier try failed");
    ASSERT_TRUE(sink.close(RunState::Finished).ok());
    EXPECT_TRUE(only_run(folder)->keys().empty());
}

// TensorBoard has no goal, no summary and no axis of a tag's own: a chart's description is what it
// has.
TEST(TensorboardSink, FindingR04_WhatAMetricMeansIsInTheDescriptionOfItsChart) {
    const std::string folder = fresh_folder();
    SinkOptions options;
    options.log_dir = folder;
    TensorboardSink sink(options);
    ASSERT_TRUE(
        sink.open({.run_id = "r",
                   .metrics = {{"val/*", {.summary = Summary::Min, .goal = Goal::Minimize}}}})
            .ok());
    EXPECT_TRUE(sink.accepts(Kind::MetricDefinition));
    EXPECT_FALSE(sink.accepts(Kind::Summary)) << "event files have no place for it";
    const Value late = MetricDefinition{"acc", {.step = "epoch", .goal = Goal::Maximize}};
    const std::vector<Record> records{
        {.key = "val/loss", .kind = Kind::Scalar, .step = 1, .scalar = 0.5},
        {.key = "metrics", .kind = Kind::MetricDefinition, .value = &late},
        {.key = "acc", .kind = Kind::Scalar, .step = 1, .scalar = 0.5},
        {.key = "plain", .kind = Kind::Scalar, .step = 1, .scalar = 0.5}};
    std::size_t delivered = 0;
    ASSERT_TRUE(sink.write(records, delivered).ok());
    EXPECT_EQ(delivered, records.size());
    const std::string path = sink.path();
    ASSERT_TRUE(sink.close(RunState::Finished).ok());
    const std::string bytes = io::read_text(path).value();
    for (const std::string_view text : {"Smaller is better. Its smallest value counts.",
                                        "Larger is better. Meant to be drawn over `epoch`."}) {
        EXPECT_NE(bytes.find(text), std::string::npos) << text;
    }
    const auto run = only_run(folder);
    EXPECT_EQ(run->keys().size(), 3u) << "the definition itself is no tag";
}

TEST(TensorboardSink, ResumedRunSupersedesTheOldTail) {
    const std::string folder = fresh_folder();
    const auto attempt = [&](std::uint32_t number, Step from, Step to) {
        SinkOptions options;
        options.log_dir = folder;
        TensorboardSink sink(options);
        ASSERT_TRUE(sink.open({.run_id = "r",
                               .attempt = number,
                               .resume_step = number > 0 ? std::optional(from) : std::nullopt})
                        .ok());
        std::size_t delivered = 0;
        for (Step step = from; step <= to; ++step) {
            const Record record{
                .key = "loss", .kind = Kind::Scalar, .step = step, .time_ns = step, .scalar = 1};
            ASSERT_TRUE(sink.write({&record, 1}, delivered).ok());
        }
        ASSERT_TRUE(sink.close(RunState::Finished).ok());
    };
    attempt(0, 0, 100);
    attempt(1, 50, 150);
    const auto run = only_run(folder);
    EXPECT_EQ(run->info().attempts, 2u);
    EXPECT_EQ(run->bins("loss", {.width = 1000}).value().points, 151u);
}

TEST(ExportToLogdir, GivesBackWhatWasRead) {
    const std::string from = fresh_folder(), to = fresh_folder();
    const ByteSpan picture = as_bytes("\x89PNG pixels");
    Histogram histogram;
    histogram.edges = {0, 1, 2};
    histogram.counts = {1, 2};
    testing::FileMaker maker;
    maker.version();
    for (int i = 0; i < 20; ++i) {
        maker.scalar("loss", i, static_cast<float>(i) / 4);
    }
    maker.value(encode_pictures("p", 2, 3, {&picture, 1}), 5)
        .value(encode_histogram("h", histogram), 6)
        .save(from);
    const auto source = only_run(from);
    const auto exported = export_to_logdir(*source, to);
    ASSERT_TRUE(exported.ok()) << exported.error().message;
    const auto copy = only_run(to);
    const auto points = source->points("loss").value(), copied = copy->points("loss").value();
    ASSERT_EQ(points.size(), copied.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_EQ(points[i].value, copied[i].value);
        EXPECT_EQ(points[i].time_ns, copied[i].time_ns);
    }
    const Image image = std::get<Image>(*copy->entries("p").value()[0].value);
    EXPECT_EQ(as_text(*copy->load(image.images[0].ref).value()), as_text(picture));
    EXPECT_EQ(std::get<Histogram>(*copy->entries("h").value()[0].value).counts, histogram.counts);
}

}  // namespace
}  // namespace taffrail::sinks::tensorboard
