// Batches, checkpoints and marks come back as they went in; a second decoder written from the
// format page agrees.
#include "codec/tlog/decode.h"
#include "codec/tlog/encode.h"
#include "tlog/reference_decoder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace taffrail::tlog {
namespace {

TEST(Batch, EverySectionComesBack) {
    const std::string metadata = "meta\0data";
    const std::string small_blob(100, 'b');
    const Bytes payload_bytes = {std::byte{1}, std::byte{2}};
    Batch batch;
    batch.keys = {{1, Kind::Scalar, "a/b"},
                  {2, Kind::Image, ""},
                  {300, Kind::Text, "emoji \xF0\x9F\x98\x80\n"}};
    batch.schemas = {{7, {1, 300}}, {8, {}}};
    ValueRecord value;
    value.seq = 12;
    value.key = 2;
    value.kind = Kind::Image;
    value.step = INT64_MIN;
    value.time_ns = -5;
    value.epoch = 0.5;
    value.samples = INT64_MAX;
    value.phase = Phase::Validate;
    value.route = kHidden | 3;
    value.metadata = as_bytes(metadata);
    BlobPlace in_frame;
    in_frame.ref.size = small_blob.size();
    in_frame.ref.sha256.fill(9);
    in_frame.bytes = as_bytes(small_blob);
    BlobPlace in_pack;
    in_pack.ref.size = 1u << 20;
    in_pack.where = BlobPlace::Where::Pack;
    in_pack.pack = 3;
    in_pack.offset = 1ull << 40;
    value.blobs = {in_frame, in_pack};
    ValueRecord plain;
    plain.seq = 13;
    plain.epoch = std::numeric_limits<double>::quiet_NaN();
    batch.values = {value, plain};
    batch.meta = {{MetaType::Notes, 14, 99, as_bytes(metadata)},
                  {static_cast<MetaType>(200), 15, 1, payload_bytes}};
    batch.console = {{2, 1234, "line\nhalf"}, {1, 1235, ""}};
    batch.ring_positions = {{4, UINT64_MAX}};
    batch.gaps = {{1, 1000, -1, 1}};
    batch.spool_pending = {{16, 2, 4096, 77}};
    batch.spool_done = {12, 13};
    Bytes payload;
    encode_batch(payload, batch);

    DecodedBatch decoded;
    ASSERT_TRUE(decoded.decode(payload));
    const Batch& back = decoded.batch();
    ASSERT_EQ(back.keys.size(), 3u);
    EXPECT_EQ(back.keys[2].name, batch.keys[2].name);
    EXPECT_EQ(back.keys[1].kind, Kind::Image);
    EXPECT_EQ(back.schemas[0].keys, batch.schemas[0].keys);
    EXPECT_TRUE(back.schemas[1].keys.empty());
    ASSERT_EQ(back.values.size(), 2u);
    EXPECT_EQ(back.values[0].step, INT64_MIN);
    EXPECT_EQ(back.values[0].samples, INT64_MAX);
    EXPECT_EQ(back.values[0].epoch, 0.5);
    EXPECT_EQ(back.values[0].route, kHidden | 3u);
    EXPECT_EQ(as_text(back.values[0].metadata), metadata);
    EXPECT_EQ(as_text(back.values[0].blobs[0].bytes), small_blob);
    EXPECT_EQ(back.values[0].blobs[0].ref.sha256[31], 9);
    EXPECT_EQ(back.values[0].blobs[1].pack, 3u);
    EXPECT_EQ(back.values[0].blobs[1].offset, 1ull << 40);
    EXPECT_TRUE(std::isnan(back.values[1].epoch));
    EXPECT_EQ(back.values[1].samples, INT64_MIN);
    EXPECT_EQ(static_cast<int>(back.meta[1].type), 200);
    EXPECT_EQ(back.meta[0].time_ns, 99);
    EXPECT_EQ(back.console[0].text, "line\nhalf");
    EXPECT_EQ(back.console[0].stream, 2);
    EXPECT_EQ(back.ring_positions[0].position, UINT64_MAX);
    EXPECT_EQ(back.gaps[0].lost, 1000u);
    EXPECT_EQ(back.spool_pending[0].length, 77u);
    EXPECT_EQ(back.spool_done, batch.spool_done);
}

TEST(Batch, AgreesWithTheReferenceDecoder) {
    const BuiltLog log = build_log(20, 37);
    const std::vector<ReferenceRow> rows = reference_decode(log.bytes);
    Points points;
    for (const ReferenceRow& row : rows) {
        points.emplace_back(row.seq, row.key, row.value_bits);
        EXPECT_EQ(row.step, static_cast<std::int64_t>(row.seq) * 10);
        EXPECT_EQ(row.time_ns,
                  1'700'000'000'000'000'000 + static_cast<std::int64_t>(row.seq * 1'000'003));
        EXPECT_EQ(row.samples, row.seq % 3 == 0 ? INT64_MIN : static_cast<std::int64_t>(row.seq));
        EXPECT_EQ(row.epoch_bits, std::bit_cast<std::uint64_t>(static_cast<double>(row.seq) / 100));
        EXPECT_EQ(row.phase, row.seq % 2);
        EXPECT_EQ(row.route, 0xFFFFu);
    }
    std::ranges::sort(points);
    EXPECT_EQ(points, expected_points(log.rows));
    EXPECT_EQ(read_back(log.bytes).points, points);
}

TEST(Batch, UnknownSectionsAreKeptAside) {
    Bytes payload;
    encode_batch(payload, OracleBatch(1, 0, 8).batch());
    append_section(payload, static_cast<Section>(99), as_bytes("from the future"));
    DecodedBatch decoded;
    ASSERT_TRUE(decoded.decode(payload));
    EXPECT_EQ(decoded.batch().wide.size(), 1u);
    ASSERT_EQ(decoded.unknown_sections().size(), 1u);
    EXPECT_EQ(as_text(decoded.unknown_sections()[0].second), "from the future");
}

TEST(Batch, FrameThatWouldDecodeToTooMuchIsRefused) {
    Bytes payload;
    encode_batch(payload, OracleBatch(1, 0, 100).batch());
    DecodedBatch decoded;
    EXPECT_FALSE(decoded.decode(payload, 900));
    EXPECT_TRUE(decoded.batch().wide.empty());
    EXPECT_TRUE(decoded.decode(payload, 1100));
}

TEST(Checkpoint, EverythingComesBack) {
    Checkpoint checkpoint;
    checkpoint.identity.run_id = "run";
    checkpoint.identity.writer = UINT64_MAX;
    checkpoint.identity.rank = -1;
    checkpoint.identity.resume_step = INT64_MIN;
    checkpoint.identity.boot_id = "boot";
    checkpoint.keys = {{1, Kind::Scalar, "k"}};
    checkpoint.schemas = {{1, {1}}};
    checkpoint.meta = {{MetaType::Name, 3, 4, as_bytes("vae-1")}};
    ValueRecord hparams;
    hparams.kind = Kind::Hparams;
    hparams.metadata = as_bytes("lr");
    checkpoint.hparams = {hparams};
    checkpoint.ring_positions = {{1, 2}};
    checkpoint.series = {{1, {10, 1, 0, 0, -1.5, 2.5, 3.0, 2.0, -7, 9, 100, 200}}};
    checkpoint.heartbeat_ns = 1234567;
    Bytes payload;
    encode_checkpoint(payload, checkpoint);
    const auto back = decode_checkpoint(payload);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->identity.writer, UINT64_MAX);
    EXPECT_EQ(back->identity.rank, -1);
    EXPECT_EQ(back->identity.resume_step, INT64_MIN);
    EXPECT_EQ(back->identity.boot_id, "boot");
    EXPECT_EQ(back->keys[0].name, "k");
    EXPECT_EQ(as_text(back->meta[0].payload), "vae-1");
    EXPECT_EQ(as_text(back->hparams[0].metadata), "lr");
    EXPECT_EQ(back->series[0].summary.count, 10u);
    EXPECT_EQ(back->series[0].summary.min, -1.5);
    EXPECT_EQ(back->series[0].summary.last_time_ns, 200);
    EXPECT_EQ(back->heartbeat_ns, 1234567);
}

