#include "record/delivery.h"

#include "io/files.h"
#include "io/temporary_folder.h"
#include "record/cursor.h"
#include "record/fake_sink.h"
#include "record/sink_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace taffrail::record {
namespace {

using namespace std::chrono_literals;
using test::FakeReader;
using test::FakeSink;

class Deliveries : public testing::Test {
  protected:
    void add(std::size_t count, Kind kind = Kind::Scalar, RouteMask route = kAllSinks) {
        const std::lock_guard guard(log_->mutex);
        for (std::size_t i = 0; i < count; ++i) {
            Record record;
            record.key = "x";
            record.kind = kind;
            record.route = route;
            record.scalar = static_cast<double>(log_->records.size());
            log_->records.push_back(record);
        }
    }

    DeliveryOptions options(RouteMask mask = 1) {
        DeliveryOptions made;
        made.sink_name = "fake";
        made.mask = mask;
        made.cursor_path = cursor_path(folder_.path(), "fake", 7);
        return made;
    }

    // Numbers 0…count-1, each once and in order.
    void expect_all(std::size_t count) {
        const std::lock_guard guard(content_->mutex);
        ASSERT_EQ(content_->values.size(), count);
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_EQ(content_->values[i], static_cast<double>(i));
        }
    }

    test::TemporaryFolder folder_;
    std::shared_ptr<test::SinkContent> content_ = std::make_shared<test::SinkContent>();
    std::shared_ptr<FakeReader::Content> log_ = std::make_shared<FakeReader::Content>();
    FakeSink fake_{content_};
    OpenSink sink_{fake_};
    FakeReader reader_{log_};
    Delivery::Time now_ = Delivery::Time() + 1h;
};

TEST_F(Deliveries, HandsOverWhenTheFlushIntervalIsOver) {
    Delivery delivery(sink_, reader_, options(), {});
    add(25);
    const auto next = delivery.step(now_);
    expect_all(25);
    EXPECT_EQ(next, now_ + 2s);
    add(5);
    EXPECT_EQ(delivery.step(now_ + 1s), next) << "not yet";
    expect_all(25);
    delivery.step(now_ + 2s);
    expect_all(30);
}

TEST_F(Deliveries, HandsOverEarlierWhenEnoughRecordsWait) {
    content_->flush_records = 4;
    Delivery delivery(sink_, reader_, options(), {});
    delivery.step(now_);
    add(3);
    delivery.step(now_ + 10ms);
    expect_all(0);
    add(1);
    delivery.step(now_ + 20ms);
    expect_all(4);
}

/// Takes records and sends them on flush(), as those do that talk to a server.
struct SendingSink final : Sink {
    Result<void> open(const SinkContext&) override { return {}; }

    Result<void> write(std::span<const Record> records, std::size_t& delivered) override {
        held += records.size();
        delivered = records.size();
        return {};
    }

    Result<void> flush() override {
        if (is_away) {
            return Error{ErrorCode::Unavailable, "away"};
        }
        sent += std::exchange(held, 0);
        return {};
    }

    Result<void> close(RunState) override {
        return is_away ? Result<void>(Error{ErrorCode::Unavailable, "away"}) : Result<void>();
    }

    [[nodiscard]] bool accepts(Kind) const noexcept override { return true; }

    std::size_t held = 0, sent = 0;
    bool is_away = false;
};

// One flush, and one note of the place, for what comes in one go; but not for all of it where that
// takes long.
TEST_F(Deliveries, ChunksThatFollowAtOnceAreFlushedTogether) {
    auto settings = options();
    auto clock = now_;
    settings.chunk_records = 10;
    settings.longest_unflushed = 200ms;
    settings.now = [&] { return clock; };
    std::vector<std::uint64_t> told;
    settings.progress = [&](std::uint64_t more) { told.push_back(more); };
    Delivery quick(sink_, reader_, settings, {});
    add(100);
    quick.step(now_);
    expect_all(100);
    EXPECT_EQ(content_->flushes, 1u);
    EXPECT_EQ(told, std::vector<std::uint64_t>{100});
    EXPECT_EQ(read_cursor(settings.cursor_path).value(), quick.position());

    settings.now = [&] { return clock += 60ms; };
    Delivery slow(sink_, reader_, settings, quick.position());
    add(100);
    slow.step(now_);
    expect_all(200);
    EXPECT_GT(content_->flushes, 2u);
    EXPECT_LT(content_->flushes, 8u);
}

// What was taken before a failure is flushed and noted, whatever the time.
TEST_F(Deliveries, AFailureIsFlushedBeforeItIsToldOf) {
    auto settings = options();
    settings.chunk_records = 10;
    settings.now = [this] { return now_; };
    Delivery delivery(sink_, reader_, settings, {});
    add(40);
    content_->fail_write = true;
    content_->take_before_failing = 3;
    delivery.step(now_);
    EXPECT_NE(delivery.failure(), nullptr);
    EXPECT_EQ(content_->flushes, 1u);
    EXPECT_EQ(read_cursor(settings.cursor_path).value(), delivery.position());
    content_->fail_write = false;
    delivery.step(now_ + 1h);
    expect_all(40);
}

