#include "sinks/comet/sink.h"

#include "../file_size_limit.h"
#include "../record_builder.h"
#include "../test_files.h"
#include "base/strings.h"
#include "codec/json.h"
#include "codec/zip_reader.h"
#include "io/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

using namespace taffrail;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

SinkContext context_of(const test::TestFolder& folder) {
    SinkContext context;
    context.run_id = "run1";
    context.run_name = "nice";
    context.project = "demo";
    context.tags = {"a"};
    context.config = {{"lr", 0.1}, {"opt/name", std::string("adam")}};
    context.run_folder = folder / "native";
    context.start_time_ns = 1'700'000'000'000'000'000;
    return context;
}

std::unique_ptr<Sink> make(const test::TestFolder& folder) {
    return sinks::comet::make({{"log_dir", folder / "logs"}}).value();
}

void hand_over(Sink& sink, std::span<const Record> records) {
    std::size_t delivered = 0;
    ASSERT_TRUE(sink.write(records, delivered).ok());
    ASSERT_EQ(delivered, records.size());
    ASSERT_TRUE(sink.flush().ok());
}

std::vector<std::string> names(const test::TestFolder& folder) {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "logs")) {
        all.push_back(entry.path().filename().string());
    }
    std::ranges::sort(all);
    return all;
}

struct Archive {
    Json experiment;
    std::vector<Json> messages;
    std::vector<std::string> files;

    [[nodiscard]] std::vector<std::string> values(const std::string& name) const {
        std::vector<std::string> all;
        for (const Json& message : messages) {
            const Json* payload = message.find("payload");
            const Json* metric = payload->find("metric");
            if (metric != nullptr && metric->string_or("metricName", "") == name) {
                all.push_back(std::to_string(metric->integer_or("step", -99)) + ":" +
                              metric->find("metricValue")->dump());
            }
        }
        return all;
    }

    [[nodiscard]] std::string other(const std::string& key) const {
        std::string found = "-";
        for (const Json& message : messages) {
            const Json* payload = message.find("payload");
            if (message.string_or("type", "") == "log_other" &&
                payload->string_or("key", "") == key) {
                found = payload->find("value")->dump();
            }
        }
        return found;
    }
};

Archive read(const std::string& path) {
    const Bytes bytes = io::read_file(path).value();
    const auto reader = ZipReader::open(
        [&](std::uint64_t offset, std::uint64_t size) -> Result<Bytes> {
            const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
            return Bytes(begin, begin + static_cast<std::ptrdiff_t>(size));
        },
        bytes.size());
    Archive archive;
    for (const ZipEntry& entry : reader->entries()) {
        archive.files.push_back(entry.name);
    }
    archive.experiment =
        parse_json(as_text(reader->read(*reader->find("experiment.json"), 1 << 20).value()))
            .value();
    const Bytes lines = reader->read(*reader->find("messages.json"), 1 << 24).value();
    std::int64_t before = 0;
    for (const std::string_view line : split(as_text(lines), '\n')) {
        if (!line.empty()) {
            archive.messages.push_back(parse_json(line).value());
            const std::int64_t number =
                archive.messages.back().find("payload")->integer_or("message_id", 0);
            EXPECT_GT(number, before);
            before = number;
        }
    }
    return archive;
}

}  // namespace

TEST(CometSink, MakesAnArchiveWhenTheRunEnds) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    test::Records records;
    records.row(0, {{"loss", 1}, {"ünï", 2}}).row(1, {{"loss", 0.5}}).row(1, {{"loss", 0.25}});
    records.row(-3, {{"loss", std::nan("")}}).row(INT64_MAX, {{"loss", HUGE_VAL}});
    hand_over(*sink, records.all());
    EXPECT_EQ(names(folder).size(), 1u);  // the folder
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    ASSERT_EQ(names(folder).size(), 1u);
    ASSERT_TRUE(names(folder).front().ends_with(".zip"));
    const Archive archive = read(folder / ("logs/" + names(folder).front()));
    EXPECT_THAT(archive.values("loss"), ElementsAre("0:1", "1:0.5", "1:0.25", "-3:\"NaN\"",
                                                    "9223372036854775807:\"Infinity\""));
    EXPECT_THAT(archive.values("ünï"), ElementsAre("0:2"));
    EXPECT_EQ(archive.experiment.string_or("project_name", ""), "demo");
    EXPECT_EQ(archive.experiment.string_or("resume_strategy", ""), "create");
    EXPECT_FALSE(archive.experiment.truth_or("customer_error_reported", true));
    EXPECT_EQ(archive.other("Name"), "\"nice\"");
}

