// Sink runners get every routed record once, in order, from any position, while the log grows.
#include "store/log_reader.h"

#include "base/sha256.h"
#include "codec/value_codec.h"
#include "store/sample_batch.h"

#include <gtest/gtest.h>

namespace taffrail::store {
namespace {

TEST(LogReader, FollowsALogThatGrows) {
    const std::string folder = fresh_folder("memory");
    auto log = open_log(folder, sample_identity(), {.roll_bytes = 3000}).value();
    auto reader = open_log_reader(folder, 0xABC).value();
    log->append(sample_definitions()).value();
    Delivered delivered = deliver(*reader);
    EXPECT_TRUE(delivered.rows.empty());
    std::vector<std::pair<std::uint64_t, std::string>> all;
    for (std::uint64_t seq = 0; seq < 300; seq += 25) {
        log->append(SampleRows(0xABC, seq, 25).batch()).value();
        delivered = deliver(*reader, delivered.end);
        EXPECT_FALSE(delivered.wrong_value);
        all.insert(all.end(), delivered.rows.begin(), delivered.rows.end());
        EXPECT_FALSE(reader->at_end(delivered.end));
    }
    EXPECT_EQ(all, expected_rows(300));
    log->close(RunState::Finished).value();
    delivered = deliver(*reader, delivered.end);
    EXPECT_TRUE(delivered.rows.empty());
    EXPECT_TRUE(reader->at_end(delivered.end));
    EXPECT_TRUE(open_log_reader(folder, 0xABC).value()->at_end(delivered.end));
}

TEST(LogReader, GoesOnFromEveryPosition) {
    const std::string folder = fresh_folder("memory");
    auto log = open_log(folder, sample_identity(), {.roll_bytes = 2500}).value();
    log->append(sample_definitions()).value();
    for (std::uint64_t seq = 0; seq < 120; seq += 12) {
        log->append(SampleRows(0xABC, seq, 12).batch()).value();
    }
    const auto expected = expected_rows(120);
    auto walker = open_log_reader(folder, 0xABC).value();
    record::LogPosition at;
    std::size_t passed = 0;
    while (passed < expected.size()) {
        auto fresh = open_log_reader(folder, 0xABC).value();  // as after a restart
        const auto rest = deliver(*fresh, at).rows;
        ASSERT_EQ(rest, (std::vector(expected.begin() + static_cast<std::ptrdiff_t>(passed),
                                     expected.end())));
        const auto chunk = walker->read(at, kAllSinks, 5).value();
        for (std::size_t i = 0; i < chunk.records.size(); ++i) {
            auto middle = chunk.start;
            middle.within += i;
            auto again = open_log_reader(folder, 0xABC).value();
            EXPECT_EQ(again->read(middle, kAllSinks, 1).value().records.at(0).seq,
                      chunk.records[i].seq);
        }
        passed += chunk.records.size();
        at = chunk.next;
    }
}

// A reader remembers where it stopped in a frame; who asks for another place or another mask in
// between gets the same.
TEST(LogReader, RemembersItsPlaceForWhoeverAsks) {
    const std::string folder = fresh_folder("memory");
    auto log = open_log(folder, sample_identity()).value();
    log->append(sample_definitions()).value();
    log->append(SampleRows(0xABC, 0, 60).batch()).value();
    log->append(SampleRows(0xABC, 60, 40, 2).batch()).value();
    log->append(SampleRows(0xABC, 100, 50).batch()).value();

    struct Asker {
        RouteMask mask;
        std::size_t chunk;
        record::LogPosition at = {};
        std::vector<std::pair<std::uint64_t, std::string>> rows = {};
    };

    for (const bool in_turns : {true, false}) {
        std::vector<Asker> askers = {{1, 3}, {2, 3}, {2, 1}, {kAllSinks, 7}, {1, 50}};
        auto reader = open_log_reader(folder, 0xABC).value();
        for (std::size_t turn = 0; turn < 2000; ++turn) {
            Asker& asker = askers[in_turns ? turn % askers.size() : turn / 400];
            const auto chunk = reader->read(asker.at, asker.mask, asker.chunk).value();
            for (const Record& record : chunk.records) {
                asker.rows.emplace_back(record.seq, record.key);
            }
            asker.at = chunk.next;
        }
        for (const Asker& asker : askers) {
            auto fresh = open_log_reader(folder, 0xABC).value();
            EXPECT_EQ(asker.rows, deliver(*fresh, {}, 1 << 20, asker.mask).rows);
        }
    }
}

TEST(LogReader, DeliversOnlyWhatIsRoutedHiddenRowsIncluded) {
    const std::string folder = fresh_folder("memory");
    auto log = open_log(folder, sample_identity()).value();
    log->append(sample_definitions()).value();
    log->append(SampleRows(0xABC, 0, 4, 1).batch()).value();
    log->append(SampleRows(0xABC, 4, 4, 2 | tlog::kHidden).batch()).value();
    log->append(SampleRows(0xABC, 8, 4, kStoreOnly).batch()).value();
    auto reader = open_log_reader(folder, 0xABC).value();
    EXPECT_EQ(deliver(*reader, {}, 7, 1).rows.size(), 7u);
    const auto second = deliver(*reader, {}, 7, 2).rows;
    ASSERT_EQ(second.size(), 7u);
    EXPECT_EQ(second.front().first, 4u);
    EXPECT_TRUE(deliver(*reader, {}, 7, 4).rows.empty());
}

TEST(LogReader, LoadsBlobsInlineAndFromPacks) {
    const std::string folder = fresh_folder("memory");
    auto log = open_log(folder, sample_identity()).value();
    tlog::Batch batch = sample_definitions();
    const Bytes small(100, std::byte{1}), large(20000, std::byte{2});
    Tensor tensor;
    tensor.dtype = DType::U8;
    std::vector<Bytes> metadata;
    for (const Bytes* bytes : {&small, &large}) {
        tensor.data.ref = {sha256(*bytes), bytes->size()};
        tensor.shape = {static_cast<std::int64_t>(bytes->size())};
        metadata.push_back(encode_value(tensor));
        tlog::ValueRecord& value = batch.values.emplace_back();
        value.seq = batch.values.size();
        value.key = 4;
        value.kind = Kind::Tensor;
        value.blobs = {log->put_blob(*bytes, tensor.data.ref).value()};
    }
    batch.values[0].metadata = metadata[0];
    batch.values[1].metadata = metadata[1];
    EXPECT_EQ(batch.values[0].blobs[0].where, tlog::BlobPlace::Where::Inline);
    EXPECT_EQ(batch.values[1].blobs[0].where, tlog::BlobPlace::Where::Pack);
    log->append(batch).value();
    auto reader = open_log_reader(folder, 0xABC).value();
    const auto chunk = reader->read({}, kAllSinks, 10).value();
    ASSERT_EQ(chunk.records.size(), 2u);
    EXPECT_EQ(*std::get<Tensor>(*chunk.records[0].value).data.bytes, small);
    EXPECT_EQ(*std::get<Tensor>(*chunk.records[1].value).data.bytes, large);
    EXPECT_EQ(chunk.records[1].key, "note");
}

TEST(LogReader, AnAbsentLogIsSimplyEmpty) {
    auto reader = open_log_reader(fresh_folder("memory"), 1).value();
    const auto chunk = reader->read({}, kAllSinks, 10).value();
    EXPECT_TRUE(chunk.records.empty());
    EXPECT_EQ(chunk.next, record::LogPosition{});
    EXPECT_FALSE(reader->at_end({}));
}

}  // namespace
}  // namespace taffrail::store
