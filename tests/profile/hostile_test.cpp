// Files that nobody should write: a clear report, everything good out, memory within bounds.
#include "codec/gzip.h"
#include "io/files.h"
#include "places.h"
#include "profile/derive.h"
#include "sample_profiles.h"
#include "test_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace taffrail::profile::testing {
namespace {

bool says(const Profile& profile, std::string_view words) {
    for (const std::string& line : profile.notes.lines()) {
        if (line.find(words) != std::string::npos) {
            return true;
        }
    }
    return false;
}

std::string torch_trace() {
    std::ifstream file(tests::data_folder() + "/profile/torch-2.11.pt.trace.json.gz",
                       std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(HostileTrace, BadTimesAndUnmatchedEndsAreReportedAndTheRestIsThere) {
    const Profile profile = read_text(R"([
{"ph":"X","name":"good","pid":1,"tid":1,"ts":1,"dur":2},
{"ph":"X","name":"nan","pid":1,"tid":1,"ts":NaN,"dur":2},
{"ph":"X","name":"backwards","pid":1,"tid":1,"ts":3,"dur":-2},
{"ph":"X","name":"far","pid":1,"tid":1,"ts":1e300,"dur":1},
{"ph":"E","name":"never begun","pid":1,"tid":1,"ts":4},
{"ph":"B","name":"never ended","pid":1,"tid":1,"ts":-5},
{"ph":"X","name":"un"escaped","pid":1,"tid":1,"ts":5,"dur":1},
{"ph":"X","name":"after","pid":1,"tid":1,"ts":6,"dur":1,"args":{"x":NaN,"y":[1,2}},
{"ph":"X","name":"last","pid":1,"tid":1,"ts":7,"dur":1,"args":{"x":NaN}},
17, null, {}
])",
                                      "chrome");
    std::vector<std::string> names;
    for (const Span& span : profile.spans) {
        names.emplace_back(profile.texts[span.name]);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"good", "backwards", "last", "never ended"}));
    EXPECT_EQ(profile.args_text(profile.spans[2].args), R"({"x":null})");
    EXPECT_EQ(profile.spans[3].begin_ns, -5000);
    EXPECT_EQ(profile.spans[3].duration_ns, 13'000) << "to the end of its thread";
    EXPECT_TRUE(says(profile, "whose time is absent, no number or out of range"));
    EXPECT_TRUE(says(profile, "a negative duration"));
    EXPECT_TRUE(says(profile, "an end without a beginning"));
    EXPECT_TRUE(says(profile, "a span without an end"));
    EXPECT_TRUE(says(profile, "no valid JSON was left out (2 times"));
}

TEST(HostileTrace, CutAnywhereGivesWhatStandsBefore) {
    auto whole = gunzip(as_bytes(torch_trace()));
    ASSERT_TRUE(whole.ok());
    std::size_t before = 0;
    for (std::size_t size = 3000; size < whole->size(); size += whole->size() / 37) {
        const auto read = read_profile(ByteSpan(*whole).first(size), "cut");
        ASSERT_TRUE(read.ok()) << read.error().message;
        EXPECT_GE(read->profile.spans.size(), before);
        EXPECT_FALSE(read->profile.notes.empty()) << size;
        before = read->profile.spans.size();
    }
    EXPECT_GT(before, 10'000u);
}

TEST(HostileTrace, ACutGzipStreamGivesItsBeginning) {
    const std::string packed = torch_trace();
    const auto read = read_profile(as_bytes(packed).first(packed.size() / 2), "cut");
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_GT(read->profile.spans.size(), 4'000u);
    EXPECT_TRUE(says(read->profile, "gzip stream is cut off"));
}

TEST(HostileTrace, AGzipBombStopsAtTheLimit) {
    std::string line = "main;work 1\n";
    std::string text;
    while (text.size() < 64u << 20) {
        text += line;
    }
    const Bytes packed = gzip(as_bytes(text), 9);
    const auto read = read_profile(packed, "bomb", nullptr, {.max_unpacked_bytes = 1u << 20});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_TRUE(says(read->profile, "only that much was read"));
    EXPECT_LE(read->profile.samples.size(), (1u << 20) / line.size() + 1);
}

TEST(HostileTrace, FindingS16_NoFileTakesMoreThanHalfOfTheMemoryThatIsFree) {
    std::string text = "[";
    while (text.size() < 4u << 20) {
        text += R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},)";
    }
    const ReadLimits limits{.free_memory_bytes = 2u << 20};
    const test::TestFolder folder;
    const Bytes packed = gzip(as_bytes(text), 9);
    ASSERT_LT(packed.size(), 100'000u);
    ASSERT_TRUE(io::write_file_atomically(folder / "plain.json", as_bytes(text)).ok());
    ASSERT_TRUE(io::write_file_atomically(folder / "packed.json.gz", packed).ok());
    for (const char* name : {"plain.json", "packed.json.gz"}) {
        const auto read = read_profile_file(folder / name, nullptr, limits);
        ASSERT_TRUE(read.ok()) << read.error().message;
        EXPECT_TRUE(says(read->profile, "half of the memory that is free")) << name;
        EXPECT_NEAR(static_cast<double>(read->profile.spans.size()), (1 << 20) / 53.0, 2) << name;
        const auto whole = read_profile_file(folder / name);
        EXPECT_NEAR(static_cast<double>(whole->profile.spans.size()), (4 << 20) / 53.0, 2) << name;
        EXPECT_FALSE(says(whole->profile, "only that much")) << name;
    }
}

TEST(HostileTrace, TenMillionLevelsNeedNoStack) {
    constexpr std::size_t kLevels = 10'000'000;
    std::string json = R"({"traceEvents":[{"ph":"X","name":"x","ts":1,"dur":1,"args":{"deep":)";
    json += std::string(kLevels, '[') + std::string(kLevels, ']') + "}}]}";
    const Profile profile = read_text(json, "chrome");
    EXPECT_EQ(profile.spans.size(), 1u);
    Profile deep;
    const ThreadId thread = deep.only_thread();
    const TextId name = deep.text("f");
    for (std::int64_t level = 0; level < static_cast<std::int64_t>(kLevels); ++level) {
        deep.spans.push_back({.begin_ns = level,
                              .duration_ns = 2 * static_cast<std::int64_t>(kLevels) - 2 * level,
                              .name = name,
                              .thread = thread});
    }
    make_stacks(deep);
    make_graph(deep);
    EXPECT_EQ(deep.tree.size(), kLevels + 1);
    EXPECT_EQ(deep.functions.at(0).cost.total[1], 2.0 * kLevels);
    const std::string collapsed = written_text(deep, "collapsed");
    EXPECT_LT(collapsed.size(), 40u << 20);
    EXPECT_TRUE(says(deep, "were cut there"));
}

TEST(HostileTrace, NamesOfAMegabyteStay) {
    const std::string name(1u << 20, 'n');
    Profile profile = read_text("main;" + name + " 3\n", "collapsed");
    for (const Format& format : formats()) {
        if (format.read != nullptr && format.write != nullptr) {
            Profile copy = profile;
            Profile again = read_back(written(copy, format), format.name);
            make_stacks(again);
            bool found = false;
            for (TextId id = 0; id < again.texts.size(); ++id) {
                found = found || again.texts[id] == name;
            }
            EXPECT_TRUE(found) << format.name;
        }
    }
}

TEST(HostileFiles, EmptyAndForeignOnesAreRefusedInWords) {
    for (const std::string_view text :
         {"", "hello\n", "\x89PNG\r\n\x1a\n1234", "{\"a\":1}", "[]"}) {
        const auto read = read_profile(as_bytes(text), "foreign.bin");
        ASSERT_FALSE(read.ok()) << text;
        EXPECT_TRUE(read.error().message.starts_with("foreign.bin: ")) << read.error().message;
    }
}

// Every format, cut at every few bytes and with every few bytes changed.
// A terabyte of nothing behind a few events: the limit holds for files that are not packed too.
TEST(HostileFiles, AGiganticOneIsReadUpToTheLimit) {
    const test::TestFolder folder;
    const std::string path = folder / "huge.trace.json";
    {
        const auto file = *io::open(path, io::OpenMode::Truncate);
        ASSERT_TRUE(file->append(as_bytes(std::string_view(
                                     R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},)")))
                        .ok());
    }
    std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
    const auto read = read_profile_file(path, nullptr, {.max_file_bytes = 1u << 20});
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->profile.spans.size(), 1u);
    EXPECT_FALSE(read->profile.notes.empty());
}

TEST(HostileFiles, CutAndChangedFilesNeverCrash) {
    for (const Format& format : formats()) {
        if (format.read == nullptr || format.write == nullptr) {
            continue;
        }
        for (const Sort sort : {Sort::Times, Sort::Timeline}) {
            Profile profile = ProfileMaker(5, false).make(sort);
            Bytes bytes = written(profile, format);
            if (format.name == "pprof") {
                bytes = *gunzip(bytes);
            }
            const std::size_t step = bytes.size() / 150 + 1;
            for (std::size_t size = 0; size < bytes.size(); size += step) {
                Profile cut;
                (void)format.read(ByteSpan(bytes).first(size), cut);
                Bytes changed = bytes;
                changed[size] ^= std::byte{0x41};
                Profile other;
                if (format.read(changed, other).ok()) {
                    make_graph(other);
                }
            }
        }
    }
}

TEST(HostileFiles, ClockJumpsAreMovedAndNoted) {
    const Profile profile = read_text(
        R"({"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"}]},
        "profiles":[{"type":"evented","name":"t","unit":"nanoseconds","startValue":0,"endValue":100,"events":[
        {"type":"O","frame":0,"at":10},{"type":"O","frame":1,"at":5},{"type":"C","frame":1,"at":20},{"type":"C","frame":7,"at":21},
        {"type":"C","frame":1,"at":22},{"type":"O","frame":1,"at":30}]}]})",
        "speedscope");
    EXPECT_TRUE(says(profile, "earlier than the one before it"));
    EXPECT_TRUE(says(profile, "without type, frame or time"));
    EXPECT_TRUE(says(profile, "was not open"));
    EXPECT_TRUE(says(profile, "without an end"));
    EXPECT_EQ(profile.spans.size(), 3u);
}

}  // namespace
}  // namespace taffrail::profile::testing