// Nothing new comes, and what is held must go out all the same.
TEST_F(Deliveries, FlushThatFailedIsTriedAgain) {
    SendingSink sending;
    OpenSink open(sending);
    Delivery delivery(open, reader_, options(), {});
    add(5);
    sending.is_away = true;
    const auto next = delivery.step(now_);
    ASSERT_NE(delivery.failure(), nullptr);
    EXPECT_EQ(read_cursor(options().cursor_path).value(), LogPosition{});
    sending.is_away = false;
    delivery.step(next);
    EXPECT_EQ(delivery.failure(), nullptr);
    EXPECT_EQ(sending.sent, 5u);
    EXPECT_NE(read_cursor(options().cursor_path).value(), LogPosition{});
}

// A disk that was full for a moment: what came before is noted then, also where nothing more comes.
// Else a kill hours later would have all of it handed over again.
TEST_F(Deliveries, ANoteThatFailedIsTriedAgain) {
    const std::string place = io::parent(options().cursor_path);
    ASSERT_TRUE(io::write_file_atomically(place, {}, false).ok());  // a file where the folder goes
    Delivery delivery(sink_, reader_, options(), {});
    add(5);
    const auto next = delivery.step(now_);
    expect_all(5);
    ASSERT_NE(delivery.failure(), nullptr);
    ASSERT_TRUE(io::remove(place).ok());
    delivery.step(next);
    EXPECT_EQ(delivery.failure(), nullptr);
    EXPECT_EQ(read_cursor(options().cursor_path).value(), delivery.position());
    EXPECT_NE(delivery.position(), LogPosition{});
    expect_all(5);
}

TEST_F(Deliveries, NotesThatASinkCouldNotBeClosed) {
    SendingSink sending;
    OpenSink open(sending);
    Delivery delivery(open, reader_, options(), {});
    add(5);
    ASSERT_TRUE(delivery.drain().ok());
    sending.is_away = true;
    EXPECT_FALSE(delivery.close(RunState::Finished).ok());
    EXPECT_TRUE(io::exists(unclosed_path(options().cursor_path)));
    sending.is_away = false;
    EXPECT_TRUE(delivery.close(RunState::Finished).ok());
    EXPECT_FALSE(io::exists(unclosed_path(options().cursor_path)));
}

TEST_F(Deliveries, TriesAgainFromWhereItBroke) {
    Delivery delivery(sink_, reader_, options(), {});
    add(18);
    content_->fail_write = true;
    content_->take_before_failing = 3;
    auto next = delivery.step(now_);
    EXPECT_NE(delivery.failure(), nullptr);
    EXPECT_EQ(next, now_ + 100ms);
    EXPECT_EQ(delivery.step(now_ + 50ms), next) << "waits";
    content_->take_before_failing = 0;
    next = delivery.step(next);
    EXPECT_EQ(next, now_ + 100ms + 200ms) << "longer each time";
    content_->fail_write = false;
    delivery.step(next);
    EXPECT_EQ(delivery.failure(), nullptr);
    expect_all(18);
}

TEST_F(Deliveries, GoesOnFromTheCursorInALaterProcess) {
    add(13);
    {
        Delivery delivery(sink_, reader_, options(), {});
        ASSERT_TRUE(delivery.drain().ok());
    }
    add(9);
    OpenSink again(fake_);
    Delivery later(again, reader_, options(), read_cursor(options().cursor_path).value());
    ASSERT_TRUE(later.drain().ok());
    expect_all(22);
    EXPECT_EQ(content_->opens, 2u);
}

TEST_F(Deliveries, SkipsKindsTheSinkHasNoPlaceForAndRoutesOfOthers) {
    add(2);
    add(3, Kind::Image);
    add(2, Kind::Scalar, 2);
    add(1);
    Delivery delivery(sink_, reader_, options(1), {});
    ASSERT_TRUE(delivery.drain().ok());
    EXPECT_EQ(content_->values, (std::vector<double>{0, 1, 7}));
}

TEST_F(Deliveries, ADamagedCursorIsAnErrorNotAFreshStart) {
    ASSERT_TRUE(write_cursor(options().cursor_path, {3, 4, 5}).ok());
    EXPECT_EQ(read_cursor(options().cursor_path).value(), (LogPosition{3, 4, 5}));
    Bytes bytes = io::read_file(options().cursor_path).value();
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        Bytes flipped = bytes;
        flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        ASSERT_TRUE(io::write_file_atomically(options().cursor_path, flipped, false).ok());
        ASSERT_EQ(read_cursor(options().cursor_path).error().code, ErrorCode::Corrupt);
    }
    EXPECT_EQ(read_cursor(folder_.file("none")).value(), LogPosition{});
}

TEST_F(Deliveries, ARunnerDeliversEverythingAtTheEnd) {
    SinkRunner runner(std::make_unique<FakeSink>(content_), std::make_unique<FakeReader>(log_),
                      options(), {});
    add(45);
    ASSERT_TRUE(runner.finish(RunState::Finished, std::chrono::steady_clock::now() + 10s).ok());
    expect_all(45);
    EXPECT_EQ(content_->closes, 1u);
}

