// The index of a profile against plain loops over the profile itself.
#include "base/clock.h"
#include "codec/json.h"
#include "io/files.h"
#include "io/temporary_folder.h"
#include "profile/derive.h"
#include "profile/formats.h"
#include "profile/index/build.h"
#include "profile/index/layout.h"
#include "profile/index/trace_index.h"
#include "sample_profiles.h"

#include <algorithm>
#include <map>
#include <set>

namespace taffrail::profile::testing {
namespace {

class IndexTest : public ::testing::Test {
  protected:
    std::shared_ptr<const TraceIndex> index_of(Profile& profile) {
        const std::string path = io::join(folder_.path(), std::to_string(++count_) + ".index");
        const auto built = build_index(profile, {"test", "chrome", 1}, path);
        EXPECT_TRUE(built.ok()) << (built.ok() ? "" : built.error().message);
        auto index = TraceIndex::open(path);
        EXPECT_TRUE(index.ok()) << (index.ok() ? "" : index.error().message);
        return index.ok() ? *index : nullptr;
    }

    static SliceAnswer everything(const TraceIndex& index, std::uint32_t width) {
        SliceQuestion question{.to_ns = index.duration_ns() + 1, .width = width};
        for (std::uint32_t track = 0; track < index.tracks().size(); ++track) {
            question.tracks.push_back(track);
        }
        return index.ask(question);
    }

