// A process dies with its rings full; another one reads them.
#include "record/orphan.h"

#include "record/fake_log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace taffrail::record {
namespace {

using namespace std::chrono_literals;

// Runs `body` in a child that ends by SIGKILL, with its rings in `folder`.
template <typename Body>
void die_after(Body body) {
    const pid_t child = fork();
    if (child == 0) {
        body();
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
}

SessionParts parts_in(const std::string& folder, std::shared_ptr<test::FakeLogContent> content) {
    SessionParts parts;
    parts.identity = make_identity("run-1");
    parts.ring_folder = folder;
    parts.log = std::make_unique<test::FakeLog>(std::move(content));
    parts.encode = [](Kind, ByteSpan raw) -> Result<EncodedValue> {
        EncodedValue encoded;
        encoded.metadata.assign(raw.begin(), raw.end());
        return encoded;
    };
    return parts;
}

class Orphans : public testing::Test {
  protected:
    // A recorder whose collector never gets anything into its log.
    Recorder& stalled() {
        auto content = std::make_shared<test::FakeLogContent>();
        content->fail = true;
        Recorder& recorder = Recorder::create({.flush_interval = 1ms}, {});
        recorder.start(parts_in(folder_.path(), content)).value();
        return recorder;
    }

    Orphan only_orphan() {
        auto found = find_orphans(folder_.path()).value();
        EXPECT_EQ(found.size(), 1u);
        return found.at(0);
    }

    static detail::RowCore& row(Recorder& recorder, std::initializer_list<std::string_view> names) {
        return *recorder.keys().row(std::span(names.begin(), names.size()));
    }

    static Result<EncodedValue> encode(Kind, ByteSpan raw) {
        EncodedValue encoded;
        encoded.metadata.assign(raw.begin(), raw.end());
        return encoded;
    }

    test::TemporaryFolder folder_;
    test::FakeLogContent seen_;
};

TEST_F(Orphans, EverythingAcknowledgedComesBack) {
    die_after([&] {
        Recorder& recorder = stalled();
        recorder.change_context([](Context& context) { context.epoch = 2; });
        auto& wide = row(recorder, {"a", "b"});
        for (int i = 0; i < 20'000; ++i) {
            const double values[] = {1.0 * i, 2.0 * i};
            recorder.log(wide, i, values);
        }
        const std::uint32_t key = recorder.keys().key("note", Kind::Text);
        const std::string large(10'000, 'z');
        const ByteSpan parts[] = {as_bytes(large)};
        recorder.log_bytes(BytesKind::Value, key, kAutoStep, parts);
    });
    const Orphan orphan = only_orphan();
    test::FakeLog log(std::shared_ptr<test::FakeLogContent>(&seen_, [](auto*) {}));
    const auto lock = take_over(orphan);
    ASSERT_TRUE(lock.ok());
    ASSERT_TRUE(adopt_orphan(orphan, {}, encode, log, RunState::Crashed).ok());
    ASSERT_EQ(seen_.points["b"].size(), 20'000u);
    for (std::size_t i = 0; i < 20'000; ++i) {
        ASSERT_EQ(seen_.points["b"][i].value, 2.0 * static_cast<double>(i));
        ASSERT_EQ(seen_.points["a"][i].epoch, 2);
    }
    ASSERT_EQ(seen_.values["note"].size(), 1u);
    EXPECT_EQ(seen_.values["note"][0].metadata, std::string(10'000, 'z'));
    EXPECT_TRUE(seen_.pending.empty());
    EXPECT_TRUE(find_orphans(folder_.path()).value().empty());
    EXPECT_FALSE(io::exists(folder_.path())) << "nothing is left behind";
}

TEST_F(Orphans, WhatTheLogAlreadyHasIsNotReadAgain) {
    die_after([&] {
        Recorder& recorder = stalled();
        auto& lone = row(recorder, {"x"});
        for (int i = 0; i < 100; ++i) {
            const double value = i;
            recorder.log(lone, i, &value);
        }
    });
    const Orphan orphan = only_orphan();
    std::vector<tlog::RingPosition> positions;
    std::size_t rows = 0;
    const auto count = [&](const tlog::Batch& batch) -> Result<void> {
        rows += batch.rows;
        positions = batch.ring_positions;
        return {};
    };
    ASSERT_TRUE(read_orphan(orphan, {}, {}, {}, count).ok());
    EXPECT_EQ(rows, 100u);
    // 4 words for the context, 4 for each row: the log has the first 40.
    OrphanProgress progress;
    progress.next_seq = 41;
    progress.ring_positions = {{positions.at(0).ring, 4 + 40 * 4}};
    rows = 0;
    std::uint64_t first = 0;
    ASSERT_TRUE(
        read_orphan(orphan, progress, {}, {}, [&](const tlog::Batch& batch) -> Result<void> {
            first = batch.first_seq;
            EXPECT_EQ(batch.long_rows.at(0).value[0], 40);
            return count(batch);
        }).ok());
    EXPECT_EQ(rows, 60u);
    EXPECT_EQ(first, 41u);
    progress.ring_positions = positions;
    rows = 0;
    ASSERT_TRUE(read_orphan(orphan, progress, {}, {}, count).ok());
    EXPECT_EQ(rows, 0u);
}

TEST_F(Orphans, TheLivingAreLeftAlone) {
    test::Recording run;
    run.log(run.row({"x"}), 0, {1});
    EXPECT_TRUE(find_orphans(run.folder.file("ring")).value().empty());
    EXPECT_TRUE(
        writer_is_alive(run.folder.file("ring"), run.recorder->session()->identity().writer));
}

TEST_F(Orphans, DamagedRingsNeverCrashTheReader) {
    die_after([&] {
        Recorder& recorder = stalled();
        auto& wide = row(recorder, {"a", "b"});
        const std::uint32_t key = recorder.keys().key("note", Kind::Text);
        for (int i = 0; i < 50; ++i) {
            const double values[] = {1, 2};
            recorder.log(wide, i, values);
            const ByteSpan parts[] = {as_bytes("hello")};
            recorder.log_bytes(BytesKind::Value, key, kAutoStep, parts);
        }
    });
    const Orphan orphan = only_orphan();
    const Bytes good = io::read_file(orphan.rings.at(0)).value();
    std::uint64_t random = 88172645463325252u;
    for (int trial = 0; trial < 300; ++trial) {
        Bytes bad = good;
        for (int flips = 0; flips < 4; ++flips) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            bad[random % (kRingDataOffset + 8192)] ^= static_cast<std::byte>(random >> 56);
        }
        if (trial % 10 == 0) {
            bad.resize(random % bad.size());
        }
        ASSERT_TRUE(io::write_file_atomically(orphan.rings[0], bad, false).ok());
        (void)read_orphan(orphan, {}, {}, {},
                          [](const tlog::Batch&) -> Result<void> { return {}; });
    }
}

TEST_F(Orphans, AForkedChildWritesAsAWriterOfItsOwn) {
    test::Recording run;
    auto& x = run.row({"x"});
    run.log(x, 0, {1});
    const pid_t child = fork();
    if (child == 0) {
        run.log(x, 1, {2});
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    run.log(x, 2, {3});
    EXPECT_EQ(run.points("x").size(), 2u) << "the parent goes on undisturbed";
    const auto orphans = find_orphans(run.folder.file("ring")).value();
    ASSERT_EQ(orphans.size(), 1u);
    ASSERT_TRUE(read_orphan(orphans[0], {}, {}, {}, [&](const tlog::Batch& batch) -> Result<void> {
                    seen_.take(batch);
                    return {};
                }).ok());
    ASSERT_EQ(seen_.points["x"].size(), 1u);
    EXPECT_EQ(seen_.points["x"][0].value, 2);
}

}  // namespace
}  // namespace taffrail::record