TEST(Marks, IdentityAndEndComeBack) {
    Bytes payload;
    FileIdentity identity;
    identity.run_id = "r";
    identity.host = "host";
    identity.world_size = 8;
    encode_identity(payload, identity);
    ASSERT_TRUE(decode_identity(payload));
    EXPECT_EQ(decode_identity(payload)->world_size, 8);
    EXPECT_EQ(decode_identity(payload)->forked_from, 0u);
    const std::size_t alone = payload.size();
    payload.clear();
    identity.forked_from = 0x1234567890abcdef;
    encode_identity(payload, identity);
    EXPECT_EQ(payload.size(), alone + 8) << "processes that opened their run say nothing about it";
    EXPECT_EQ(decode_identity(payload)->forked_from, 0x1234567890abcdefu);
    payload.clear();
    encode_end(payload, {EndReason::Rolled, RunState::Failed, -3});
    ASSERT_TRUE(decode_end(payload));
    EXPECT_EQ(decode_end(payload)->state, RunState::Failed);
    EXPECT_EQ(decode_end(payload)->time_ns, -3);
}

// Nothing a bit flip inside a decompressed payload does may crash the decoder: CRCs are no defence
// against intent.
RC_GTEST_PROP(Batch, AlteredPayloadsNeverCrash,
              (std::uint16_t at, std::uint8_t value, std::uint8_t rows)) {
    Bytes payload;
    encode_batch(payload, OracleBatch(1, 0, rows).batch());
    payload[at % payload.size()] = static_cast<std::byte>(value);
    DecodedBatch decoded;
    (void)decoded.decode(payload, 1 << 16);
    (void)decode_checkpoint(payload);
    (void)decode_identity(payload);
}

}  // namespace
}  // namespace taffrail::tlog
