#include "codec/formats/wandb/decode.h"
#include "codec/formats/wandb/encode.h"

#include <gtest/gtest.h>

using namespace taffrail;
using namespace taffrail::formats::wandb;

namespace {

std::string hex_of(ByteSpan bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
        text += kDigits[static_cast<unsigned>(byte) >> 4];
        text += kDigits[static_cast<unsigned>(byte) & 15];
    }
    return text;
}

}  // namespace

// As protoc encodes Record{num: 3, history: {item {nested_key: "loss" value_json: "0.5"} step {num:
// 2}}}.
TEST(WandbRecords, HistoryHasItsGoldenBytes) {
    HistoryRow row;
    row.add(item_prefix("loss"), "0.5");
    EXPECT_EQ(hex_of(row.encode(3, 2)), "080312120a0c12046c6f7373820103302e3512020802");
    EXPECT_EQ(hex_of(row.encode(3, 0)), "080312100a0c12046c6f7373820103302e351200");
}

TEST(WandbRecords, ExitAndOutputHaveTheirGoldenBytes) {
    EXPECT_EQ(hex_of(encode_exit(9, 1, 7)),
              "0809920104"
              "08011007");
    EXPECT_EQ(hex_of(encode_output(1, 1'500'000'000, false, "a\n")),
              "08016a100801"
              "120808011080cab5ee01"
              "1a02610a");
}

TEST(WandbRecords, HistoryItemsOfAnyLengthReadBack) {
    for (const std::size_t length : {0, 1, 100, 127, 128, 20000}) {
        HistoryRow row;
        row.add(item_prefix("a"), "1");
        row.add(item_prefix(std::string(length, 'k')), std::string(length, '9'));
        const Bytes bytes = row.encode(1, 0);
        const auto record = parse_record(bytes);
        ASSERT_TRUE(record);
        EXPECT_EQ(record->type, RecordType::History);
        ItemView item;
        std::vector<std::size_t> lengths;
        for_each_item(record->body, 1, item,
                      [&](const ItemView& one) { lengths.push_back(one.json.size()); });
        EXPECT_EQ(lengths, (std::vector<std::size_t>{1, length}));
    }
}

TEST(WandbRecords, TypedValuesReadAsText) {
    const auto json_of = [](auto&& put) {
        Bytes bytes;
        ProtoWriter writer(bytes);
        writer.text(1, "k");
        put(writer);
        ItemView item;
        return parse_item(bytes, item) ? std::string(item.json) : std::string("none");
    };
    EXPECT_EQ(json_of([](ProtoWriter& to) { to.varint(5, 3); }), "-2");
    EXPECT_EQ(json_of([](ProtoWriter& to) { to.fixed64(6, 0.5); }), "0.5");
    EXPECT_EQ(json_of([](ProtoWriter& to) { to.boolean(4, true); }), "true");
    EXPECT_EQ(json_of([](ProtoWriter& to) { to.text(7, "a\"b"); }), "\"a\\\"b\"");
    EXPECT_EQ(json_of([](ProtoWriter& to) { to.varint(3, 0); }), "null");
}

TEST(WandbRecords, LaterFieldsAreSkipped) {
    Bytes bytes = encode_exit(1, 3, 0);
    ProtoWriter writer(bytes);
    writer.text(28, "unknown");
    writer.text(300, "unknown");
    const auto record = parse_record(bytes);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->type, RecordType::Exit);
    EXPECT_FALSE(parse_record(ByteSpan(bytes).first(bytes.size() - 3)));
}

TEST(WandbRecords, ArtifactsAndMetricsReadBack) {
    ArtifactDescription artifact;
    artifact.name = "n", artifact.type = "t", artifact.aliases = {"latest"};
    artifact.files = {{"b", "Zg==", "/x/b", 5}, {"a", "Zg==", "/x/a", 6}};
    const Bytes bytes = encode_artifact(1, artifact);
    const ArtifactView view = parse_artifact(parse_record(bytes)->body, 10);
    EXPECT_EQ(view.name, "n");
    ASSERT_EQ(view.files.size(), 2u);
    EXPECT_EQ(view.files[1].local_path, "/x/a");
    EXPECT_EQ(view.files[0].size, 5u);
    EXPECT_EQ(parse_artifact(parse_record(bytes)->body, 1).files.size(), 1u);
    EXPECT_EQ(manifest_text(artifact.files), "wandb-artifact-manifest-v1\na:Zg==\nb:Zg==\n");
    const Bytes metric =
        encode_metric(2, {.glob = "val/*", .step = "epoch", .minimum = true, .goal = 1});
    const MetricView read = parse_metric(parse_record(metric)->body);
    EXPECT_EQ(read.glob, "val/*");
    EXPECT_EQ(read.step, "epoch");
    EXPECT_TRUE(read.minimum);
    EXPECT_EQ(read.goal, 1u);
}

TEST(WandbRecords, TimesStayInTheirRange) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    writer.varint(1, UINT64_MAX / 2);
    EXPECT_EQ(parse_time(bytes), 0);
    const Bytes output = encode_output(1, -1'500'000'000, true, "");
    const auto record = parse_record(output);
    ProtoReader reader(record->body);
    WireField field;
    while (reader.next(field)) {
        if (field.number == 2) {
            EXPECT_EQ(parse_time(field.bytes), -1'500'000'000);
        }
    }
}
