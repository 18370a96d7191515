#include "codec/formats/tensorboard/event.h"

#include "codec/formats/tensorboard/framing.h"
#include "formats_tensorboard/hex.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffrail::formats::tensorboard {
namespace {

const char* const kGoldenVersion =
    "1800000000000000a37f4b220900000040fc54d9411a0d627261696e2e4576656e743a32eced8f9d";
const char* const kGoldenScalar =
    "1a00000000000000129bd82d0900002040fc54d94110012a0d0a0b0a046c6f7373150000003f34c2793e";

TEST(Event, FirstEventIsTheGoldenOne) {
    Bytes payload, file;
    append_file_version_event(payload, 1700000000.0);
    append_record(file, payload);
    EXPECT_EQ(file, from_hex(kGoldenVersion));
}

TEST(Event, ScalarRecordIsTheGoldenOne) {
    Bytes file;
    append_scalar_record(file, 1700000000.5, 1, "loss", 0.5F, {});
    EXPECT_EQ(file, from_hex(kGoldenScalar));
}

TEST(Event, ScalarRecordWithMetadataReadsBack) {
    const Bytes metadata = encode_metadata({.plugin = "scalars",
                                            .content = "c",
                                            .display_name = "Loss",
                                            .description = "how wrong",
                                            .data_class = DataClass::Scalar});
    const std::string tag(300, 't');
    for (std::int64_t step :
         {std::int64_t{0}, std::int64_t{1} << 53, std::int64_t{-5}, INT64_MIN, INT64_MAX}) {
        Bytes file;
        append_scalar_record(file, 12.25, step, tag, -0.0F, metadata);
        const Scan scan = scan_record(file);
        ASSERT_EQ(scan.status, ScanStatus::Record);
        EventView event;
        ASSERT_TRUE(parse_event(scan.payload, event));
        EXPECT_EQ(event.wall_time, 12.25);
        EXPECT_EQ(event.step, step);
        ASSERT_EQ(event.content, EventContent::Summary);
        int values = 0;
        EXPECT_TRUE(for_each_value(event.body, [&](const ValueView& value, ByteSpan) {
            ++values;
            EXPECT_EQ(value.tag, tag);
            EXPECT_EQ(value.content, ValueContent::Simple);
            EXPECT_TRUE(std::signbit(value.simple));
            Metadata read;
            ASSERT_TRUE(parse_metadata(value.metadata, read));
            EXPECT_EQ(read.display_name, "Loss");
            EXPECT_EQ(read.description, "how wrong");
            EXPECT_EQ(read.plugin, "scalars");
            EXPECT_EQ(read.data_class, DataClass::Scalar);
        }));
        EXPECT_EQ(values, 1);
    }
}

TEST(Event, SessionStartReadsBack) {
    Bytes payload;
    append_session_event(payload, 1.0, 50, SessionStatus::Start);
    EventView event;
    ASSERT_TRUE(parse_event(payload, event));
    SessionLog log;
    ASSERT_TRUE(parse_session_log(event.body, log));
    EXPECT_EQ(log.status, SessionStatus::Start);
    EXPECT_EQ(event.step, 50);
}

}  // namespace
}  // namespace taffrail::formats::tensorboard
