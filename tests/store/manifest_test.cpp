// The manifest of a sealed run: every byte of it counts, and no name in it leads anywhere.
#include "store/manifest.h"

#include "codec/tlog/encode.h"
#include "codec/tlog/frame_encoder.h"
#include "codec/tlog/sections.h"
#include "io/files.h"
#include "store/layout.h"
#include "store/run_check.h"
#include "store/sealing.h"
#include "store/sealing_fixture.h"

#include <gtest/gtest.h>

namespace taffrail::store {
namespace {

class ManifestFile : public SealingTest {
  protected:
    void SetUp() override {
        add(1, 0, 1, 41);
        ASSERT_TRUE(seal_finished(folder_).ok());
        path_ = io::join(folder_, "manifest-00001");
    }

    std::string path_;
};

TEST_F(ManifestFile, FindingR16_EveryFlippedByteIsReported) {
    ASSERT_TRUE(check_run_files(folder_).empty());
    const Bytes good = io::read_file(path_).value();
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const unsigned bit : {0u, 3u, 7u}) {
            Bytes bad = good;
            bad[at] ^= static_cast<std::byte>(1u << bit);
            io::write_file_atomically(path_, bad, false).value();
            EXPECT_FALSE(check_run_files(folder_).empty()) << "byte " << at << " bit " << bit;
        }
    }
}

TEST_F(ManifestFile, FindingR16_CutAndLengthenedOnesAreReportedAndSoAreOlderOnes) {
    const Bytes good = io::read_file(path_).value();
    for (std::size_t size = 0; size < good.size(); size += 7) {
        io::write_file_atomically(path_, ByteSpan(good).first(size), false).value();
        EXPECT_FALSE(check_run_files(folder_).empty()) << size;
    }
    Bytes longer = good;
    longer.push_back(std::byte{0});
    io::write_file_atomically(path_, longer, false).value();
    EXPECT_FALSE(check_run_files(folder_).empty());

    io::write_file_atomically(path_, good, false).value();
    ASSERT_TRUE(write_manifest(folder_, "01SAMPLE", *read_manifest(folder_)).ok());
    EXPECT_TRUE(check_run_files(folder_).empty());
    io::write_file_atomically(path_, longer, false).value();
    const auto damage = check_run_files(folder_);
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_EQ(damage[0].file, path_);
}

// Sealing anew removes the files of the old list: only plain names inside data/ are ever taken.
TEST_F(ManifestFile, FindingS02_NamesThatLeadOutOfTheFolderAreNoFiles) {
    const std::string outside = io::join(io::parent(folder_), "key.txt");
    io::write_file_atomically(outside, as_bytes("precious"), false).value();
    for (const char* name :
         {"../../key.txt", "../live/x", "/key.txt", "a/b", ".hidden", "..", ".", "", "a\nb"}) {
        Manifest manifest = *read_manifest(folder_);
        seal::SealedFileInfo stranger = manifest.files.front();
        stranger.name = name;
        manifest.files.push_back(stranger);
        ASSERT_TRUE(write_manifest(folder_, "01SAMPLE", manifest).ok());
        const auto read = read_manifest(folder_);
        ASSERT_TRUE(read);
        EXPECT_FALSE(read->unreadable.empty()) << name;
        for (const seal::SealedFileInfo& file : read->files) {
            EXPECT_NE(file.name, name);
        }
        EXPECT_FALSE(check_run_files(folder_).empty()) << name;
        (void)reseal_damaged(folder_);
        (void)seal_finished(folder_);
        (void)drop_sealed_logs(folder_, std::chrono::nanoseconds(0), INT64_MAX / 2);
        EXPECT_EQ(io::read_text(outside).value(), "precious") << name;
    }
}

}  // namespace
}  // namespace taffrail::store
