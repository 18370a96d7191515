// .tprof: golden bytes, round trip, and every way a file can be cut or damaged.
#include "profile/formats/tprof/tprof.h"

#include "profile/formats/tprof/frames.h"

#include <gtest/gtest.h>

#include <random>

namespace taffrail::profile {
namespace {

Bytes sample_file() {
    using namespace tprof;
    Bytes file = encode_header({"w", 7, 1000, "prog"});
    const auto add = [&](const Bytes& frame) { append(file, ByteSpan(frame)); };
    add(encode_sites(std::vector<Site>{{1, "step", "a.cpp", 3}, {2, "inner", "", 0}}));
    add(encode_table(std::vector<TableNode>{{0, "old"}}, 5, 0));
    add(encode_zones(9, std::vector<ZoneRecord>{{5000, 20, 2}, {4990, 50, 1}, {6000, 1, 99}}));
    add(encode_steps(std::vector<StepMark>{{-1, 4000}, {41, 4500}}));
    add(encode_table(
        std::vector<TableNode>{{0, "step", "a.cpp", 3, false, 4, 1000, 1, 500, 200, 400},
                               {1, "inner", "", 0, true, 8, 600},
                               {1, "other", "", 0, false, 1, 300},
                               {0, "step", "b.cpp", 9, false, 1, 50}},
        6, 2));
    add(encode_loss(12, LossReason::Buffer));
    add(encode_end(7));
    return file;
}

// A change of the bytes is a change of the format.
TEST(Tprof, BytesOfAFrame) {
    const Bytes bytes = tprof::encode_end(-1);
    const std::vector<int> expected = {'T', 'P', 'F', '1', 0, 0, 0, 0, 8, 1, 0, 0, 1, 0, 0, 0, 1};
    ASSERT_EQ(bytes.size(), expected.size());
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        if (index < 4 || index > 7) {
            EXPECT_EQ(std::to_integer<int>(bytes[index]), expected[index]) << index;
        }
    }
}

TEST(Tprof, EverythingComesBack) {
    const Bytes file = sample_file();
    Profile profile;
    ASSERT_TRUE(is_tprof(file));
    ASSERT_TRUE(read_tprof(file, profile).ok());
    EXPECT_EQ(profile.name, "prog");
    ASSERT_EQ(profile.spans.size(), 3u);
    EXPECT_EQ(profile.spans[1].begin_ns, 4990);
    EXPECT_EQ(profile.spans[1].duration_ns, 50);
    EXPECT_EQ(profile.texts[profile.spans[1].name], "step");
    EXPECT_EQ(profile.texts[profile.spans[2].name], "(unknown)");
    EXPECT_EQ(profile.threads[profile.spans[0].thread].id, 9);
    ASSERT_EQ(profile.instants.size(), 2u);
    EXPECT_EQ(profile.texts[profile.instants[1].name], "step 41");
    EXPECT_EQ(profile.instants[1].time_ns, 4500);
    // The last table alone, with self times.
    ASSERT_EQ(profile.samples.size(), 4u);
    EXPECT_EQ(profile.values_of(0)[0], 4);
    EXPECT_EQ(profile.values_of(0)[1], 100);
    EXPECT_EQ(profile.values_of(1)[1], 600);
    const Frame& frame = profile.frames[profile.tree.frame(profile.samples[3].node)];
    EXPECT_EQ(profile.texts[frame.file], "b.cpp");
    EXPECT_EQ(frame.line, 9u);
    EXPECT_EQ(profile.notes.all().size(), 1u) << "what was lost";
    const auto checked = tprof::check(file);
    EXPECT_EQ(checked.frames, 8u);
    EXPECT_TRUE(checked.ended && checked.damaged.empty() && checked.pending_bytes == 0);
}

TEST(Tprof, CutAnywhereGivesTheFramesBefore) {
    const Bytes file = sample_file();
    std::uint64_t frames = 0;
    for (std::size_t size = 0; size <= file.size(); ++size) {
        const auto checked = tprof::check(ByteSpan(file).first(size));
        EXPECT_GE(checked.frames, frames);
        EXPECT_TRUE(checked.damaged.empty());
        EXPECT_EQ(checked.good_bytes + checked.pending_bytes, size);
        frames = checked.frames;
        Profile profile;
        EXPECT_EQ(read_tprof(ByteSpan(file).first(size), profile).ok(), frames > 0);
    }
    EXPECT_EQ(frames, 8u);
}

TEST(Tprof, EveryFlippedBitCostsOneFrameAtMost) {
    const Bytes whole = sample_file();
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
        Bytes file = whole;
        file[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        const auto checked = tprof::check(file);
        ASSERT_EQ(checked.frames, 7u) << bit;
        ASSERT_EQ(checked.damaged.size() + (checked.pending_bytes > 0 ? 1 : 0), 1u) << bit;
        Profile profile;
        ASSERT_TRUE(read_tprof(file, profile).ok());
    }
}

// Frames whose checksum fits and whose content is chance.
TEST(Tprof, HostileContentIsBounded) {
    std::mt19937_64 random(3);
    for (int trial = 0; trial < 3000; ++trial) {
        Bytes file;
        for (const auto& frame :
             {sample_file(), tprof::encode_zones(1, {}), tprof::encode_steps({})}) {
            append(file, ByteSpan(frame));
        }
        Bytes hostile;
        std::size_t at = 0;
        while (at + tprof::kFrameHeaderBytes <= file.size()) {
            const auto length = load<std::uint32_t>(file.data() + at + 12);
            Bytes payload(file.begin() + static_cast<std::ptrdiff_t>(at + 16),
                          file.begin() + static_cast<std::ptrdiff_t>(at + 16 + length));
            for (int change = 0; change < 3 && !payload.empty(); ++change) {
                payload[random() % payload.size()] = static_cast<std::byte>(random());
            }
            const Bytes made = tprof::frame(
                static_cast<tprof::FrameType>(std::to_integer<int>(file[at + 8])), payload);
            append(hostile, ByteSpan(made));
            at += 16 + length;
        }
        Profile profile;
        ASSERT_TRUE(read_tprof(hostile, profile).ok());
        ASSERT_LE(profile.spans.size() + profile.instants.size() + profile.samples.size(),
                  hostile.size());
    }
}

TEST(Tprof, LyingLengthsDoNotCostTheSquareOfTheFile) {
    Bytes file = sample_file();
    for (int copy = 0; copy < 100'000; ++copy) {
        append(file, std::uint32_t{0x31465054});
        append(file, std::uint64_t{8});
        append(file, std::uint32_t{1000});
    }
    const auto checked = tprof::check(file);
    EXPECT_EQ(checked.frames, 8u);
    Profile nothing;
    EXPECT_FALSE(read_tprof(as_bytes("no profile at all, only text"), nothing).ok());
    EXPECT_FALSE(read_tprof({}, nothing).ok());
}

}  // namespace
}  // namespace taffrail::profile
