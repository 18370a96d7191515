#include "store/meta_state.h"

#include "codec/tlog/meta.h"

#include <gtest/gtest.h>

namespace taffrail::store {
namespace {

using tlog::MetaType;

void apply_text(MetaState& state, MetaType type, std::int64_t time, std::string_view text) {
    state.apply({type, 0, time, as_bytes(text)});
}

TEST(MetaState, NewestWinsWhateverTheOrder) {
    MetaState state;
    apply_text(state, MetaType::Name, 20, "new");
    apply_text(state, MetaType::Name, 10, "old");
    RunInfo info;
    state.describe(info);
    EXPECT_EQ(info.name, "new");
}

TEST(MetaState, TagsComeAndGo) {
    MetaState state;
    apply_text(state, MetaType::TagAdded, 1, "b");
    apply_text(state, MetaType::TagAdded, 2, "a");
    apply_text(state, MetaType::TagAdded, 3, "gone");
    apply_text(state, MetaType::TagRemoved, 4, "gone");
    RunInfo info;
    state.describe(info);
    EXPECT_EQ(info.tags, (std::vector<std::string>{"b", "a"}));
    MetaState copy;
    for (const auto& record : state.in_force(MetaState::Environment::Leave)) {
        copy.apply(record);
    }
    RunInfo again;
    copy.describe(again);
    EXPECT_EQ(again.tags, info.tags);
}

TEST(MetaState, SummariesMergeByKey) {
    MetaState state;
    const Bytes first = tlog::encode_cells({{"best", 0.5}, {"kept", std::int64_t{1}}});
    const Bytes second = tlog::encode_cells({{"best", 0.7}});
    state.apply({MetaType::Summary, 1, 1, first});
    state.apply({MetaType::Summary, 2, 1, second});
    RunInfo info;
    state.describe(info);
    EXPECT_EQ(info.summary["best"], Cell(0.7));
    EXPECT_EQ(info.summary["kept"], Cell(std::int64_t{1}));
}

TEST(MetaState, EnvironmentKeepsItsOrderAndCanBeLeftOut) {
    MetaState state;
    const Bytes cells = tlog::encode_cells({{"z", true}, {"a", false}});
    state.apply({MetaType::Environment, 1, 1, cells});
    EXPECT_EQ(state.environment(), (Hparams{{"z", true}, {"a", false}}));
    EXPECT_TRUE(state.in_force(MetaState::Environment::Leave).empty());
    EXPECT_EQ(state.in_force(MetaState::Environment::Include).size(), 2u);
}

}  // namespace
}  // namespace taffrail::store
