// Logs in, sealed files out: every point, bit for bit, whatever the mix of rows, lone values,
// writers and attempts.
#include "seal/seal.h"

#include "base/sha256.h"
#include "codec/tlog/decode.h"
#include "codec/value_codec.h"
#include "model/bins.h"
#include "seal/log_frames.h"
#include "seal/log_maker.h"
#include "seal/sealed_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace taffrail::seal {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::Field;
using testing::LogMaker;
using ::testing::StartsWith;

class Seal : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::string("memory://seal/") +
                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
        io::make_directories(folder_ + "/live").value();
    }

    void TearDown() override { io::remove_tree(folder_).value(); }

    std::string save(const LogMaker& log, const std::string& name) {
        const std::string path = folder_ + "/live/" + name;
        log.save(path);
        return path;
    }

    static void expect_points(const SealedRun& run, const std::string& key,
                              const std::vector<Point>& expected) {
        const std::vector<Point> points = run.points(key).value();
        ASSERT_EQ(points.size(), expected.size()) << key;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Point &a = points[i], &b = expected[i];
            ASSERT_EQ(a.step, b.step) << key << " " << i;
            ASSERT_EQ(a.time_ns, b.time_ns);
            ASSERT_EQ(std::memcmp(&a.value, &b.value, 8), 0)
                << key << " " << i << ": " << a.value << " " << b.value;
            ASSERT_TRUE(a.epoch == b.epoch || (std::isnan(a.epoch) && std::isnan(b.epoch)));
            ASSERT_EQ(a.samples, b.samples);
            ASSERT_EQ(a.attempt, b.attempt);
            ASSERT_EQ(a.rank, b.rank);
            ASSERT_EQ(a.phase, b.phase);
            ASSERT_EQ(a.writer, b.writer);
            ASSERT_EQ(a.seq, b.seq);
        }
    }

    std::string folder_;
};

double awkward(std::size_t column, std::int64_t step) {
    switch ((static_cast<std::uint64_t>(step) * 7 + column) % 1009) {
        case 1:
            return std::nan("0x1234");
        case 2:
            return std::numeric_limits<double>::infinity();
        case 3:
            return -std::numeric_limits<double>::infinity();
        case 4:
            return -0.0;
        case 5:
            return 5e-324;
        default:
            return std::sin(static_cast<double>(step) / 100) + static_cast<double>(column);
    }
}

const tlog::FileIdentity kWriter{
    .run_id = "01RUN", .writer = 0xABCDEF0123456789, .start_time_ns = 5};