    ::taffrail::test::TemporaryFolder folder_;
    int count_ = 0;
};

std::int64_t begin_of(const Profile& profile) {
    std::int64_t begin_ns = INT64_MAX;
    for (const Span& span : profile.spans) {
        begin_ns = std::min(begin_ns, span.begin_ns);
    }
    for (const Instant& instant : profile.instants) {
        begin_ns = std::min(begin_ns, instant.time_ns);
    }
    for (const CounterPoint& point : profile.counters) {
        begin_ns = std::min(begin_ns, point.time_ns);
    }
    return begin_ns;
}

TEST_F(IndexTest, EverySliceIsThereOnceAndRowsDoNotOverlap) {
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        Profile profile = ProfileMaker(seed, true).make(Sort::Timeline);
        std::multiset<std::tuple<std::string, double, double>> expected, found;
        const std::int64_t begin_ns = begin_of(profile);
        for (const Span& span : profile.spans) {
            expected.emplace(profile.texts[span.name],
                             static_cast<double>(span.begin_ns - begin_ns),
                             static_cast<double>(span.duration_ns));
        }
        for (const Instant& instant : profile.instants) {
            expected.emplace(profile.texts[instant.name],
                             static_cast<double>(instant.time_ns - begin_ns), 0.0);
        }
        const auto index = index_of(profile);
        ASSERT_NE(index, nullptr);
        SliceQuestion question{.to_ns = index->duration_ns() + 1, .width = UINT32_MAX};
        for (std::uint32_t track = 0; track < index->tracks().size(); ++track) {
            question.tracks.push_back(track);
        }
        const SliceAnswer answer = index->ask(question);
        std::size_t row = 0;
        for (std::size_t at = 0; at < answer.name.size(); ++at) {
            while (row + 1 < answer.rows.size() && answer.rows[row + 1].first <= at) {
                ++row;
            }
            if (at > answer.rows[row].first) {
                EXPECT_GE(answer.begin_ns[at],
                          answer.begin_ns[at - 1] + answer.duration_ns[at - 1]);
            }
            ASSERT_EQ(answer.count[at], 1u);
            found.emplace(index->text(answer.name[at]), answer.begin_ns[at],
                          answer.duration_ns[at]);
        }
        EXPECT_EQ(found, expected) << "seed " << seed;
    }
}

// Rounded times make neighbours overlap by a nanosecond; that must not push each one a row down.
TEST_F(IndexTest, NeighboursThatOverlapALittleDoNotMakeStairs) {
    Profile profile;
    const ThreadId thread = profile.only_thread();
    for (std::int64_t i = 0; i < 1000; ++i) {
        profile.spans.push_back({.begin_ns = i * 100, .duration_ns = 101, .thread = thread});
        profile.spans.push_back({.begin_ns = i * 100 + 10, .duration_ns = 50, .thread = thread});
    }
    const auto index = index_of(profile);
    ASSERT_NE(index, nullptr);
    EXPECT_LE(index->tracks().at(0).rows.size(), 3u);
}

TEST_F(IndexTest, JoinedSlicesKeepCountAndBusyTime) {
    Profile profile;
    const ThreadId thread = profile.only_thread();
    std::mt19937 chance(7);
    std::int64_t now_ns = 0, busy_ns = 0;
    for (int i = 0; i < 100'000; ++i) {
        const auto duration_ns = static_cast<std::int64_t>(chance() % 1000);
        profile.spans.push_back({.begin_ns = now_ns,
                                 .duration_ns = duration_ns,
                                 .name = profile.text("n" + std::to_string(chance() % 9)),
                                 .thread = thread});
        now_ns += duration_ns + static_cast<std::int64_t>(chance() % 500);
        busy_ns += duration_ns;
    }
    const auto index = index_of(profile);
    ASSERT_NE(index, nullptr);
    for (const std::uint32_t width : {1u, 10u, 1000u, 5000u}) {
        const SliceAnswer answer = everything(*index, width);
        EXPECT_LE(answer.name.size(), 2u * width + 2);
        std::uint64_t count = 0;
        double busy = 0;
        for (std::size_t at = 0; at < answer.name.size(); ++at) {
            count += answer.count[at];
            busy += static_cast<double>(answer.busy[at]) * answer.duration_ns[at];
        }
        EXPECT_EQ(count, 100'000u) << width;
        EXPECT_NEAR(busy, static_cast<double>(busy_ns), static_cast<double>(busy_ns) * 1e-4);
    }
    // A part of it: the slices that touch the range, and no others.
    const SliceAnswer part = index->ask(
        SliceQuestion{.from_ns = 5000, .to_ns = 9000, .width = 1'000'000, .tracks = {0}});
    std::size_t expected = 0;
    for (const Span& span : profile.spans) {
        expected += span.begin_ns < 9000 && span.begin_ns + span.duration_ns > 5000 ? 1 : 0;
    }
    EXPECT_EQ(part.name.size(), expected);
    const auto busy = index->busy(0, 100);
    EXPECT_EQ(busy.size(), 100u);
    EXPECT_TRUE(std::ranges::all_of(busy, [](std::uint8_t share) { return share > 100; }));
}

TEST_F(IndexTest, DetailsSelfTimeArgumentsAndArrows) {
    Profile profile = read_text(R"({"traceEvents":[
{"ph":"X","name":"outer","cat":"a","pid":1,"tid":1,"ts":0,"dur":100,"args":{"x":"ü"}},
{"ph":"X","name":"inner","pid":1,"tid":1,"ts":10,"dur":20},
{"ph":"X","name":"inner","pid":1,"tid":1,"ts":40,"dur":30},
{"ph":"X","name":"kernel","pid":0,"tid":7,"ts":60,"dur":25},
{"ph":"s","id":5,"name":"ac2g","cat":"ac2g","pid":1,"tid":1,"ts":45},
{"ph":"f","id":5,"name":"ac2g","cat":"ac2g","pid":0,"tid":7,"ts":60,"bp":"e"},
{"ph":"X","name":"ProfilerStep#12","cat":"user_annotation","pid":1,"tid":2,"ts":0,"dur":100}
]})",
                                "chrome");
    const auto index = index_of(profile);
    ASSERT_NE(index, nullptr);
    const SearchAnswer found = index->search("INNER", 10'000);
    EXPECT_EQ(found.count, 2u);
    EXPECT_EQ(found.total_ns, 50'000u);
    ASSERT_GE(found.next, 0);
    const auto inner = index->slice(static_cast<std::uint32_t>(found.next));
    ASSERT_TRUE(inner.ok());
    EXPECT_EQ(inner->begin_ns, 40'000);
    EXPECT_EQ(inner->row, 1u);
    EXPECT_EQ(inner->same_count, 2u);
    EXPECT_EQ(inner->same_longest_ns, 30'000);
    const SearchAnswer outer = index->search("outer", -1);
    const auto detail = index->slice(static_cast<std::uint32_t>(outer.next));
    ASSERT_TRUE(detail.ok());
    EXPECT_EQ(detail->self_ns, 50'000);
    EXPECT_EQ(index->args(detail->id), "{\"x\":\"ü\"}");
    EXPECT_EQ(detail->category, "a");
    const auto arrows = index->arrows_of(static_cast<std::uint32_t>(found.next), 10);
    ASSERT_EQ(arrows.size(), 1u);
    EXPECT_EQ(index->text(arrows[0].name), "ac2g");
    EXPECT_EQ(index->slice(arrows[0].to)->name, "kernel");
    EXPECT_EQ(index->arrows(0, 100'000, 10).size(), 1u);
    EXPECT_EQ(index->arrows(70'000, 100'000, 10).size(), 0u);
    EXPECT_NE(index->info().find("\"number\":12"), std::string_view::npos);
    EXPECT_FALSE(index->slice(UINT32_MAX).ok());
}

TEST_F(IndexTest, FlameAddsUpAndPrunesWhatCannotBeSeen) {
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
        Profile profile = ProfileMaker(seed, true).make(Sort::Times);
        double whole = 0;
        const std::size_t value = main_value(profile);
        for (std::size_t sample = 0; sample < profile.samples.size(); ++sample) {
            whole += profile.values_of(sample)[value];
        }
        const auto index = index_of(profile);
        ASSERT_NE(index, nullptr);
        const FlameAnswer all = index->ask(FlameQuestion{.value = index->main_value()});
        ASSERT_FALSE(all.node.empty());
        EXPECT_NEAR(all.total[0], whole, whole * 1e-9);
        double self = 0;
        for (std::size_t at = 0; at < all.node.size(); ++at) {
            self += all.self[at];
            EXPECT_GE(all.begin[at], 0);
            EXPECT_LE(all.begin[at] + all.total[at], all.total[0] * (1 + 1e-9));
        }
        EXPECT_NEAR(self, whole, whole * 1e-9) << "seed " << seed;
        const FlameAnswer wide =
            index->ask(FlameQuestion{.value = index->main_value(), .least_share = 0.2});
        EXPECT_LE(wide.node.size(), all.node.size());
        EXPECT_EQ(wide.node.size() + wide.left_out, all.node.size() + all.left_out);
        for (const double total : wide.total) {
            EXPECT_GE(total, whole * 0.2);
        }
        // Below a frame: its own total is the whole.
        if (all.node.size() > 1) {
            const FlameAnswer below =
                index->ask(FlameQuestion{.root = all.node[1], .value = index->main_value()});
            EXPECT_DOUBLE_EQ(below.total[0], all.total[1]);
            EXPECT_EQ(index->flame_path(all.node[1]).front(), 0u);
        }
    }
}

TEST_F(IndexTest, MatchedWeightCountsNestedFramesOnce) {
    Profile profile = read_text("main;work;work 10\nmain;rest 5\nmain;work;leaf 3\n", "collapsed");
    const auto index = index_of(profile);
    ASSERT_NE(index, nullptr);
    EXPECT_DOUBLE_EQ(
        index->ask(FlameQuestion{.value = index->main_value(), .search = "WORK"}).matched, 13);
}

TEST_F(IndexTest, ArgumentsOfAPlainFileStayInIt) {
    std::string text =
        R"([{"ph":"X","name":"plain","pid":1,"tid":1,"ts":0,"dur":5,"args":{"x":[1]}},
{"ph":"X","name":"none","pid":1,"tid":1,"ts":10,"dur":5},
{"ph":"X","name":"doubtful","pid":1,"tid":1,"ts":20,"dur":5,"args":{"x":NaN,"y":"a\tb"}},
{"ph":"B","name":"joined","pid":1,"tid":1,"ts":30,"args":{"at":"begin"}},
{"ph":"E","name":"joined","pid":1,"tid":1,"ts":35,"args":{"then":"end"}},
{"ph":"X","name":"long","pid":1,"tid":1,"ts":40,"dur":5,"args":{"x":")" +
        std::string(kMaxArgsBytes, 'x') + R"("}},
{"ph":"i","name":"mark","pid":1,"tid":1,"ts":50,"args":{"last":true}})";
    for (int more = 0; more < 300; ++more) {
        text += R"(,{"ph":"X","name":"more","pid":1,"tid":1,"ts":)" + std::to_string(60 + more) +
                R"(,"dur":1,"args":{"number":)" + std::to_string(more) + "}}";
    }
    text += "]";
    const std::string path = io::join(folder_.path(), "plain.json");
    ASSERT_TRUE(io::write_file_atomically(path, as_bytes(text)).ok());
    auto read = read_profile_file(path);
    ASSERT_TRUE(read.ok()) << read.error().message;
    const std::string of_file = io::join(folder_.path(), "file.index");
    ASSERT_TRUE(build_index(read->profile, {"plain.json", "chrome", 1}, of_file).ok());
    Profile copied = read_text(text, "chrome");
    const auto with_copies = index_of(copied);
    const auto index = TraceIndex::open(of_file, path);
    ASSERT_TRUE(index.ok() && with_copies != nullptr);
    std::set<std::string> found;
    ASSERT_EQ((*index)->slices(), with_copies->slices());
    for (std::uint32_t id = 0; id < with_copies->slices(); ++id) {
        EXPECT_EQ((*index)->args(id), with_copies->args(id)) << id;
        found.insert((*index)->args(id));
    }
    EXPECT_TRUE(found.contains(R"({"x":[1]})"));
    EXPECT_TRUE(found.contains(R"({"x":null,"y":"a\tb"})"));
    EXPECT_TRUE(found.contains(R"({"at":"begin","then":"end"})"));
    EXPECT_TRUE(found.contains(R"({"number":299})"));
    EXPECT_EQ(found.size(), 305u) << "the long ones count as none";
    EXPECT_LT(io::stat(of_file)->size + 300 * 10,
              io::stat(io::join(folder_.path(), std::to_string(count_) + ".index"))->size);

    // What lies there now may be anything.
    ASSERT_TRUE(io::write_file_atomically(path, as_bytes("[" + text)).ok());
    std::size_t kept = 0;
    for (std::uint32_t id = 0; id < (*index)->slices(); ++id) {
        kept += (*index)->args(id).empty() ? 0 : 1;
    }
    EXPECT_EQ(kept, 1u) << "what was joined is in the index";
    EXPECT_EQ((*index)->args(UINT32_MAX), "");
    EXPECT_TRUE(TraceIndex::open(of_file).ok()) << "also without the profile";
}

TEST_F(IndexTest, OtherFilesAndCutOnesAreRefused) {
    Profile profile = ProfileMaker(3, false).make(Sort::Timeline);
    const std::string path = io::join(folder_.path(), "whole.index");
    ASSERT_TRUE(build_index(profile, {}, path).ok());
    const auto bytes = io::read_file(path);
    ASSERT_TRUE(bytes.ok());
    const std::string cut = io::join(folder_.path(), "cut.index");
    for (const std::size_t keep :
         {std::size_t{0}, std::size_t{7}, std::size_t{100}, bytes->size() / 2, bytes->size() - 1}) {
        ASSERT_TRUE(io::write_file_atomically(cut, ByteSpan(*bytes).first(keep)).ok());
        EXPECT_FALSE(TraceIndex::open(cut).ok()) << keep;
    }
    ASSERT_TRUE(io::write_file_atomically(cut, as_bytes(std::string(5000, 'x'))).ok());
    EXPECT_FALSE(TraceIndex::open(cut).ok());
}

TEST_F(IndexTest, ThoseUsedLongestAgoGoFirstAndWhatDeadProgramsLeftGoesToo) {
    const std::int64_t hour_ns = std::int64_t{3600} * 1'000'000'000, now_ns = wall_time_ns();
    const auto file = [&](const std::string& name, std::int64_t hours_ago) {
        const std::string path = io::join(folder_.path(), name);
        EXPECT_TRUE(io::write_file_atomically(path, as_bytes(std::string(1000, 'x'))).ok());
        EXPECT_TRUE(io::set_modified(path, now_ns - hours_ago * hour_ns).ok());
        return path;
    };
    const std::string oldest = file("oldest.index", 9), older = file("older.index", 8);
    const std::string old = file("old.index", 7), made = file("made.index", 20);
    const std::string dead = file("dead.index.17-1.part", 5);
    const std::string growing = file("growing.index.18-1.part", 0);
    const std::string other = file("other", 30);
    note_use_of_index(oldest);
    tidy_index_folder(made, 2500);
    EXPECT_TRUE(io::exists(oldest)) << "was opened just now";
    EXPECT_FALSE(io::exists(older));
    EXPECT_FALSE(io::exists(old));
    EXPECT_TRUE(io::exists(made)) << "the one to keep";
    EXPECT_FALSE(io::exists(dead));
    EXPECT_TRUE(io::exists(growing));
    EXPECT_TRUE(io::exists(other));
}

TEST_F(IndexTest, SeveralProgramsMayMakeTheSameOneAtATime) {
    const std::string path = io::join(folder_.path(), "same.index");
    const auto first = IndexWriter::begin(path), second = IndexWriter::begin(path);
    ASSERT_TRUE(first.ok() && second.ok());
    Profile profile = ProfileMaker(3, false).make(Sort::Timeline);
    ASSERT_TRUE(build_index(profile, {}, path).ok());
    for (const auto* writer : {&first, &second}) {
        (*writer)->get()->section(Section::Info, as_bytes("{}"));
        EXPECT_TRUE((*writer)->get()->finish().ok());
        EXPECT_FALSE(TraceIndex::open(path).ok()) << "the last one to finish, whole or not";
    }
    ASSERT_TRUE(build_index(profile, {}, path).ok());
    EXPECT_TRUE(TraceIndex::open(path).ok());
    EXPECT_EQ(io::list(folder_.path())->size(), 1u);
}

// Two that begin alike: cut, they are still told apart, and the whole name is there to ask for.
TEST_F(IndexTest, FunctionsShowTheBeginningOfAbsurdNames) {
    const std::string begin = "ä" + std::string(997, 'n') + "ö";
    const std::string first = begin + std::string(1 << 20, 'x'), second = begin + "y";
    Profile profile =
        read_text(first + " 30\n" + second + " 20\n" + begin.substr(0, 999) + " 10\n", "collapsed");
    const auto index = index_of(profile);
    ASSERT_NE(index, nullptr);
    EXPECT_LT(index->functions().size(), 5'000u);
    const auto json = parse_json(index->functions());
    ASSERT_TRUE(json.ok());
    const auto& rows = *json->find("rows")->array();
    ASSERT_EQ(rows.size(), 3u);
    for (const Json& row : rows) {
        EXPECT_EQ(row.string_or("name", ""), begin.substr(0, 999)) << "whole characters";
    }
    EXPECT_NE(rows[0].string_or("cut", ""), "");
    EXPECT_NE(rows[1].string_or("cut", ""), "");
    EXPECT_NE(rows[0].string_or("cut", ""), rows[1].string_or("cut", ""));
    EXPECT_EQ(rows[2].find("cut"), nullptr);
    EXPECT_EQ(index->text(static_cast<std::uint32_t>(rows[0].integer_or("id", 0))), first);
    EXPECT_EQ(index->text(static_cast<std::uint32_t>(rows[1].integer_or("id", 0))), second);
}

TEST_F(IndexTest, TimesAtTheEndsOfTheirRangeAndDeepStacks) {
    std::string text = "[";
    for (int depth = 0; depth < 3000; ++depth) {
        text += R"({"ph":"X","name":"deep","pid":1,"tid":1,"ts":)" + std::to_string(depth) +
                ",\"dur\":" + std::to_string(10'000 - 2 * depth) + "},\n";
    }
    text += R"({"ph":"X","name":"early","pid":1,"tid":2,"ts":-4500000000000000,"dur":1},
{"ph":"X","name":"late","pid":1,"tid":2,"ts":4500000000000000,"dur":4500000000000000},
{"ph":"i","name":"mark","pid":1,"tid":2,"ts":5}])";
    Profile profile = read_text(text, "chrome");
    const auto index = index_of(profile);
    ASSERT_NE(index, nullptr);
    EXPECT_NE(index->info().find("\"too_deep\":2488"), std::string_view::npos);
    const SliceAnswer answer = everything(*index, 1000);
    EXPECT_LE(answer.name.size(), 520u * 4);
    for (const double duration_ns : answer.duration_ns) {
        EXPECT_GE(duration_ns, 0);
    }
    (void)index->busy(0, 100);
}

}  // namespace
}  // namespace taffrail::profile::testing
