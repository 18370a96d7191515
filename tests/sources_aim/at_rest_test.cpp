// A repository that Aim's own program wrote, over and over, read where RocksDB is not there.
#include "../gathered_catalogue.h"
#include "../test_files.h"
#include "places.h"
#include "sources/aim/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace taffrail;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

namespace {

class AimAtRest : public testing::Test {
  protected:
    AimAtRest() {
        // Asked for once in a process.
        ::setenv("TAFFRAIL_ROCKSDB_MODULE", "/nowhere.so", 1);
        std::filesystem::copy(tests::data_folder() + "/aim/.aim", folder_ / ".aim",
                              std::filesystem::copy_options::recursive);
    }

    test::TestFolder folder_;
};

TEST_F(AimAtRest, IsReadWithoutRocksdb) {
    const auto catalogue = test::opened([this] { return sources::aim::find_runs(folder_.path()); });
    ASSERT_EQ(catalogue->runs().size(), 1u);
    const auto run = catalogue->run(catalogue->runs().front().id).value();
    EXPECT_THAT(run->damage(), IsEmpty());
    EXPECT_EQ(run->info().state, RunState::Finished);
    // Written over, a branch with fewer leaves than before, one deleted.
    EXPECT_THAT(
        run->info().config,
        UnorderedElementsAre(Pair("lr", Cell(0.25)), Pair("net/layers", Cell(std::int64_t{4}))));
    const auto loss = run->points("loss").value();
    ASSERT_EQ(loss.size(), 18u);
    for (std::size_t i = 0; i < loss.size(); ++i) {
        EXPECT_EQ(loss[i].step, static_cast<Step>(i));
        EXPECT_EQ(loss[i].value, i == 6 ? 1.0 : 1.0 / static_cast<double>(i + 1));
        EXPECT_EQ(loss[i].epoch, static_cast<double>(i / 4));
        EXPECT_EQ(loss[i].phase, Phase::Train);
        EXPECT_GT(loss[i].time_ns, 0);
    }
    const auto count = run->points("count").value();
    ASSERT_EQ(count.size(), 18u);
    EXPECT_EQ(count.back().step, 17'000);
    EXPECT_EQ(count.back().value, 34);
}

// Half of it might be told wrongly: nothing is.
TEST_F(AimAtRest, ADamagedFileIsLeftToRocksdb) {
    const std::string place = ".aim/meta/chunks/0123456789abcdef01234567/";
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / place)) {
        const std::string name = place + entry.path().filename().string();
        const std::string text = folder_.read(name);
        std::string changed = text;
        changed[text.size() / 2] = static_cast<char>(changed[text.size() / 2] ^ 0x41);
        folder_.write(name, changed);
        const auto catalogue =
            test::opened([this] { return sources::aim::find_runs(folder_.path()); });
        EXPECT_THAT(catalogue->runs(), IsEmpty()) << name;
        EXPECT_EQ(catalogue->unreadable().size(), 1u) << name;
        folder_.write(name, text);
    }
    // What waits in a log of writes is known to RocksDB alone.
    folder_.write(place + "000099.log", "x");
    const auto catalogue = test::opened([this] { return sources::aim::find_runs(folder_.path()); });
    EXPECT_EQ(catalogue->unreadable().size(), 1u);
}

}  // namespace