TEST_F(Seal, KeepsEveryPointOfRowsAndLoneValues) {
    LogMaker log(kWriter);
    for (int i = 0; i < 60; ++i) {
        log.set_epoch(i > 30 ? std::optional<double>(i) : std::nullopt);
        log.set_phase(i % 5 == 4 ? Phase::Validate : Phase::Train);
        log.wide({"train/loss", "train/acc", "epoch"}, 1000, awkward);
        log.lone({"lr", "val/loss", std::string("with\0nul\n", 9), ""}, 7, awkward);
    }
    log.wide({"few/a", "few/b"}, 3, awkward);
    log.lone({"lone/long"}, 50'000, awkward);
    const std::string path = save(log, "a.tlog");
    const SealReport report = seal_run(folder_, std::vector{path}).value();
    const auto run = SealedRun::open(folder_, report.files);
    std::uint64_t total = 0;
    for (const auto& [key, expected] : log.points) {
        expect_points(*run, key, expected);
        total += expected.size();
    }
    EXPECT_EQ(report.points, total);
    EXPECT_EQ(run->keys().size(), log.points.size());
    for (const KeyInfo& key : run->keys()) {
        std::uint64_t nan_count = 0, infinities = 0, negative = 0;
        double min = std::numeric_limits<double>::infinity(), max = -min, sum = 0;
        for (const Point& point : log.points[key.key]) {
            nan_count += std::isnan(point.value);
            infinities += std::isinf(point.value);
            negative += std::isinf(point.value) && point.value < 0;
            if (std::isfinite(point.value)) {
                min = std::fmin(min, point.value);
                max = std::fmax(max, point.value);
                sum += point.value;
            }
        }
        EXPECT_EQ(key.scalar.count, log.points[key.key].size());
        EXPECT_EQ(key.scalar.nan_count, nan_count);
        EXPECT_EQ(key.scalar.infinity_count(), infinities) << key.key;
        EXPECT_EQ(key.scalar.negative_infinity_count, negative) << key.key;
        EXPECT_EQ(key.scalar.min, min);
        EXPECT_EQ(key.scalar.max, max);
        EXPECT_NEAR(key.scalar.sum, sum, 1e-6);
    }
}

TEST_F(Seal, TwoSealersWriteTheSameFiles) {
    LogMaker log(kWriter);
    log.wide({"a", "b"}, 5000, awkward);
    log.lone({"c"}, 10, awkward);
    log.value("note", Kind::Note, encode_value(Note{"hello"}));
    log.end();
    const std::vector<std::string> paths{save(log, "a.tlog")};
    const SealReport first = seal_run(folder_, paths).value();
    std::vector<Bytes> before;
    for (const SealedFileInfo& file : first.files) {
        before.push_back(io::read_file(folder_ + "/data/" + file.name).value());
    }
    const SealReport second = seal_run(folder_, paths).value();
    ASSERT_EQ(first.files.size(), second.files.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(first.files[i].name, second.files[i].name);
        EXPECT_EQ(first.files[i].crc, second.files[i].crc);
        EXPECT_EQ(io::read_file(folder_ + "/data/" + first.files[i].name).value(), before[i]);
    }
    const std::vector<io::DirectoryEntry> entries = io::list(folder_ + "/data").value();
    for (const io::DirectoryEntry& entry : entries) {
        EXPECT_FALSE(entry.name.ends_with(".tmp")) << entry.name;
    }
}

TEST_F(Seal, TakesRowsThatStandInTwoFilesOnce) {
    LogMaker first(kWriter);
    first.wide({"a", "b"}, 100, awkward);
    tlog::FileIdentity next = kWriter;
    next.file_number = 1;
    LogMaker second(next);
    second.set_next_seq(60);
    second.set_next_step(60);
    second.set_recording(false);
    second.wide({"a", "b"}, 40, awkward);
    second.set_recording(true);
    second.wide({"a", "b"}, 50, awkward);
    const SealReport report =
        seal_run(folder_, std::vector{save(second, "b.tlog"), save(first, "a.tlog")}).value();
    EXPECT_EQ(report.duplicates, 40u);
    const auto run = SealedRun::open(folder_, report.files);
    std::vector<Point> expected = first.points["a"];
    expected.insert(expected.end(), second.points["a"].begin(), second.points["a"].end());
    expect_points(*run, "a", expected);
}

TEST_F(Seal, LeavesHiddenRowsOut) {
    LogMaker log(kWriter);
    log.wide({"a", "b"}, 10, awkward);
    log.set_route(kAllSinks | tlog::kHidden);
    log.set_recording(false);
    log.wide({"a", "b"}, 5, awkward);
    const SealReport report = seal_run(folder_, std::vector{save(log, "a.tlog")}).value();
    EXPECT_EQ(report.hidden, 5u);
    expect_points(*SealedRun::open(folder_, report.files), "b", log.points["b"]);
}

// Thousands of icons and masks below the size that goes into packs.
TEST_F(Seal, FindingG11_SmallBlobsAreReadWhenAskedFor) {
    constexpr std::size_t kValues = 40'000;  // three row groups
    LogMaker log(kWriter);
    const auto words_of = [](std::size_t i) {
        return "icon " + std::to_string(i) + std::string(100, 'x');
    };
    for (std::size_t i = 0; i < kValues; ++i) {
        const std::string words = words_of(i);
        const BlobRef ref{sha256(as_bytes(words)), words.size()};
        log.value("icon", Kind::Image, encode_value(Image{.format = "png"}),
                  {{ref, tlog::BlobPlace::Where::Inline, as_bytes(words), 0, 0}});
    }
    const SealReport report = seal_run(folder_, std::vector{save(log, "a.tlog")}).value();
    const auto run = SealedRun::open(folder_, report.files);
    ASSERT_EQ(run->values("icon").size(), kValues);
    for (const SealedValue* value : run->values("icon")) {
        ASSERT_EQ(value->record.blobs.size(), 1u);
        ASSERT_TRUE(value->record.blobs[0].bytes.empty()) << "nobody asked for it";
    }
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, kValues / 2, kValues - 1,
                                std::size_t{16'383}, std::size_t{16'384}, std::size_t{2}}) {
        const std::string words = words_of(i);
        const BlobRef ref{sha256(as_bytes(words)), words.size()};
        const auto found = run->find_blob(ref);
        ASSERT_TRUE(found) << i;
        EXPECT_EQ(as_text(found->table->inline_bytes(*found->value, ref).value()), words);
    }
    const auto first = run->find_blob(run->values("icon")[0]->record.blobs[0].ref);
    EXPECT_FALSE(first->table->inline_bytes(*first->value, BlobRef{}).ok()) << "not of this value";
}

