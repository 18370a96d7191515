// Run folders that somebody else made: links, pipes, claims that are not true. Nothing outside is
// read, written or deleted, and nothing costs more memory than the folder can be worth.
#include "base/sha256.h"
#include "codec/tlog/budget.h"
#include "codec/tlog/decode.h"
#include "codec/tlog/encode.h"
#include "codec/tlog/frame_encoder.h"
#include "codec/tlog/payload.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "io/inside.h"
#include "io/temporary_folder.h"
#include "store/catalogue.h"
#include "store/layout.h"
#include "store/log_state.h"
#include "store/meta_edit.h"
#include "store/open_log.h"
#include "store/run_check.h"
#include "store/run_reader.h"
#include "store/sample_batch.h"
#include "store/sealing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>

namespace taffrail::store {
namespace {

class HostileRun : public testing::Test {
  protected:
    void SetUp() override {
        root_ = temporary_.file("root");
        folder_ = make_run_folder(root_, "01SAMPLE", "x").value();
        auto log = open_log(folder_, sample_identity(1)).value();
        log->append(sample_definitions()).value();
        log->append(SampleRows(1, 1, 20).batch()).value();
        log->close(RunState::Finished).value();
        outside_ = temporary_.file("outside");
        io::make_directories(outside_).value();
        io::write_file_atomically(io::join(outside_, "secret"), as_bytes("secret"), false).value();
    }

    void expect_outside_untouched() {
        const auto entries = io::list(outside_).value();
        ASSERT_EQ(entries.size(), 1u);
        EXPECT_EQ(io::read_text(io::join(outside_, "secret")).value(), "secret");
    }

    void link(const std::string& to, const std::string& at) {
        ASSERT_EQ(symlink(to.c_str(), at.c_str()), 0);
    }

