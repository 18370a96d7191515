// Sealed files whose index was changed and signed again: a contradiction is found before it is
// used, and what the Parquet footer still tells is read.
#include "seal/changed_table.h"
#include "seal/log_maker.h"
#include "seal/seal.h"
#include "seal/sealed_reader.h"

#include <gtest/gtest.h>

#include <functional>

namespace taffrail::seal {
namespace {

using testing::LogMaker;

constexpr std::size_t kRows = 5000, kLone = 100;

// A wide and a long table, real ones.
class HostileIndex : public ::testing::Test {
  protected:
    void SetUp() override {
        folder_ = std::string("memory://hostile-index/") +
                  ::testing::UnitTest::GetInstance()->current_test_info()->name();
        io::make_directories(folder_ + "/live").value();
        LogMaker log({.run_id = "r", .writer = 1});
        const auto value = [](std::size_t column, std::int64_t step) {
            return static_cast<double>(step) + static_cast<double>(column);
        };
        log.wide({"a", "b"}, kRows, value);
        log.lone({"c", "d"}, kLone, value);
        const std::string path = folder_ + "/live/0000000000000001-00000.tlog";
        log.save(path);
        files_ = seal_run(folder_, std::vector{path}, {}).value().files;
    }

    void TearDown() override { io::remove_tree(folder_).value(); }

    std::string path_of(const SealedFileInfo& file) const { return folder_ + "/data/" + file.name; }

    // Writes the file of `kind` again with a changed index; its footer is kept where asked for.
    bool change(TableKind kind, bool keep_footer, const std::function<void(FileIndex&)>& edit) {
        for (const SealedFileInfo& info : files_) {
            if (info.kind != SealedFileInfo::Kind::Scalars) {
                continue;
            }
            const Bytes bytes = io::read_file(path_of(info)).value();
            if (testing::index_of(bytes).index.kind != kind) {
                continue;
            }
            const Bytes file = testing::with_index(
                bytes, keep_footer ? testing::Footer::Kept : testing::Footer::Dropped, edit);
            io::write_file_atomically(path_of(info), file, false).value();
            return true;
        }
        return false;
    }

    // Everything a reader can ask for.
    std::size_t use() {
        std::size_t points = 0;
        const auto run = SealedRun::open(folder_, files_);
        for (const KeyInfo& key : run->keys()) {
            points += run->points(key.key).value().size();
            for (const Axis axis : {Axis::Steps, Axis::WallTime, Axis::Epoch, Axis::Samples}) {
                if (const auto segments = run->segments(key.key, axis, 0, std::nullopt)) {
                    for (const auto& segment : *segments) {
                        std::vector<double> x, value;
                        (void)segment->copy(0, segment->points(), x, value);
                    }
                }
            }
        }
        return points;
    }

    std::string folder_;
    std::vector<SealedFileInfo> files_;
};

using Edit = std::function<void(FileIndex&)>;

std::vector<Edit> contradictions() {
    return {
        [](FileIndex& index) { index.sections[0].series[0].column = 0; },
        [](FileIndex& index) { index.sections[0].series[0].column = 8; },
        [](FileIndex& index) { index.sections[0].series[0].column = 99; },
        [](FileIndex& index) { index.pages.resize(1); },
        [](FileIndex& index) { index.pages.clear(); },
        [](FileIndex& index) { index.pages[2].clear(); },
        [](FileIndex& index) { index.sections.clear(); },
        [](FileIndex& index) { index.sections.push_back(index.sections[0]); },
        [](FileIndex& index) { index.sections[0].first_row = 1; },
        [](FileIndex& index) { index.sections[0].rows = UINT64_MAX; },
        [](FileIndex& index) { index.kind = TableKind::Values; },
        [](FileIndex& index) { index.kind = static_cast<TableKind>(77); },
        [](FileIndex& index) { index.writers[0].rows = UINT64_MAX; },
        [](FileIndex& index) { index.phases.clear(); },
        [](FileIndex& index) { index.phases[0].phase = static_cast<Phase>(200); },
        [](FileIndex& index) { index.pages[0][0].bytes = UINT32_MAX; },
        [](FileIndex& index) { index.pages[0][0].offset = UINT64_MAX - 4; },
        [](FileIndex& index) {
            index.rows = std::uint64_t{1} << 31;
            for (auto& pages : index.pages) {
                pages = {{4, 100, std::uint32_t{1} << 31}};
            }
            index.sections.resize(1);
            index.sections[0].rows = index.writers[0].rows = index.phases[0].rows = index.rows;
            index.writers.resize(1);
            index.phases.resize(1);
        },
    };
}

TEST_F(HostileIndex, FindingS04_AnIndexThatContradictsItselfIsNotUsed) {
    for (const TableKind kind : {TableKind::Wide, TableKind::Long}) {
        for (std::size_t i = 0; i < contradictions().size(); ++i) {
            ASSERT_TRUE(change(kind, false, contradictions()[i])) << i;
            const auto run = SealedRun::open(folder_, files_);
            EXPECT_FALSE(run->damage().empty()) << i;
            EXPECT_EQ(use(), kind == TableKind::Wide ? kLone : 2 * kRows) << i;
            TearDown();
            SetUp();
        }
    }
}

TEST_F(HostileIndex, FindingS04_TheFooterMakesUpForIt) {
    for (std::size_t i = 0; i < contradictions().size(); ++i) {
        ASSERT_TRUE(change(TableKind::Wide, true, contradictions()[i])) << i;
        EXPECT_EQ(use(), 2 * kRows + kLone) << i;
        EXPECT_FALSE(SealedRun::open(folder_, files_)->damage().empty()) << i;
        TearDown();
        SetUp();
    }
}

TEST_F(HostileIndex, ASoundOneIsUsed) {
    ASSERT_TRUE(change(TableKind::Wide, false, [](FileIndex&) {}));
    EXPECT_TRUE(SealedRun::open(folder_, files_)->damage().empty());
    EXPECT_EQ(use(), 2 * kRows + kLone);
}

}  // namespace
}  // namespace taffrail::seal
