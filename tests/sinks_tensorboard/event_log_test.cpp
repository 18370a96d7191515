#include "sinks/tensorboard/event_log.h"

#include "base/diagnostics.h"
#include "codec/formats/tensorboard/framing.h"
#include "io/files.h"
#include "io/memory.h"
#include "sources/tensorboard/catalogue.h"
#include "sources_tensorboard/logdir.h"

#include <gtest/gtest.h>

#include <set>

namespace taffrail::sinks::tensorboard {

using namespace sources::tensorboard;

namespace {

using testing::fresh_folder;

std::vector<EventView> events_of(const std::string& path, Bytes& bytes) {
    bytes = io::read_file(path).value();
    std::vector<EventView> events;
    for (std::size_t at = 0; at < bytes.size();) {
        const Scan scan = scan_record(ByteSpan(bytes).subspan(at));
        EXPECT_EQ(scan.status, ScanStatus::Record);
        EventView event;
        EXPECT_TRUE(parse_event(scan.payload, event));
        events.push_back(event);
        at += scan.payload.size() + kFrameBytes;
    }
    return events;
}

TEST(EventLog, BeginsWithVersionAndSessionStart) {
    auto log = EventLog::create({.folder = fresh_folder()}, 1700000000).value();
    Bytes bytes;
    const auto events = events_of(log->path(), bytes);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].content, EventContent::FileVersion);
    EXPECT_EQ(as_text(events[0].body), kFileVersion);
    EXPECT_EQ(events[1].content, EventContent::SessionLog);
    EXPECT_NE(log->path().find("events.out.tfevents.1700000000."), std::string::npos);
}

// A second START would hide the first writer's points from TensorBoard.
TEST(EventLog, SecondWriterInAFolderMarksNoStartUnlessItResumes) {
    const std::string folder = fresh_folder();
    auto first = EventLog::create({.folder = folder}, 1).value();
    auto second = EventLog::create({.folder = folder}, 1).value();
    auto resumed =
        EventLog::create({.folder = folder, .filename_suffix = {}, .resume_step = 50}, 2).value();
    EXPECT_NE(first->path(), second->path());
    Bytes bytes;
    EXPECT_EQ(events_of(second->path(), bytes).size(), 1u);
    const auto events = events_of(resumed->path(), bytes);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[1].step, 50);
}

TEST(EventLog, MetadataStandsOnATagsFirstValueOnly) {
    auto log = EventLog::create({.folder = fresh_folder()}, 1).value();
    log->scalar("loss", 0, 1, 0.5);
    log->scalar("loss", 1, 2, 0.25);
    ASSERT_TRUE(log->write_out().ok());
    Bytes bytes;
    const auto events = events_of(log->path(), bytes);
    ASSERT_EQ(events.size(), 4u);
    std::vector<bool> described;
    for (std::size_t i = 2; i < 4; ++i) {
        for_each_value(events[i].body, [&](const ValueView& value, ByteSpan) {
            described.push_back(value.has_metadata);
        });
    }
    EXPECT_EQ(described, (std::vector<bool>{true, false}));
}

TEST(EventLog, TagUsedForAnotherKindIsRenamedAndSaid) {
    reset_diagnostics();
    std::vector<std::string> said;
    const auto old = set_diagnostic_handler(
        [&](DiagnosticLevel, std::string_view message) { said.emplace_back(message); });
    const std::string folder = fresh_folder();
    auto log = EventLog::create({.folder = folder}, 1).value();
    const ByteSpan picture = as_bytes("\x89PNG");
    log->scalar("x", 0, 1, 0.5);
    log->value(encode_pictures("x", 1, 1, {&picture, 1}), 1, 2);
    log->value(encode_pictures("x", 1, 1, {&picture, 1}), 2, 3);
    log->scalar("x", 3, 4, 0.5);
    ASSERT_TRUE(log->write_out().ok());
    set_diagnostic_handler(old);
    EXPECT_EQ(said.size(), 1u);
    const auto run = open_logdir(folder).value()->run(".").value();
    EXPECT_EQ(run->points("x").value().size(), 2u);
    EXPECT_EQ(run->entries("x_image").value().size(), 2u);
}

TEST(EventLog, ThousandFilesInOneSecondDoNotClash) {
    const std::string folder = fresh_folder();
    std::set<std::string> paths;
    for (int i = 0; i < 1000; ++i) {
        paths.insert(
            EventLog::create(
                {.folder = folder, .filename_suffix = {}, .resume_step = {}, .resumed = true}, 5)
                .value()
                ->path());
    }
    EXPECT_EQ(paths.size(), 1000u);
}

}  // namespace
}  // namespace taffrail::sinks::tensorboard
