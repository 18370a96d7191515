// Records that a process handed over and could not note are recognised by the next one, whichever
// log they are of and however often that dies too.
#include "sinks/tensorboard/delivery_state.h"

#include "base/bytes.h"
#include "io/files.h"
#include "record_builder.h"
#include "test_files.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace taffrail::sinks::tensorboard {
namespace {

class DeliveryStates : public testing::Test {
  protected:
    DeliveryStates() {
        a_.row(0, {{"x", 1}, {"y", 2}}).row(1, {{"x", 3}});
        b_.row(0, {{"x", 4}}).row(1, {{"x", 5}});
    }

    DeliveryState open() {
        DeliveryState state;
        EXPECT_TRUE(state.open(folder_.path(), "logdir").ok());
        EXPECT_TRUE(state.begin(folder_ / "events", 0).ok());
        return state;
    }

    // How many of the records were new; they are in the file afterwards, and nobody noted that.
    static std::size_t deliver(DeliveryState& state, std::span<const Record> records) {
        std::size_t fresh = 0;
        for (const Record& record : records) {
            fresh += state.seen_before(record) ? 0 : 1;
            state.note(record);
        }
        EXPECT_TRUE(state.save("events", 0).ok());
        return fresh;
    }

    test::TestFolder folder_;
    test::Records a_{1}, b_{2};
};

TEST_F(DeliveryStates, KnowTheNewestHandOver) {
    DeliveryState first = open();
    EXPECT_EQ(deliver(first, a_.all().first(2)), 2u);
    DeliveryState second = open();
    EXPECT_EQ(deliver(second, a_.all()), 1u);
}

TEST_F(DeliveryStates, KnowTheHandOversOfSeveralLogs) {
    DeliveryState first = open();
    EXPECT_EQ(deliver(first, a_.all()), 3u);
    DeliveryState second = open();
    EXPECT_EQ(deliver(second, b_.all()), 2u);
    DeliveryState third = open();
    EXPECT_EQ(deliver(third, b_.all()), 0u);
    EXPECT_EQ(deliver(third, a_.all()), 0u);
}

TEST_F(DeliveryStates, ForgetWhatWasNotedSince) {
    DeliveryState first = open();
    EXPECT_EQ(deliver(first, a_.all().first(2)), 2u);
    DeliveryState second = open();
    EXPECT_EQ(deliver(second, a_.from(2)), 1u) << "goes on behind them: they were noted";
    DeliveryState third = open();
    EXPECT_EQ(deliver(third, a_.from(2)), 0u);
}

// A run folder may come from a stranger, and its state with it.
TEST_F(DeliveryStates, FindingS15_OnlyEventFilesOfTheLogdirAreCutBack) {
    const std::string logdir = folder_ / "logs", name = "events.out.tfevents.1.host.2";
    const std::string own = logdir + "/" + name;
    ASSERT_TRUE(io::make_directories(logdir).ok());
    ASSERT_TRUE(io::write_file_atomically(folder_ / name, as_bytes("stranger"), false).ok());
    ASSERT_TRUE(io::write_file_atomically(logdir + "/notes", as_bytes("notes"), false).ok());
    const auto cut = [&](const std::string& path) {
        ASSERT_TRUE(io::write_file_atomically(own, as_bytes("delivered"), false).ok());
        DeliveryState state;
        ASSERT_TRUE(state.open(folder_.path(), logdir).ok());
        ASSERT_TRUE(state.begin(path, 3).ok());
        DeliveryState next;
        ASSERT_TRUE(next.open(folder_.path(), logdir).ok());
    };
    for (const std::string& path :
         {folder_ / name, logdir + "/notes", logdir + "/../" + name, std::string("notes")}) {
        cut(path);
        EXPECT_EQ(io::read_text(folder_ / name).value(), "stranger") << path;
        EXPECT_EQ(io::read_text(logdir + "/notes").value(), "notes") << path;
    }
    cut(own);
    EXPECT_EQ(io::read_text(own).value(), "del");
    ASSERT_TRUE(io::remove(own).ok());
    std::filesystem::create_symlink(folder_ / name, own);
    DeliveryState last;
    ASSERT_TRUE(last.open(folder_.path(), logdir).ok());
    EXPECT_EQ(io::read_text(folder_ / name).value(), "stranger") << "through a link";
}

}  // namespace
}  // namespace taffrail::sinks::tensorboard