TEST_F(Deliveries, ARunnerIsPokedForSinksThatCount) {
    content_->flush_records = 1;
    content_->flush_interval = 1h;
    SinkRunner runner(std::make_unique<FakeSink>(content_), std::make_unique<FakeReader>(log_),
                      options(), {});
    for (int i = 0; i < 2000; ++i) {
        add(i == 0 ? 1 : 0);
        runner.poke();
        {
            const std::lock_guard guard(content_->mutex);
            if (!content_->values.empty()) {
                break;
            }
        }
        std::this_thread::sleep_for(1ms);
    }
    expect_all(1);
}

// Logs that turn up while the runner works: those of forked children.
TEST_F(Deliveries, ARunnerDeliversNewLogsBesideItsOwn) {
    content_->flush_interval = 1ms;
    const auto child = std::make_shared<FakeReader::Content>();
    std::atomic<bool> born{false};
    bool given = false;  // on the thread of the runner
    const auto new_logs = [&] {
        std::vector<Backlog> logs;
        if (born && !std::exchange(given, true)) {
            logs.push_back({std::make_unique<FakeReader>(child),
                            cursor_path(folder_.path(), "fake", 8), LogPosition{0, 1, 0}});
        }
        return logs;
    };
    SinkRunner runner(std::make_unique<FakeSink>(content_), std::make_unique<FakeReader>(log_),
                      options(), {}, {}, new_logs);
    add(13);
    const auto wait_for = [&](std::size_t count) {
        for (int tries = 0; tries < 30'000; ++tries) {
            {
                const std::lock_guard guard(content_->mutex);
                if (content_->values.size() >= count) {
                    return;
                }
            }
            std::this_thread::sleep_for(1ms);
        }
    };
    wait_for(13);
    expect_all(13);
    {
        const std::lock_guard guard(child->mutex);
        for (int i = 0; i < 25; ++i) {
            child->records.push_back({.key = "child", .scalar = 100.0 + i});
        }
    }
    born = true;
    wait_for(28);
    {
        const std::lock_guard guard(content_->mutex);
        ASSERT_EQ(content_->values.size(), 28u) << "its cursor stood behind the first ten";
        EXPECT_EQ(content_->values[13], 110.0);
    }
    add(2);
    {
        const std::lock_guard guard(child->mutex);
        child->records.push_back({.key = "child", .scalar = 125.0});
        child->ended = true;
    }
    ASSERT_TRUE(runner.finish(RunState::Finished, std::chrono::steady_clock::now() + 30s).ok());
    std::vector<double> own, of_child;
    for (std::size_t i = 0; i < content_->values.size(); ++i) {
        (content_->keys[i] == "x" ? own : of_child).push_back(content_->values[i]);
    }
    ASSERT_EQ(own.size(), 15u);
    ASSERT_EQ(of_child.size(), 16u);
    EXPECT_TRUE(std::ranges::is_sorted(own));
    EXPECT_TRUE(std::ranges::is_sorted(of_child));
    EXPECT_EQ(content_->opens, 1u);
    EXPECT_EQ(read_cursor(cursor_path(folder_.path(), "fake", 8)).value(), (LogPosition{0, 2, 6}));
    EXPECT_EQ(read_cursor(options().cursor_path).value(), (LogPosition{0, 1, 5}));
}

TEST_F(Deliveries, ASinkThatHangsDoesNotHoldUpTheEnd) {
    content_->hang = true;
    add(1);
    const auto start = std::chrono::steady_clock::now();
    {
        SinkRunner runner(std::make_unique<FakeSink>(content_), std::make_unique<FakeReader>(log_),
                          options(), {});
        const auto finished = runner.finish(RunState::Finished, start + 50ms);
        ASSERT_FALSE(finished.ok());
        EXPECT_EQ(finished.error().code, ErrorCode::Timeout);
        EXPECT_NE(finished.error().message.find("taffrail sync"), std::string::npos);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    content_->hang = false;
}

TEST_F(Deliveries, AFailingSinkIsGivenUpAtTheDeadlineWithItsPlaceKept) {
    content_->fail_write = true;
    content_->take_before_failing = 2;
    add(5);
    SinkRunner runner(std::make_unique<FakeSink>(content_), std::make_unique<FakeReader>(log_),
                      options(), {});
    // The runner gives up at its first failure; the test waits for its answer however busy the
    // machine is.
    runner.ask_to_finish(RunState::Finished, std::chrono::steady_clock::now());
    const auto finished = runner.finish(RunState::Finished, std::chrono::steady_clock::now() + 30s);
    ASSERT_FALSE(finished.ok());
    EXPECT_NE(finished.error().message.find("the connection broke"), std::string::npos)
        << finished.error().message;
    content_->fail_write = false;
    Delivery later(sink_, reader_, options(), read_cursor(options().cursor_path).value());
    ASSERT_TRUE(later.drain().ok());
    expect_all(5);
}

}  // namespace
}  // namespace taffrail::record
