// What each format says of known files, and what is written for known profiles.
#include "codec/gzip.h"
#include "profile/derive.h"
#include "profile/formats/collapsed/collapsed.h"
#include "profile/span_stacks.h"
#include "sample_profiles.h"
#include "test_files.h"

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace taffrail::profile::testing {
namespace {

std::map<std::string, double> weights(Profile& profile) {
    std::map<std::string, double> found;
    std::vector<FrameId> frames;
    for (std::size_t sample = 0; sample < profile.samples.size(); ++sample) {
        profile.tree.stack(profile.samples[sample].node, frames);
        std::string key;
        for (const FrameId frame : frames) {
            key += (key.empty() ? "" : ";") + frame_title(profile, frame);
        }
        found[key] += profile.values_of(sample)[main_value(profile)];
    }
    return found;
}

TEST(Collapsed, ReadsStacksWithSpacesAndFiles) {
    Profile profile =
        read_text("main;do work 3\nmain;f (x.py:12) 2\n# a comment\nmain 5\n", "collapsed");
    EXPECT_EQ(weights(profile), (std::map<std::string, double>{
                                    {"main;do work", 3}, {"main;f (x.py:12)", 2}, {"main", 5}}));
    EXPECT_EQ(profile.frames[profile.frame("f", "x.py", 12)].line, 12u);
}

TEST(Collapsed, TwoNumbersOnEveryLineAreBeforeAndAfter) {
    Profile profile = read_text("main;a 3 4\nmain;b 2 0\n", "collapsed");
    ASSERT_EQ(profile.value_types.size(), 2u);
    EXPECT_EQ(profile.value_types[0].name, "before");
    EXPECT_EQ(profile.values_of(0)[1], 4);
}

TEST(Collapsed, TimesAreWrittenAsWholeNanoseconds) {
    Profile profile;
    const double seconds[] = {0.0125000004}, little[] = {1e-12};
    profile.value_type("time", "seconds");
    const NodeId main = profile.tree.child(kRoot, profile.frame("main"));
    profile.add_sample({.node = main}, seconds);
    profile.add_sample({.node = profile.tree.child(main, profile.frame("leaf"))}, little);
    EXPECT_EQ(written_text(profile, "collapsed"), "main 12500000\nmain;leaf 1\n");
}

TEST(Spans, StandByThreadAndBeginWithOuterOnesFirstHoweverTheyCame) {
    std::mt19937 chance(7);
    for (int trial = 0; trial < 200; ++trial) {
        Profile profile;
        const ThreadId threads[] = {profile.thread(profile.process(1), 1),
                                    profile.thread(profile.process(1), 2)};
        const auto below = [&](std::uint32_t end) {
            return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(chance);
        };
        const std::uint32_t disorder = below(4);  // in order, few late ones, many, most
        for (std::uint32_t at = 0; at < 120; ++at) {
            const bool is_late = below(4) < disorder;
            profile.spans.push_back({.begin_ns = is_late ? below(120) : at,
                                     .duration_ns = below(5),
                                     .thread = threads[below(2)],
                                     .async_id = below(20) == 0 ? 1U : 0U});
        }
        std::vector<std::uint32_t> expected;
        for (std::uint32_t index = 0; index < profile.spans.size(); ++index) {
            if (profile.spans[index].async_id == 0) {
                expected.push_back(index);
            }
        }
        std::sort(expected.begin(), expected.end(), [&](std::uint32_t left, std::uint32_t right) {
            const auto key = [&](std::uint32_t index) {
                const Span& span = profile.spans[index];
                return std::tuple(span.thread, span.begin_ns, -span.duration_ns, index);
            };
            return key(left) < key(right);
        });
        EXPECT_EQ(nesting_order(profile), expected) << trial;
    }
}

TEST(Spans, SelfTimeIsWhatNoChildTook) {
    Profile profile;
    const ThreadId thread = profile.only_thread();
    const auto span = [&](std::string_view name, std::int64_t begin, std::int64_t duration) {
        profile.spans.push_back({.begin_ns = begin,
                                 .duration_ns = duration,
                                 .name = profile.text(name),
                                 .thread = thread});
    };
    // In any order; "late" outlasts the span it began in.
    span("child", 10, 20);
    span("step", 0, 100);
    span("late", 90, 50);
    span("child", 40, 10);
    span("next", 140, 5);
    make_stacks(profile);
    EXPECT_EQ(weights(profile),
              (std::map<std::string, double>{
                  {"step", 60}, {"step;child", 30}, {"step;late", 10}, {"next", 5}}));
    EXPECT_EQ(profile.notes.all().size(), 1u);
}

TEST(Graph, RecursiveTimeCountsOnce) {
    Profile profile = read_text("f 1\nf;f 2\nf;f;g 4\nf;g;f 8\n", "collapsed");
    make_graph(profile);
    std::map<std::string, std::pair<double, double>> found;
    for (const GraphFunction& function : profile.functions) {
        found[frame_title(profile, function.frame)] = {function.cost.self[0],
                                                       function.cost.total[0]};
    }
    EXPECT_EQ(found["f"], std::make_pair(11.0, 15.0));
    EXPECT_EQ(found["g"], std::make_pair(4.0, 12.0));
}

TEST(Callgrind, ReadsShortNamesRelativeLinesAndCalls) {
    const Profile profile = read_text(
        "# callgrind format\nversion: 1\npositions: line\nevents: Ir Dr\n\nfl=(1) a.c\nfn=(1) "
        "main\n16 20 4\n+2 5 1\ncfi=(2) b.c\ncfn=(2) work\ncalls=3 7\n* 300 "
        "30\n\nfl=(2)\nfn=(2)\n7 "
        "300 30\n",
        "callgrind");
    ASSERT_EQ(profile.functions.size(), 2u);
    EXPECT_EQ(profile.functions[0].cost.self, (std::vector<double>{25, 5}));
    EXPECT_EQ(profile.functions[0].cost.total, (std::vector<double>{325, 35}));
    EXPECT_EQ(profile.functions[1].cost.calls, 3);
    EXPECT_EQ(profile.texts[profile.frames[profile.functions[1].frame].file], "b.c");
    EXPECT_EQ(profile.value_types[0], (ValueType{"Ir", "count"}));
    EXPECT_TRUE(profile.notes.empty());
}

TEST(GraphStacks, SelfTimeOfEveryFunctionStays) {
    Profile profile = read_text("main;a;c 10\nmain;b;c 30\nmain;b;c;b 5\nc 7\n", "collapsed");
    Profile over = read_text(written_text(profile, "pstats"), "pstats");
    make_stacks(over);
    std::map<std::string, double> self;
    const auto by_node = self_by_node(over, main_value(over));
    for (NodeId node = 1; node < over.tree.size(); ++node) {
        self[frame_title(over, over.tree.frame(node))] += by_node[node];
    }
    EXPECT_NEAR(self["c"], 47, 1e-9);
    EXPECT_NEAR(self["b"], 5, 1e-9);
    EXPECT_NEAR(self["a"], 0, 1e-9);
    EXPECT_FALSE(over.notes.empty()) << "a reader must know that these stacks are divided";
}

TEST(Formats, AreFoundInFilesOfAnyName) {
    const test::TestFolder folder;
    const std::string trace = R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2}]})";
    folder.write("callgrind.out.4711", "events: Ir\nfn=main\n1 5\n");
    folder.write("recording", trace);
    folder.write("packed", std::string(as_text(gzip(as_bytes(trace)))));
    folder.write("README", "words and words\nand no number\n");
    folder.write("empty", "");
    const auto found = [&](const char* name) -> std::string_view {
        const Format* format = format_of_file(folder / name);
        return format == nullptr ? "" : format->name;
    };
    EXPECT_EQ(found("callgrind.out.4711"), "callgrind");
    EXPECT_EQ(found("recording"), "chrome");
    EXPECT_EQ(found("packed"), "chrome");
    for (const char* none : {"README", "empty", "absent", "."}) {
        EXPECT_EQ(found(none), "") << none;
    }
}

TEST(Formats, AreFoundByTheirFileNames) {
    EXPECT_EQ(format_of_path("x.pt.trace.json.gz")->name, "chrome");
    EXPECT_EQ(format_of_path("x.speedscope.json")->name, "speedscope");
    EXPECT_EQ(format_of_path("x.pb.gz")->name, "pprof");
    EXPECT_EQ(format_of_path("x.prof")->name, "pstats");
    EXPECT_EQ(format_of_path("x.unknown"), nullptr);
}

}  // namespace
}  // namespace taffrail::profile::testing
