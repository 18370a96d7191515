#include "codec/tlog/meta.h"

#include <gtest/gtest.h>

namespace taffrail::tlog {
namespace {

TEST(Meta, CellsOfEveryTypeComeBack) {
    const Hparams cells = {{"none", std::monostate{}},
                           {"yes", true},
                           {"depth", std::int64_t{-4}},
                           {"lr", 3e-4},
                           {"", std::string("text\0with nul", 13)}};
    EXPECT_EQ(decode_cells(encode_cells(cells)), cells);
}

TEST(Meta, CellsStopAtTheFirstBadByte) {
    Bytes payload = encode_cells({{"a", true}});
    append_text(payload, "b");
    payload.push_back(std::byte{77});
    EXPECT_EQ(decode_cells(payload), (Hparams{{"a", true}}));
}

TEST(Meta, StateComesBackAndUnknownStatesDoNot) {
    const auto state = decode_state(encode_state(RunState::Failed, "rank 3 is missing"));
    ASSERT_TRUE(state);
    EXPECT_EQ(state->state, RunState::Failed);
    EXPECT_EQ(state->message, "rank 3 is missing");
    EXPECT_FALSE(decode_state(Bytes{std::byte{99}, std::byte{0}}));
    EXPECT_FALSE(decode_state({}));
}

TEST(Meta, MetricDefinitionsComeBack) {
    MetricOptions options;
    options.step = "epoch";
    options.summary = Summary::Min;
    options.goal = Goal::Minimize;
    options.hidden = true;
    const auto back = decode_metric_definitions(encode_metric_definition("val/*", options));
    ASSERT_EQ(back.size(), 1u);
    EXPECT_EQ(back[0].pattern, "val/*");
    EXPECT_EQ(back[0].options.step, "epoch");
    EXPECT_EQ(back[0].options.goal, Goal::Minimize);
    EXPECT_TRUE(back[0].options.hidden);
}

TEST(Meta, FlagsAndNamedTextsComeBack) {
    EXPECT_TRUE(decode_flag(encode_flag(true)));
    EXPECT_FALSE(decode_flag(encode_flag(false)));
    EXPECT_FALSE(decode_flag({}));
    Bytes view;
    append_text(view, "view");
    append_text(view, "{}");
    EXPECT_EQ(decode_named_text(view), (std::pair<std::string, std::string>("view", "{}")));
}

}  // namespace
}  // namespace taffrail::tlog
