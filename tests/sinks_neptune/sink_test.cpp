#include "sinks/neptune/sink.h"

#include "../record_builder.h"
#include "../test_files.h"
#include "codec/formats/neptune/decode.h"
#include "sqlite/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

using namespace taffrail;
using namespace taffrail::formats::neptune;
using testing::ElementsAre;

namespace {

SinkContext context_of(const test::TestFolder& folder) {
    SinkContext context;
    context.run_id = "run1";
    context.run_name = "nice";
    context.project = "demo";
    context.tags = {"a"};
    context.config = {{"lr", 0.1}};
    context.run_folder = folder / "native";
    context.start_time_ns = 1'700'000'000'000'000'000;
    return context;
}

std::unique_ptr<Sink> make(const test::TestFolder& folder) {
    return sinks::neptune::make({{"log_dir", folder / "logs"}}).value();
}

void hand_over(Sink& sink, std::span<const Record> records) {
    std::size_t delivered = 0;
    ASSERT_TRUE(sink.write(records, delivered).ok());
    ASSERT_TRUE(sink.flush().ok());
}

std::vector<std::string> logs(const test::TestFolder& folder) {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "logs")) {
        if (entry.path().extension() == ".sqlite3") {
            all.push_back(entry.path().string());
        }
    }
    std::ranges::sort(all);
    return all;
}

struct Log {
    int creates = 0, updates = 0;
    std::map<std::string, std::vector<std::pair<double, double>>> numbers;
    std::map<std::string, std::vector<std::string>> texts;
    std::map<std::string, AttributeValue> assigned;
    std::vector<std::string> tags;
};

Log read(const std::string& path) {
    Log log;
    const auto database = sqlite::Database::open(path, sqlite::Mode::Read);
    auto rows = database->prepare(
        "SELECT operation_type, operation, operation_size_bytes FROM run_operations ORDER BY "
        "sequence_id");
    while (rows->step().value()) {
        const Bytes bytes(rows->blob(1).begin(), rows->blob(1).end());
        EXPECT_EQ(rows->whole(2), static_cast<std::int64_t>(bytes.size()));
        if (rows->whole(0) == 1) {
            ++log.creates;
            EXPECT_EQ(decode_create(bytes)->experiment, "nice");
            continue;
        }
        ++log.updates;
        const auto head = decode_head(bytes);
        EXPECT_TRUE(head);
        decode_entries(
            bytes,
            {[&](std::string_view name, const AttributeValue& value) {
                 log.assigned[std::string(name)] = value;
             },
             [&](std::string_view name, const AttributeValue& value) {
                 if (const auto* number = std::get_if<double>(&value)) {
                     log.numbers[std::string(name)].emplace_back(*head->step, *number);
                 } else if (const auto* text = std::get_if<std::string>(&value)) {
                     log.texts[std::string(name)].push_back(*text);
                 }
             },
             [&](std::string_view, std::string_view tag, bool) { log.tags.emplace_back(tag); }});
    }
    return log;
}

}  // namespace

TEST(NeptuneSink, ARowIsOneOperation) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    test::Records records;
    records.row(0, {{"a", 1}, {"b", 2}}).row(1, {{"a", 3}, {"b", 4}});
    hand_over(*sink, records.all());
    const int updates = read(logs(folder).at(0)).updates;
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const Log log = read(logs(folder).at(0));
    EXPECT_EQ(log.creates, 1);
    EXPECT_EQ(log.updates, updates + 1);  // how it ended
    EXPECT_EQ(updates, 4);                // about, config, two rows
    EXPECT_THAT(log.numbers.at("a"), ElementsAre(std::pair(0.0, 1.0), std::pair(1.0, 3.0)));
    EXPECT_EQ(std::get<double>(log.assigned.at("config/lr")), 0.1);
    EXPECT_EQ(std::get<std::string>(log.assigned.at("taffrail/state")), "finished");
    EXPECT_THAT(log.tags, ElementsAre("a"));
}

TEST(NeptuneSink, StepsRiseAndTrueOnesStandBeside) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    test::Records records;
    records.row(5, {{"a", 1}}).row(5, {{"a", 2}}).row(3, {{"a", 3}}).row(-1, {{"a", 4}});
    records.row(9, {{"a", 5}}).row(INT64_MAX, {{"a", 6}});
    hand_over(*sink, records.all());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const Log log = read(logs(folder).at(0));
    const auto& points = log.numbers.at("a");
    ASSERT_EQ(points.size(), 6u);
    for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_GT(points[i].first, points[i - 1].first);
    }
    EXPECT_EQ(points[4].first, 9);
    const auto& steps = log.numbers.at("taffrail/step/a");
    ASSERT_EQ(steps.size(), 5u);
    EXPECT_EQ(steps[0].second, 5);
    EXPECT_EQ(steps[2].second, -1);
}

TEST(NeptuneSink, NumbersThatAServerRefusesAreKeptAsWords) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    test::Records records;
    records.row(0, {{"a", std::nan("")}}).row(1, {{"a", -HUGE_VAL}}).row(2, {{"a", 1}});
    hand_over(*sink, records.all());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const Log log = read(logs(folder).at(0));
    EXPECT_THAT(log.texts.at("a/not_finite"), ElementsAre("NaN", "-Infinity"));
    EXPECT_EQ(log.numbers.at("a").size(), 1u);
}

TEST(NeptuneSink, AKilledRunIsCompletedOnce) {
    const test::TestFolder folder;
    test::Records records;
    records.row(0, {{"a", 1}}).row(1, {{"a", 2}}).row(1, {{"a", 3}}).row(2, {{"a", 4}});
    {
        auto sink = make(folder);
        ASSERT_TRUE(sink->open(context_of(folder)).ok());
        hand_over(*sink, records.all().subspan(0, 3));
        // Taken and not noted: the kill comes between.
        std::size_t delivered = 0;
        ASSERT_TRUE(sink->write(records.all().subspan(3), delivered).ok());
    }
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    hand_over(*sink, records.all());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    ASSERT_EQ(logs(folder).size(), 1u);
    const Log log = read(logs(folder).at(0));
    EXPECT_EQ(log.creates, 1);
    std::vector<double> values;
    for (const auto& [step, value] : log.numbers.at("a")) {
        values.push_back(value);
    }
    EXPECT_THAT(values, ElementsAre(1, 2, 3, 4));
}

TEST(NeptuneSink, WhatComesAfterTheLogWasSentGoesIntoAFurtherOne) {
    const test::TestFolder folder;
    test::Records records;
    records.row(0, {{"a", 1}}).row(1, {{"a", 2}});
    {
        auto sink = make(folder);
        ASSERT_TRUE(sink->open(context_of(folder)).ok());
        hand_over(*sink, records.all().subspan(0, 1));
        ASSERT_TRUE(sink->close(RunState::Finished).ok());
    }
    std::filesystem::remove_all(folder / "logs");  // what a completed sync does
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    hand_over(*sink, records.all());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const Log log = read(logs(folder).at(0));
    EXPECT_EQ(log.creates, 0);
    EXPECT_THAT(log.numbers.at("a"), ElementsAre(std::pair(1.0, 2.0)));
}
