#include "trackers/ranks.h"

#include "../record_builder.h"

#include <gmock/gmock.h>

#include <set>

using namespace taffrail;
using namespace taffrail::trackers;
using testing::ElementsAre;
using testing::IsNull;
using testing::Pair;

namespace {

Record of_rank(const test::Records& made, std::int32_t rank) {
    Record record = made.all().back();
    record.rank = rank;
    return record;
}

}  // namespace

TEST(Ranks, OptionIsZeroOrAll) {
    EXPECT_TRUE(check_ranks("zero").ok());
    EXPECT_TRUE(check_ranks("all").ok());
    EXPECT_FALSE(check_ranks("one").ok());
}

TEST(Ranks, NamesOfRankZeroStayAndThoseOfOthersNeverMeetThem) {
    EXPECT_EQ(name_of_rank("train/loss", 0), "train/loss");
    EXPECT_EQ(name_of_rank("train/loss", 12), "train/loss/rank_12");
    EXPECT_EQ(name_of_rank("loss/rank_1", 0), "loss/rank__1");
    std::set<std::string> names;
    std::size_t count = 0;
    for (const char* key :
         {"a", "a/rank_1", "a/rank__1", "a/rank___1", "a/rank_01", "a/rank_", "a/rank_0", "a%",
          "a%41", "", "%-", "a/rank_1/rank_2", "rank_1", "/rank_1"}) {
        for (std::int32_t rank = 0; rank < 3; ++rank) {
            names.insert(name_of_rank(key, rank));
            ++count;
        }
    }
    EXPECT_EQ(names.size(), count);
}

TEST(Ranks, SettingsOfOthersHaveAGroupOfTheirOwn) {
    EXPECT_EQ(setting_of_rank("opt/lr", 0), "opt/lr");
    EXPECT_EQ(setting_of_rank("opt/lr", 2), "rank_2/opt/lr");
    std::set<std::string> names;
    std::size_t count = 0;
    for (const char* key : {"a", "rank_1/a", "rank__1/a", "rank_01/a", "rank_1", "a%41", "", "%-",
                            "rank_2/rank_1/a", "x/rank_1/a"}) {
        for (std::int32_t rank = 0; rank < 3; ++rank) {
            names.insert(setting_of_rank(key, rank));
            ++count;
        }
    }
    EXPECT_EQ(names.size(), count);
}

TEST(Ranks, NamesAreTakenApartAtTheirSuffix) {
    const auto apart = [](std::string_view name) {
        const RankedName parts = split_rank(name);
        return std::pair(std::string(parts.name), std::string(parts.suffix));
    };
    EXPECT_THAT(apart("a/rank_1"), Pair("a", "/rank_1"));
    EXPECT_THAT(apart("a/rank_0"), Pair("a/rank_0", ""));
    EXPECT_THAT(apart("a/rank__1"), Pair("a/rank__1", ""));
    EXPECT_THAT(apart("a"), Pair("a", ""));
}

TEST(Ranks, RecordsOfOthersAreCalledByTheirRank) {
    RankedRecords ranked(KeysOfRanks::Suffix);
    test::Records made;
    made.row(0, {{"loss", 1.0}});
    EXPECT_EQ(ranked.told(of_rank(made, 0))->key, "loss");
    EXPECT_EQ(ranked.told(of_rank(made, 1))->key, "loss/rank_1");
    EXPECT_EQ(RankedRecords(KeysOfRanks::Context).told(of_rank(made, 1))->key, "loss");
    made.value("", 0, Alert{.title = "hot"});
    EXPECT_EQ(std::get<Alert>(*ranked.told(of_rank(made, 2))->value).title, "rank 2: hot");
    made.value("", 0, SummaryValues{{{"best", 1.0}}});
    EXPECT_EQ(std::get<SummaryValues>(*ranked.told(of_rank(made, 1))->value).values[0].first,
              "rank_1/best");
    made.value("model", 0, Artifact{.name = "model"});
    const Record* artifact = ranked.told(of_rank(made, 1));
    EXPECT_EQ(artifact->key, "model/rank_1");
    EXPECT_EQ(std::get<Artifact>(*artifact->value).name, "model/rank_1");
    made.value("", 0, Tag{.tag = "fast"});
    EXPECT_EQ(std::get<Tag>(*ranked.told(of_rank(made, 1))->value).tag, "fast");
}

TEST(Ranks, HyperparametersOfOthersCountWhereTheyDiffer) {
    RankedRecords ranked(KeysOfRanks::Suffix);
    SinkContext context;
    context.config = {{"lr", 0.1}, {"rank_1/x", true}};
    EXPECT_THAT(ranked.begin(context).config,
                ElementsAre(Pair("lr", Cell(0.1)), Pair("rank__1/x", Cell(true))));
    test::Records made;
    made.value("", 0, Hparams{{"device", std::string("cuda:0")}});
    EXPECT_EQ(std::get<Hparams>(*ranked.told(of_rank(made, 0))->value).size(), 1u);
    made.value("", 0, Hparams{{"lr", 0.1}, {"device", std::string("cuda:1")}});
    EXPECT_THAT(std::get<Hparams>(*ranked.told(of_rank(made, 1))->value),
                ElementsAre(Pair("rank_1/device", Cell(std::string("cuda:1")))));
    made.value("", 0, Hparams{{"lr", 0.1}});
    EXPECT_THAT(ranked.told(of_rank(made, 1)), IsNull());
}
