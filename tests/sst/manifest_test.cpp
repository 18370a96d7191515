#include "codec/sst/manifest.h"

#include "official.h"

#include <gtest/gtest.h>

#include <set>

using namespace taffrail;

namespace {

Bytes official(const std::string& part) {
    return test::bytes_of(test::official_files(part, "MANIFEST-", "").at(0));
}

std::set<std::uint64_t> numbers(const std::vector<sst::TableFile>& tables) {
    std::set<std::uint64_t> found;
    for (const sst::TableFile& file : tables) {
        found.insert(file.number);
    }
    return found;
}

TEST(SstManifest, NamesTheTablesOfOfficialFolders) {
    for (const char* part : {"meta", "seqs"}) {
        const auto folder = sst::read_manifest(official(part));
        ASSERT_TRUE(folder) << part;
        const auto files = test::official_files(part, "", ".sst");
        ASSERT_EQ(folder->size(), files.size()) << part;
        for (std::size_t i = 0; i < files.size(); ++i) {
            const auto& file = (*folder)[i];
            EXPECT_EQ(std::stoull(std::filesystem::path(files[i]).stem().string()), file.number);
            EXPECT_EQ(std::filesystem::file_size(files[i]), file.size);
            EXPECT_GT(file.largest_sequence, i == 0 ? 0 : (*folder)[i - 1].largest_sequence);
        }
    }
}

// What is not there yet is missing; what is there is told as it was then.
TEST(SstManifest, ACutIsAnEarlierFolderOrNone) {
    const Bytes whole = official("seqs");
    const auto known = numbers(*sst::read_manifest(whole));
    std::size_t before = 0;
    for (std::size_t size = 0; size <= whole.size(); ++size) {
        const auto folder = sst::read_manifest(ByteSpan(whole).first(size));
        const auto found = folder ? numbers(*folder) : std::set<std::uint64_t>();
        EXPECT_TRUE(std::ranges::includes(known, found)) << size;
        EXPECT_GE(found.size(), before) << size;
        before = found.size();
    }
    EXPECT_EQ(before, known.size());
}

TEST(SstManifest, AChangedByteNeverMakesUpAFile) {
    const Bytes whole = official("seqs");
    const auto known = numbers(*sst::read_manifest(whole));
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const auto bit : {std::byte{1}, std::byte{0x40}, std::byte{0xFF}}) {
            Bytes changed = whole;
            changed[at] ^= bit;
            if (const auto folder = sst::read_manifest(changed)) {
                EXPECT_TRUE(std::ranges::includes(known, numbers(*folder))) << at;
            }
        }
    }
}

TEST(SstManifest, ForeignBytesAreRefused) {
    EXPECT_FALSE(sst::read_manifest({}));
    EXPECT_FALSE(sst::read_manifest(as_bytes("something else altogether")));
    EXPECT_FALSE(sst::read_manifest(Bytes(100'000)));
}

}  // namespace
