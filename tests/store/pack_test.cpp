#include "codec/tpak/pack.h"

#include "base/sha256.h"
#include "io/files.h"
#include "store/blob_loader.h"
#include "store/layout.h"
#include "store/pack_writer.h"
#include "store/sample_batch.h"

#include <gtest/gtest.h>

namespace taffrail::store {
namespace {

BlobRef ref_of(const Bytes& bytes) {
    return {sha256(bytes), bytes.size()};
}

TEST(Pack, EntryHeaderAndIndexComeBack) {
    const BlobRef ref = ref_of(Bytes(10000, std::byte{3}));
    const auto header = tpak::entry_header(ref);
    const auto parsed = tpak::parse_entry_header(header);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->sha256, ref.sha256);
    EXPECT_EQ(parsed->size, ref.size);
    auto broken = header;
    broken[20] ^= std::byte{1};
    EXPECT_FALSE(tpak::parse_entry_header(broken));
    const Bytes index = tpak::encode_index({{ref, 77}}, 1000);
    const auto place =
        tpak::parse_trailer(ByteSpan(index).last(tpak::kTrailerBytes), 1000 + index.size());
    ASSERT_TRUE(place);
    EXPECT_EQ(place->offset, 1000u);
    const auto entries = tpak::parse_index(ByteSpan(index).first(place->length));
    ASSERT_TRUE(entries);
    EXPECT_EQ(entries->at(0).offset, 77u);
    EXPECT_FALSE(tpak::parse_trailer(ByteSpan(index).last(tpak::kTrailerBytes), 999));
}

TEST(Pack, SameBytesAreStoredOnce) {
    const std::string folder = fresh_folder("memory");
    PackWriter packs(folder, 1);
    const Bytes bytes(10000, std::byte{5});
    const auto first = packs.put(bytes, ref_of(bytes)).value();
    const auto second = packs.put(bytes, ref_of(bytes)).value();
    EXPECT_EQ(first.offset, second.offset);
    EXPECT_LT(packs.bytes_written(), 11000u);
}

// Icons and thumbnails: small, and often the same.
TEST(Pack, FindingG11_SmallBlobsAreStoredOnceAndOutsideOfTheLog) {
    const std::string folder = fresh_folder("memory");
    PackWriter packs(folder, 1);
    const Bytes bytes(600, std::byte{5});
    for (int i = 0; i < 1000; ++i) {
        const auto place = packs.put(bytes, ref_of(bytes)).value();
        EXPECT_EQ(place.where, tlog::BlobPlace::Where::Pack);
        EXPECT_TRUE(place.bytes.empty()) << "nothing for a log frame to carry";
    }
    EXPECT_LT(packs.bytes_written(), 1000u);
}

TEST(Pack, RollsAndFindsBlobsByHashInOpenAndClosedPacks) {
    const std::string folder = fresh_folder("memory");
    PackWriter packs(folder, 1, 30000);
    std::vector<Bytes> blobs;
    for (int i = 0; i < 10; ++i) {
        blobs.emplace_back(9000 + static_cast<std::size_t>(i), static_cast<std::byte>(i));
        packs.put(blobs.back(), ref_of(blobs.back())).value();
    }
    EXPECT_GT(list_packs(folder).size(), 2u);
    BlobLoader loader(folder);
    for (const Bytes& blob : blobs) {
        EXPECT_EQ(*loader.find(ref_of(blob)).value(), blob);
    }
    packs.close().value();
    BlobLoader after(folder);
    for (const Bytes& blob : blobs) {
        EXPECT_EQ(*after.find(ref_of(blob)).value(), blob);
    }
}

TEST(Pack, DamagedBlobIsRefusedAndNamed) {
    const std::string folder = fresh_folder("memory");
    PackWriter packs(folder, 1);
    const Bytes bytes(10000, std::byte{5});
    const auto place = packs.put(bytes, ref_of(bytes)).value();
    auto file =
        io::open(io::join(io::join(folder, "blobs"), pack_name(1, 0)), io::OpenMode::ReadWrite)
            .value();
    const std::byte flipped{4};
    file->write_at(5000, ByteSpan(&flipped, 1)).value();
    BlobLoader loader(folder);
    const auto loaded = loader.load(place, 1);
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.error().code, ErrorCode::Corrupt);
    EXPECT_NE(loaded.error().message.find(".tpak"), std::string::npos);
}

TEST(Pack, BlobThatMovedToAnotherPackIsFoundByItsHash) {
    const std::string folder = fresh_folder("memory");
    const Bytes bytes(10000, std::byte{5});
    PackWriter packs(folder, 2);
    packs.put(bytes, ref_of(bytes)).value();
    tlog::BlobPlace place;
    place.ref = ref_of(bytes);
    place.where = tlog::BlobPlace::Where::Pack;
    place.pack = 99;
    BlobLoader loader(folder);
    EXPECT_EQ(*loader.load(place, 1).value(), bytes);
}

}  // namespace
}  // namespace taffrail::store