TEST(CometSink, AFailureIsToldWithItsReason) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    sink->give_reason("it broke");
    ASSERT_TRUE(sink->close(RunState::Failed).ok());
    const Archive archive = read(folder / ("logs/" + names(folder).front()));
    EXPECT_TRUE(archive.experiment.truth_or("customer_error_reported", false));
    EXPECT_EQ(archive.experiment.string_or("customer_error_message", ""), "it broke");
}

// Chunks gather before they are flushed: what does not fit in memory is written in the middle of
// one.
TEST(CometSink, AFullDiskInTheMiddleOfABatchDoublesNothing) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    const std::string key = "loss/" + std::string(60, 'x');
    test::Records records;
    std::vector<std::string> expected;
    for (Step step = 0; step < 25'000; ++step) {
        records.row(step, {{key, static_cast<double>(step)}});
        expected.push_back(std::to_string(step) + ":" + std::to_string(step));
    }
    std::size_t arrived = 0;
    {
        const test::FileSizeLimit full(1 << 20);
        for (int attempt = 0; attempt < 4; ++attempt) {
            std::size_t delivered = 0;
            ASSERT_FALSE(sink->write(records.from(arrived), delivered).ok());
            arrived += delivered;
        }
        EXPECT_FALSE(sink->flush().ok());
    }
    EXPECT_LT(arrived, records.all().size());
    std::size_t delivered = 0;
    ASSERT_TRUE(sink->write(records.from(arrived), delivered).ok());
    ASSERT_TRUE(sink->flush().ok());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const Archive archive = read(folder / ("logs/" + names(folder).front()));
    EXPECT_EQ(archive.values(key), expected);
}

// A kill between a flush and the note of it hands records over again, and may leave half a line.
TEST(CometSink, AKilledRunIsCompletedOnce) {
    const test::TestFolder folder;
    test::Records records;
    records.row(0, {{"loss", 1}}).row(1, {{"loss", 2}}).row(2, {{"loss", 3}});
    {
        auto sink = make(folder);
        ASSERT_TRUE(sink->open(context_of(folder)).ok());
        hand_over(*sink, records.all().subspan(0, 2));
    }
    const std::string messages = folder / ("logs/" + names(folder).front() + "/messages.json");
    std::ofstream(messages, std::ios::app) << R"({"type":"metric_ms)";
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    hand_over(*sink, records.all());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    ASSERT_EQ(names(folder).size(), 1u);
    const Archive archive = read(folder / ("logs/" + names(folder).front()));
    EXPECT_THAT(archive.values("loss"), ElementsAre("0:1", "1:2", "2:3"));
}

TEST(CometSink, WhatComesAfterTheEndGoesIntoAFurtherArchiveOfTheSameExperiment) {
    const test::TestFolder folder;
    test::Records records;
    records.row(0, {{"loss", 1}}).row(1, {{"loss", 2}});
    {
        auto sink = make(folder);
        ASSERT_TRUE(sink->open(context_of(folder)).ok());
        hand_over(*sink, records.all().subspan(0, 1));
        ASSERT_TRUE(sink->close(RunState::Finished).ok());
    }
    SinkContext context = context_of(folder);
    context.attempt = 1;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context).ok());
    hand_over(*sink, records.all());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const auto all = names(folder);
    ASSERT_EQ(all.size(), 2u);
    const Archive first = read(folder / ("logs/" + all[1])),
                  second = read(folder / ("logs/" + all[0]));
    EXPECT_THAT(first.values("loss"), ElementsAre("0:1"));
    EXPECT_THAT(second.values("loss"), ElementsAre("1:2"));
    EXPECT_EQ(second.experiment.string_or("resume_strategy", ""), "get_or_create");
    EXPECT_EQ(first.experiment.string_or("offline_id", "a"),
              second.experiment.string_or("offline_id", "b"));
}

TEST(CometSink, LongNamesAreCutAndTold) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    const std::string a = std::string(200, 'k') + "1", b = std::string(200, 'k') + "2";
    test::Records records;
    records.row(0, {{a, 1}, {b, 2}});
    hand_over(*sink, records.all());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const Archive archive = read(folder / ("logs/" + names(folder).front()));
    std::vector<std::string> told;
    for (const Json& message : archive.messages) {
        const std::string key = message.find("payload")->string_or("key", "");
        if (key.starts_with("taffrail.key.")) {
            EXPECT_LE(key.size() - 13, 100u);
            told.push_back(message.find("payload")->string_or("value", ""));
        }
    }
    EXPECT_THAT(told, ElementsAre(a, b));
}

TEST(CometSink, RefusesKeysThatTheTrackerWouldNotTake) {
    const test::TestFolder folder;
    auto sink = sinks::comet::make({{"log_dir", folder / "logs"}, {"key", "../x"}}).value();
    const auto opened = sink->open(context_of(folder));
    ASSERT_FALSE(opened.ok());
    EXPECT_THAT(opened.error().message, HasSubstr("32 to 50 letters"));
}