    test::TemporaryFolder temporary_;
    std::string root_, folder_, outside_;
};

TEST_F(HostileRun, FindingS01_ALinkedRunIsReadAndNeverChanged) {
    const std::string elsewhere = temporary_.file("elsewhere");
    io::make_directories(io::join(elsewhere, "runs")).value();
    const std::string linked = io::join(elsewhere, "runs/01SAMPLE-x");
    link(folder_, linked);
    io::write_file_atomically(io::join(elsewhere, "TAFFRAIL"),
                              as_bytes(io::read_text(io::join(root_, "TAFFRAIL")).value()), false)
        .value();
    const auto catalogue = open_catalogue(elsewhere).value();
    ASSERT_EQ(catalogue->runs().size(), 1u);
    const std::size_t points =
        RunReader::open(folder_).value()->points("train/loss").value().size();
    ASSERT_GT(points, 0u);
    EXPECT_EQ(catalogue->run("01SAMPLE").value()->points("train/loss").value().size(), points);
    EXPECT_EQ(add_tag(linked, "mine").error().code, ErrorCode::PermissionDenied);
    EXPECT_EQ(seal_finished(linked).error().code, ErrorCode::PermissionDenied);
    EXPECT_FALSE(io::exists(io::join(folder_, "data")));
    EXPECT_FALSE(io::exists(io::join(folder_, "meta")));
    ASSERT_TRUE(io::remove_tree(linked).ok());
    EXPECT_EQ(RunReader::open(folder_).value()->points("train/loss").value().size(), points);
}

TEST_F(HostileRun, FindingS01_PartsThatAreLinksAreNotWrittenThrough) {
    link(outside_, io::join(folder_, "data"));
    link(outside_, io::join(folder_, "meta"));
    const auto sealed = seal_finished(folder_);
    ASSERT_FALSE(sealed.ok());
    EXPECT_NE(sealed.error().message.find("is a link"), std::string::npos);
    EXPECT_FALSE(add_tag(folder_, "t").ok());
    (void)check_run_files(folder_);
    expect_outside_untouched();
}

TEST_F(HostileRun, FindingS12_PipesAndLinksInPlaceOfFilesAreRefusedAtOnce) {
    const std::string live = io::join(folder_, "live");
    const std::string log =
        io::join(live, list_logs(folder_).empty() ? std::string()
                                                  : log_name(1, list_logs(folder_)[0].number));
    io::remove(log).value();
    ASSERT_EQ(mkfifo(log.c_str(), 0600), 0);
    link("/dev/zero", io::join(live, log_name(2, 0)));
    link(io::join(outside_, "secret"), io::join(folder_, "manifest-00001"));
    ASSERT_EQ(mkfifo(io::join(folder_, "manifest-00002").c_str(), 0600), 0);
    const auto run = RunReader::open(folder_);
    if (run.ok()) {
        EXPECT_TRUE((*run)->keys().empty());
    }
    (void)open_catalogue(root_).value()->runs();
    EXPECT_FALSE(check_run_files(folder_).empty());
    (void)seal_finished(folder_);
    expect_outside_untouched();
}

Image raw_image(std::int64_t width, std::int64_t height, std::size_t stored, DType dtype) {
    Image image;
    image.format = "raw";
    image.dtype = dtype;
    image.width = width;
    image.height = height;
    image.channels = 1;
    image.images.resize(1);
    image.images[0].ref.size = stored;
    return image;
}

TEST(HostileValue, FindingS05_AShapeMustBeFilledByItsBytes) {
    const auto refused = [](Value value) {
        const auto decoded = decode_value(encode_value(value));
        return !decoded.ok() && decoded.error().code == ErrorCode::Corrupt;
    };
    EXPECT_FALSE(refused(raw_image(64, 64, 64 * 64, DType::U8)));
    EXPECT_TRUE(refused(raw_image(4096, 4096, 1, DType::U8)));
    EXPECT_TRUE(refused(raw_image(64, 64, 1600, DType::U8)));
    EXPECT_TRUE(refused(raw_image(-1, -1, 1, DType::U8)));
    EXPECT_TRUE(refused(raw_image(std::int64_t{1} << 32, std::int64_t{1} << 32, 0, DType::F64)));
    EXPECT_TRUE(refused(raw_image(INT64_MAX, 2, 8, DType::F32)));
    EXPECT_TRUE(refused(raw_image(0, 0, 0, DType::F32)));
    Tensor tensor;
    tensor.dtype = DType::F32;
    tensor.shape = {3, 5};
    tensor.data.ref.size = 60;
    EXPECT_FALSE(refused(tensor));
    tensor.data.ref.size = 59;
    EXPECT_TRUE(refused(tensor));
    Embedding embedding;
    embedding.count = std::int64_t{1} << 40;
    embedding.dimensions = std::int64_t{1} << 40;
    embedding.vectors.ref.size = 4;
    EXPECT_TRUE(refused(embedding));
    Video video;
    video.format = "frames";
    video.frames = 10;
    video.width = video.height = 8;
    video.channels = 3;
    video.data.ref.size = 12;
    EXPECT_TRUE(refused(video));
}

TEST(HostileValue, FindingS08_UnknownElementTypesAreRefused) {
    for (const int type : {0, 99, 255}) {
        if (size_of(static_cast<DType>(type)) != 0) {
            continue;
        }
        EXPECT_FALSE(decode_value(encode_value(raw_image(1, 1, 0, static_cast<DType>(type)))).ok());
        EXPECT_FALSE(decode_value(encode_value(raw_image(1, 1, 1, static_cast<DType>(type)))).ok());
    }
}

// The size in a value and the size of the blob it names are two numbers in the file.
TEST_F(HostileRun, FindingS05_ABlobOfAnotherSizeThanTheValueSaysIsNotHandedOut) {
    const Bytes blob(100, std::byte{7});
    const BlobRef stored{sha256(blob), blob.size()};
    auto log = open_log(folder_, sample_identity(2)).value();
    tlog::Batch batch = sample_definitions();
    Tensor tensor;
    tensor.dtype = DType::U8;
    tensor.shape = {1 << 20};
    tensor.data.ref = {stored.sha256, 1 << 20};
    const Bytes metadata = encode_value(tensor);
    tlog::ValueRecord& value = batch.values.emplace_back();
    value.seq = 1;
    value.key = 4;
    value.kind = Kind::Tensor;
    value.metadata = metadata;
    value.blobs = {log->put_blob(blob, stored).value()};
    batch.first_seq = 1;
    batch.rows = 1;
    log->append(batch).value();
    log->close(RunState::Finished).value();
    const auto run = RunReader::open(folder_).value();
    EXPECT_EQ(run->load(tensor.data.ref).error().code, ErrorCode::Corrupt);
    EXPECT_EQ(run->load(stored).value()->size(), 100u);
}

TEST(HostileLog, FindingS16_KeysFarFromAllOthersAskForNoMemory) {
    LogState state;
    std::vector<tlog::KeyDefinition> keys;
    std::vector<tlog::SchemaDefinition> schemas;
    for (std::uint32_t id = 1; id < 1000; ++id) {
        keys.push_back({(1u << 24) - id, Kind::Scalar, "k"});
        schemas.push_back({(1u << 24) - id, {1}});
    }
    keys.push_back({7, Kind::Scalar, "near"});
    state.define(keys, schemas);
    EXPECT_LT(state.keys().size(), 100'000u);
    ASSERT_NE(state.key(7), nullptr);
    // Dense ones are taken, however many.
    keys.clear();
    for (std::uint32_t id = 0; id < 200'000; ++id) {
        keys.push_back({id, Kind::Scalar, "k"});
    }
    state.define(keys, {});
    EXPECT_NE(state.key(199'999), nullptr);
}

TEST(HostileLog, FindingS16_AFewBytesOfNamesDoNotUnpackToMillions) {
    tlog::Batch batch;
    for (std::uint32_t id = 0; id < 2'000'000; ++id) {
        batch.keys.push_back({1, Kind::Scalar, "k"});
    }
    Bytes payload, file;
    tlog::encode_batch(payload, batch);
    tlog::FrameEncoder encoder;
    encoder.begin_file(1);
    encoder.append_frame(file, encoder.store(tlog::FrameType::Batch, payload, 0, 0));
    ASSERT_LT(file.size(), payload.size() / 100);
    const auto header = tlog::parse_header(file).value();
    tlog::Decompressor decompressor;
    Bytes scratch;
    EXPECT_FALSE(tlog::payload_of(header, ByteSpan(file).subspan(tlog::kFrameHeaderBytes),
                                  decompressor, scratch));
}

/// A frame of one wide section, as a reader meets it in a file: false when it is refused.
bool reads_frame(std::span<const double> column, std::size_t columns) {
    std::vector<std::uint64_t> seq(column.size());
    std::iota(seq.begin(), seq.end(), 0u);
    const std::vector<std::int64_t> step(seq.begin(), seq.end());
    tlog::Batch batch;
    batch.rows = static_cast<std::uint32_t>(column.size());
    batch.wide.push_back({1, {.seq = seq, .step = step, .time_ns = step}, {}});
    batch.wide.front().columns.assign(columns, column);
    Bytes payload, file;
    tlog::encode_batch(payload, batch);
    tlog::FrameEncoder encoder;
    encoder.begin_file(1);
    encoder.append_frame(file, encoder.store(tlog::FrameType::Batch, payload, 0, 0));
    const auto header = tlog::parse_header(file).value();
    tlog::Decompressor decompressor;
    Bytes scratch;
    const auto read = tlog::payload_of(header, ByteSpan(file).subspan(tlog::kFrameHeaderBytes),
                                       decompressor, scratch);
    tlog::DecodedBatch decoded;
    return read && decoded.decode(header, *read) &&
           decoded.batch().wide.front().axes.rows() == column.size();
}

// Rows that are all alike take a few bytes, however many they are.
TEST(HostileLog, FindingS16_AFewBytesOfRowsDoNotDecodeToHundredsOfMegabytes) {
    const std::vector<double> alike(1 << 20, 0.5);
    EXPECT_FALSE(reads_frame(alike, 8)) << "2^24 cells out of some hundred bytes";
    EXPECT_TRUE(reads_frame(std::span(alike).first(32 << 10), 8)) << "as a recorder writes them";
    EXPECT_TRUE(reads_frame(std::span(alike).first(4096), 64)) << "as a recorder writes them";
    std::vector<double> different(1 << 20);
    std::mt19937_64 random(7);
    std::ranges::generate(different, [&] { return static_cast<double>(random()); });
    EXPECT_TRUE(reads_frame(different, 8)) << "as many cells, with the bytes to show for them";
}

TEST(HostileLog, FindingS16_AFewBytesOfTextDoNotDecompressToAGigabyte) {
    const std::string text(40u << 20, 'a');
    Bytes payload, packed, file;
    tlog::Batch batch;
    batch.console.push_back({1, 0, text});
    tlog::encode_batch(payload, batch);
    tlog::FrameEncoder encoder;
    encoder.begin_file(1);
    // What is written keeps to the budget: it takes its bytes, and comes back.
    const tlog::StoredPayload kept = encoder.store(tlog::FrameType::Batch, payload, 0, 0);
    encoder.append_frame(file, kept);
    tlog::Decompressor decompressor;
    Bytes scratch;
    const auto read =
        tlog::payload_of(tlog::parse_header(file).value(),
                         ByteSpan(file).subspan(tlog::kFrameHeaderBytes), decompressor, scratch);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->size(), payload.size());
    // The same packed by somebody else is refused before memory is asked for.
    ASSERT_TRUE(tlog::Compressor(1).compress(packed, payload));
    tlog::FrameHeader header = tlog::parse_header(file).value();
    header.flags = tlog::FrameHeader::kCompressed;
    header.stored_bytes = static_cast<std::uint32_t>(packed.size());
    EXPECT_LT(packed.size(), payload.size() / 4000);
    EXPECT_FALSE(tlog::payload_of(header, packed, decompressor, scratch));
    EXPECT_LT(scratch.capacity(), 1u << 20);
}

TEST(HostileLog, FindingS16_AFewBytesOfListEntriesDoNotUnpackToMillions) {
    tlog::Batch batch;
    batch.values.resize(700'000);
    Bytes payload, packed;
    tlog::encode_batch(payload, batch);
    ASSERT_TRUE(tlog::Compressor(1).compress(packed, payload));
    tlog::FrameHeader header;
    header.flags = tlog::FrameHeader::kCompressed;
    header.stored_bytes = static_cast<std::uint32_t>(packed.size());
    header.payload_bytes = static_cast<std::uint32_t>(payload.size());
    ASSERT_LE(payload.size(), tlog::most_payload_bytes(packed.size()));
    tlog::Decompressor decompressor;
    Bytes scratch;
    EXPECT_FALSE(tlog::payload_of(header, packed, decompressor, scratch));
}

mode_t rights_of(const std::string& path) {
    struct stat known{};
    return ::stat(path.c_str(), &known) == 0 ? known.st_mode & 0777 : 0;
}

TEST_F(HostileRun, FindingS24_ANewStoreIsItsOwnersAlone) {
    const mode_t before = umask(0);
    const std::string root = temporary_.file("new");
    const std::string folder = make_run_folder(root, "01NEW", "n").value();
    auto log = open_log(folder, sample_identity(3)).value();
    log->append(sample_definitions()).value();
    log->close(RunState::Finished).value();
    seal_finished(folder).value();
    add_tag(folder, "t").value();
    umask(before);
    EXPECT_EQ(rights_of(root), 0700u);
    EXPECT_EQ(rights_of(folder), 0700u);
    for (const char* part : {"live", "data", "meta"}) {
        EXPECT_EQ(rights_of(io::join(folder, part)), 0700u) << part;
        for (const auto& entry : io::list(io::join(folder, part)).value()) {
            EXPECT_EQ(rights_of(io::join(io::join(folder, part), entry.name)), 0600u) << entry.name;
        }
    }
    EXPECT_EQ(rights_of(io::join(root, "TAFFRAIL")), 0600u);
    EXPECT_EQ(rights_of(io::join(folder, "manifest-00001")), 0600u);
}

TEST_F(HostileRun, FindingS24_InASharedFolderFilesAreShared) {
    const mode_t before = umask(022);
    const std::string root = temporary_.file("lab");
    io::make_directories(root).value();
    for (const auto& [rights, mask, folders, files] :
         {std::tuple{mode_t{0770}, mode_t{002}, mode_t{0770}, mode_t{0660}},
          std::tuple{mode_t{0775}, mode_t{022}, mode_t{0755}, mode_t{0644}},
          std::tuple{mode_t{0750}, mode_t{0}, mode_t{0750}, mode_t{0640}}}) {
        ASSERT_EQ(chmod(root.c_str(), rights), 0);
        umask(mask);
        (void)io::remove_tree(io::join(root, "runs"));
        (void)io::remove(io::join(root, "TAFFRAIL"));
        const std::string folder = make_run_folder(root, "01LAB", "n").value();
        open_log(folder, sample_identity(3)).value()->close(RunState::Finished).value();
        EXPECT_EQ(rights_of(root), rights);
        EXPECT_EQ(rights_of(io::join(folder, "live")), folders);
        EXPECT_EQ(rights_of(io::join(io::join(folder, "live"), log_name(3, 0))), files);
    }
    umask(before);
}

}  // namespace
}  // namespace taffrail::store