TEST_F(Seal, KeepsValuesWithTheirBlobPlaces) {
    LogMaker log(kWriter);
    const Histogram histogram = Histogram::from_values(std::vector<double>{1, 2, 3, 4}, 4);
    log.value("weights", Kind::Histogram, encode_value(histogram));
    const Bytes pixels(20, std::byte{9});
    tlog::BlobPlace inside{{.size = 20}, tlog::BlobPlace::Where::Inline, pixels, 0, 0};
    tlog::BlobPlace packed{{.size = 1000}, tlog::BlobPlace::Where::Pack, {}, 3, 4096};
    packed.ref.sha256.fill(7);
    log.value("image", Kind::Image, encode_value(Image{.format = "png"}), {inside, packed});
    const SealReport report = seal_run(folder_, std::vector{save(log, "a.tlog")}).value();
    EXPECT_EQ(report.values, 2u);
    const auto run = SealedRun::open(folder_, report.files);
    const auto images = run->values("image");
    ASSERT_EQ(images.size(), 1u);
    ASSERT_EQ(images[0]->record.blobs.size(), 2u);
    const auto found = run->find_blob(inside.ref);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->table->inline_bytes(*found->value, inside.ref).value(), pixels);
    EXPECT_EQ(images[0]->record.blobs[1].offset, 4096u);
    EXPECT_EQ(images[0]->record.blobs[1].ref.sha256[31], 7);
    const Value back = decode_value(run->values("weights")[0]->record.metadata).value();
    EXPECT_EQ(std::get<Histogram>(back).counts, histogram.counts);
}

TEST_F(Seal, CarriesEverythingElseIntoAShortLog) {
    LogMaker log(kWriter);
    log.meta(tlog::MetaType::Name, "calm-otter");
    log.wide({"a", "b"}, 10, awkward);
    log.meta(tlog::MetaType::Notes, "it works");
    log.end();
    const SealReport report = seal_run(folder_, std::vector{save(log, "a.tlog")}).value();
    ASSERT_THAT(report.files, Contains(Field(&SealedFileInfo::name, StartsWith("rest-"))));
    const auto rest = std::find_if(
        report.files.begin(), report.files.end(),
        [](const SealedFileInfo& file) { return file.kind == SealedFileInfo::Kind::Rest; });
    std::vector<std::string> texts;
    std::vector<tlog::FrameType> types;
    const LogFileScan scan =
        for_each_frame(folder_ + "/data/" + rest->name,
                       [&](const tlog::FrameHeader& header, ByteSpan payload) -> Result<void> {
                           types.push_back(header.type);
                           tlog::DecodedBatch batch;
                           if (header.type == tlog::FrameType::Batch && batch.decode(payload)) {
                               EXPECT_TRUE(batch.batch().wide.empty());
                               for (const tlog::MetaRecord& meta : batch.batch().meta) {
                                   texts.emplace_back(as_text(meta.payload));
                               }
                           }
                           return {};
                       })
            .value();
    EXPECT_TRUE(scan.damage.empty());
    EXPECT_EQ(texts, (std::vector<std::string>{"calm-otter", "it works"}));
    EXPECT_EQ(types.front(), tlog::FrameType::Header);
    EXPECT_EQ(types.back(), tlog::FrameType::End);
}

