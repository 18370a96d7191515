// All transports pass one suite; what happens when ranks disagree or stay away is tested per
// transport.
#include "metrics/communicator_suite.h"
#include "metrics/communicator_worlds.h"

#include <gmock/gmock.h>

#include <mutex>

namespace taffrail::metrics_test {

namespace {

using namespace std::chrono_literals;
using WorldRunner = void (*)(int, const RankFunction&, std::chrono::milliseconds);

struct Transport {
    const char* name;
    WorldRunner run;
};

class EveryCommunicator : public testing::TestWithParam<Transport> {
  protected:
    // Runs `check` on every rank and gathers what the ranks say.
    std::string collect(int world, const std::function<std::string(Communicator&)>& check,
                        std::chrono::milliseconds timeout = kCollectiveTimeout) {
        std::mutex mutex;
        std::string problems;
        GetParam().run(
            world,
            [&](Communicator& communicator) {
                const std::string problem = check(communicator);
                const std::lock_guard lock(mutex);
                problems += problem.empty() ? "" : problem + "\n";
            },
            timeout);
        return problems;
    }
};

TEST_P(EveryCommunicator, PassesTheSuite) {
    EXPECT_EQ(collect(4, check_collectives), "");
}

TEST_P(EveryCommunicator, KeepsGroupsApart) {
    EXPECT_EQ(collect(4, check_groups), "");
}

TEST_P(EveryCommunicator, NamesTheRankThatStaysAway) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string said = collect(
        3,
        [](Communicator& world) -> std::string {
            if (world.rank() == 2) {
                // Outlives the others' patience, so that they see silence and not a closed
                // connection.
                std::this_thread::sleep_for(400ms);
                return {};
            }
            return world.barrier().error().message;
        },
        200ms);
    EXPECT_THAT(said, testing::HasSubstr("rank 2"));
    EXPECT_THAT(said, testing::Not(testing::HasSubstr("rank 1 ")));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1200ms);
}

TEST_P(EveryCommunicator, NamesWhatEachRankIsDoingWhenTheyDiffer) {
    const std::string said = collect(2, [](Communicator& world) -> std::string {
        std::vector<double> values(2);
        const auto done =
            world.rank() == 0 ? world.barrier() : world.all_reduce(values, ReduceOp::Sum);
        return done.ok() ? "passed" : done.error().message;
    });
    EXPECT_THAT(said, testing::HasSubstr("rank 0 is in barrier"));
    EXPECT_THAT(said, testing::HasSubstr("rank 1 is in all_reduce sum of 2 numbers"));
}

INSTANTIATE_TEST_SUITE_P(Transports, EveryCommunicator,
                         testing::Values(Transport{"Threads", on_threads}, Transport{"Tcp", on_tcp},
                                         Transport{"Callback", on_callbacks}),
                         [](const auto& transport) { return transport.param.name; });

TEST(SingleCommunicator, IsAWorldOfOne) {
    const auto single = single_communicator();
    EXPECT_EQ(check_collectives(*single), "");
    const int self[] = {0};
    ASSERT_TRUE(single->group("self", self).ok());
    EXPECT_EQ(single->find_group("self").value()->world_size(), 1);
}

// A rank whose process dies closes its connection: the others know at once, not after the time-out.
TEST(TcpCommunicator, NamesADeadRankAtOnce) {
    const auto begin = std::chrono::steady_clock::now();
    on_tcp(2, [&](Communicator& world) {
        if (world.rank() == 0) {
            const auto done = world.barrier();
            ASSERT_FALSE(done.ok());
            EXPECT_EQ(done.error().code, ErrorCode::Unavailable);
            EXPECT_THAT(done.error().message, testing::HasSubstr("rank 1"));
        }
    });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST(TcpCommunicator, RefusesAnotherKey) {
    std::vector<TcpListener> listeners{listen_on_loopback().value(), listen_on_loopback().value()};
    TcpOptions options{.timeout = 300ms};
    for (const auto& listener : listeners) {
        options.hosts.push_back("127.0.0.1:" + std::to_string(listener.port));
    }
    std::thread first([options, &listeners]() mutable {
        options.key = "one";
        options.listener = listeners[0].socket;
        const auto world = connect_tcp(options);
        ASSERT_FALSE(world.ok());
        EXPECT_THAT(world.error().message, testing::HasSubstr("rank 1 did not connect"));
    });
    options.key = "two";
    options.rank = 1;
    options.listener = listeners[1].socket;
    const auto world = connect_tcp(options);
    first.join();
    ASSERT_FALSE(world.ok());
    EXPECT_THAT(world.error().message, testing::HasSubstr("key differ"));
}

TEST(TcpCommunicator, SaysWhichEntryIsNotAnAddress) {
    const auto world =
        connect_tcp({.hosts = {"127.0.0.1", "127.0.0.1:1"}, .rank = 1, .timeout = 50ms});
    ASSERT_FALSE(world.ok());
    EXPECT_THAT(world.error().message, testing::HasSubstr("'127.0.0.1' is not host:port"));
}

}  // namespace

}  // namespace taffrail::metrics_test
