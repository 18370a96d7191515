#include "model/gathered_run.h"

#include <gmock/gmock.h>

namespace taffrail::model {
namespace {

using testing::ElementsAre;

// Sources gather key by key; whoever reads the log of a run gets what was logged together together.
TEST(GatheredRun, RecordsComeInTheOrderOfTheirTimes) {
    auto content = std::make_shared<GatheredContent>();
    content->info.start_time_ns = 5;
    content->info.config = {{"lr", 0.5}};
    for (Step step = 0; step < 3; ++step) {
        content->series["a"].add(step, 10 + step, 1);
        content->series["z"].add(step, 10 + step, 2);
    }
    content->series["b"].add(7, 11, 3);
    content->series["b"].add(6, 9, 3);  // a clock that went back: the order of its log stays
    content->series["a"].begin(1);
    content->series["a"].add(0, 3, 4);  // a later attempt
    content->values["m"].push_back(
        {.kind = Kind::Text, .step = 1, .time_ns = 11, .make = [](GatheredBlobs&) -> Result<Value> {
             return Value(Text{.text = "hello"});
         }});
    const GatheredRun run(content, nullptr);
    std::vector<std::string> order;
    const auto note = [&](const Record& record) {
        order.push_back(std::string(record.key) + std::to_string(record.step));
        return order.size() < 20;
    };
    ASSERT_TRUE(run.for_each(note).ok());
    EXPECT_THAT(
        order, ElementsAre("hparams0", "a0", "z0", "a1", "m1", "z1", "b7", "b6", "a2", "z2", "a0"));
    order.clear();
    ASSERT_TRUE(
        run.for_each([&](const Record& record) { return note(record) && order.size() < 2; }).ok());
    EXPECT_EQ(order.size(), 2u);
}

}  // namespace
}  // namespace taffrail::model