TEST_F(Seal, SplitsVeryWideRowsIntoSeveralFiles) {
    LogMaker log(kWriter);
    std::vector<std::string> keys;
    for (int i = 0; i < 1030; ++i) {
        keys.push_back("layer/" + std::to_string(i));
    }
    log.wide(keys, 1100, awkward);
    const SealReport report = seal_run(folder_, std::vector{save(log, "a.tlog")}).value();
    EXPECT_EQ(std::count_if(report.files.begin(), report.files.end(),
                            [](const SealedFileInfo& file) {
                                return file.kind == SealedFileInfo::Kind::Scalars;
                            }),
              3);
    const auto run = SealedRun::open(folder_, report.files);
    EXPECT_EQ(run->keys().size(), 1030u);
    expect_points(*run, "layer/777", log.points["layer/777"]);
}

// Pages have 16k rows: one of a value costs its rows in that key, one of the steps its rows.
TEST_F(Seal, ADamagedPageCostsItsRowsAndNoOthers) {
    LogMaker log(kWriter);
    log.wide({"a", "b"}, 40'000, awkward);
    const SealReport report = seal_run(folder_, std::vector{save(log, "a.tlog")}).value();
    const auto info = std::find_if(
        report.files.begin(), report.files.end(),
        [](const SealedFileInfo& file) { return file.kind == SealedFileInfo::Kind::Scalars; });
    const std::string path = folder_ + "/data/" + info->name;
    const auto index = SealedFile::open(path).value()->index();
    const Bytes good = io::read_file(path).value();
    const auto sizes_with_flip_in = [&](std::size_t column, std::size_t page) {
        const auto& place = index.pages[column][page];
        Bytes bad = good;
        bad[static_cast<std::size_t>(place.offset) + place.bytes / 2] ^= std::byte{1};
        io::open(path, io::OpenMode::Truncate).value()->append(bad).value();
        const auto run = SealedRun::open(folder_, report.files);
        const std::pair sizes{run->points("a").value().size(), run->points("b").value().size()};
        const std::vector<Damage> damage = run->damage();
        EXPECT_EQ(damage.size(), 1u);
        EXPECT_EQ(damage[0].offset, place.offset);
        EXPECT_EQ(damage[0].length, place.bytes);
        EXPECT_THAT(damage[0].reason, ::testing::HasSubstr("rows 16384 to 32767"));
        return sizes;
    };
    const std::size_t left = 40'000 - 16'384;
    const std::uint32_t column_of_a = index.sections[0].series[0].column;
    EXPECT_EQ(sizes_with_flip_in(column_of_a, 1), (std::pair{left, std::size_t{40'000}}));
    EXPECT_EQ(sizes_with_flip_in(0, 1), (std::pair{left, left}));
}

TEST_F(Seal, RefusesAFileThatIsNoLog) {
    io::open(folder_ + "/live/x.tlog", io::OpenMode::Truncate)
        .value()
        ->append(as_bytes("hello"))
        .value();
    const auto report = seal_run(folder_, std::vector{folder_ + "/live/x.tlog"});
    ASSERT_FALSE(report.ok());
    EXPECT_THAT(report.error().message, ::testing::HasSubstr("x.tlog"));
}

}  // namespace
}  // namespace taffrail::seal
