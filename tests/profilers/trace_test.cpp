// Which steps a schedule traces, and the files of a tracer that is stepped.
#include <taffrail/profiler.h>
#include <taffrail/zone.h>

#include "base/clock.h"
#include "base/strings.h"
#include "codec/json.h"
#include "io/files.h"
#include "profile/formats.h"
#include "test_files.h"
#include "zones/attach.h"
#include "zones/trace_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <regex>
#include <set>

namespace taffrail {
namespace {

using Steps = std::set<std::int64_t>;

// The rules as a person reads them: one counter a phase, set forward step by step.
std::vector<TraceAction> by_hand(const ScheduleOptions& options, std::int64_t steps) {
    std::vector<TraceAction> actions;
    std::int64_t skipped = 0, cycles = 0;
    std::vector<TraceAction> cycle;
    cycle.insert(cycle.end(), static_cast<std::size_t>(options.wait), TraceAction::None);
    cycle.insert(cycle.end(), static_cast<std::size_t>(options.warmup), TraceAction::WarmUp);
    cycle.insert(cycle.end(), static_cast<std::size_t>(options.active), TraceAction::Record);
    cycle.back() = TraceAction::RecordAndSave;
    std::size_t place = 0;
    for (std::int64_t step = 0; step < steps; ++step) {
        if (skipped < options.skip_first) {
            ++skipped;
            actions.push_back(TraceAction::None);
        } else if (options.repeat != 0 && cycles == options.repeat) {
            actions.push_back(TraceAction::None);
        } else {
            actions.push_back(cycle[place]);
            if (++place == cycle.size()) {
                place = 0;
                ++cycles;
            }
        }
    }
    return actions;
}

// The steps of each trace: a window ends after the step that saves, and with the stage.
std::vector<Steps> traces_by_hand(const std::vector<TraceAction>& actions) {
    std::vector<Steps> traces;
    Steps window;
    for (std::size_t step = 0; step < actions.size(); ++step) {
        if (actions[step] == TraceAction::Record || actions[step] == TraceAction::RecordAndSave) {
            window.insert(static_cast<std::int64_t>(step));
        }
        if (actions[step] == TraceAction::RecordAndSave) {
            traces.push_back(std::exchange(window, {}));
        }
    }
    if (!window.empty()) {
        traces.push_back(window);
    }
    return traces;
}

ScheduleOptions random_schedule(std::mt19937& random) {
    const auto number = [&](int least, int most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    return {number(0, 5), number(0, 4), number(0, 3), number(1, 4), number(0, 3)};
}

struct TraceFiles : testing::Test {
    TraceFiles() {
        print_zones_at_exit(ZoneReport::None);
        reset_zones();
    }

    std::vector<std::string> files() const {
        std::vector<std::string> paths;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
            paths.push_back(entry.path());
        }
        std::ranges::sort(paths);
        return paths;
    }

    std::vector<Steps> traced_steps() const {
        std::vector<Steps> traces;
        for (const std::string& path : files()) {
            const auto read = profile::read_profile_file(path);
            EXPECT_TRUE(read.ok()) << path;
            Steps steps;
            for (const profile::Span& span : read->profile.spans) {
                const std::string name(read->profile.texts[span.name]);
                if (name.starts_with("ProfilerStep#")) {
                    EXPECT_TRUE(steps.insert(*parse_int(name.substr(13))).second) << name;
                }
            }
            traces.push_back(steps);
        }
        return traces;
    }

    test::TestFolder folder;
};

// On each track, a span that begins inside another ends inside of it.
void expect_nesting(const profile::Profile& trace) {
    std::map<profile::ThreadId, std::vector<std::pair<std::int64_t, std::int64_t>>> tracks;
    for (const profile::Span& span : trace.spans) {
        tracks[span.thread].emplace_back(span.begin_ns, span.begin_ns + span.duration_ns);
    }
    for (auto& [thread, spans] : tracks) {
        std::ranges::sort(spans, [](const auto& left, const auto& right) {
            return left.first != right.first ? left.first < right.first
                                             : left.second > right.second;
        });
        std::vector<std::int64_t> ends;
        for (const auto& [begin, end] : spans) {
            while (!ends.empty() && ends.back() <= begin) {
                ends.pop_back();
            }
            EXPECT_TRUE(ends.empty() || end <= ends.back()) << "track " << thread;
            ends.push_back(end);
        }
    }
}

TEST(TraceSchedule, IsAsTheRulesSayInFiveHundredCases) {
    std::mt19937 random(4);
    for (int trial = 0; trial < 500; ++trial) {
        const ScheduleOptions options = random_schedule(random);
        const std::int64_t steps = std::uniform_int_distribution<std::int64_t>(0, 60)(random);
        const Schedule made = *schedule(options);
        const std::vector<TraceAction> expected = by_hand(options, steps);
        for (std::int64_t step = 0; step < steps; ++step) {
            ASSERT_EQ(made(step), expected[static_cast<std::size_t>(step)])
                << "trial " << trial << ", step " << step;
        }
    }
}

TEST(TraceSchedule, RefusesWhatCannotBe) {
    EXPECT_TRUE(schedule({}).ok());
    for (const ScheduleOptions& options :
         {ScheduleOptions{.skip_first = -1}, ScheduleOptions{.wait = -1},
          ScheduleOptions{.warmup = -1}, ScheduleOptions{.active = 0},
          ScheduleOptions{.active = -3}, ScheduleOptions{.repeat = -1},
          ScheduleOptions{.wait = INT64_MAX}}) {
        EXPECT_FALSE(schedule(options).ok());
    }
    EXPECT_FALSE(make_profiler("trace", {.schedule = {.active = 0}}).ok());
}

TEST_F(TraceFiles, HaveTheStepsOfTheScheduleAndNoOther) {
    std::mt19937 random(5);
    for (int trial = 0; trial < 40; ++trial) {
        ProfilerOptions options;
        options.schedule = random_schedule(random);
        options.use_gzip = trial % 2 == 0;
        const std::int64_t steps = std::uniform_int_distribution<std::int64_t>(0, 25)(random);
        const auto profiler = *make_profiler(trial % 3 == 0 ? "PyTorch" : "trace", options);
        ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
        for (std::int64_t step = 0; step < steps; ++step) {
            profiler->step(step);
            const ProfiledAction action(profiler.get(), "run_training_batch");
            TAFFRAIL_ZONE("forward");
        }
        ASSERT_TRUE(profiler->teardown().ok());
        EXPECT_EQ(traced_steps(), traces_by_hand(by_hand(options.schedule, steps)))
            << "trial " << trial;
        for (const std::string& path : files()) {
            std::filesystem::remove(path);
        }
    }
}

TEST_F(TraceFiles, AreNamedAsTheProfilerPluginOfTensorBoardWantsThem) {
    const std::regex accepted(R"(^(.*?)(\.\d+)?\.pt\.trace\.json(?:\.gz)?$)");
    for (const char* worker : {"", "rank 0/of 2"}) {
        const auto profiler = *make_profiler(
            "trace",
            {.schedule = {.wait = 0, .warmup = 1, .active = 1, .repeat = 1}, .worker = worker});
        ASSERT_TRUE(profiler->setup("fit", 1, folder.path()).ok());
        for (int step = 0; step < 4; ++step) {
            profiler->step(step);
        }
        ASSERT_TRUE(profiler->teardown().ok());
        EXPECT_THAT(profiler->summary(), testing::HasSubstr(".pt.trace.json.gz"));
    }
    ASSERT_EQ(files().size(), 2u);
    for (const std::string& path : files()) {
        const std::string name = std::filesystem::path(path).filename();
        std::smatch parts;
        EXPECT_TRUE(std::regex_match(name, parts, accepted)) << name;
        EXPECT_GT(parts[2].length(), 10) << name;
        const auto read = profile::read_profile_file(path);
        ASSERT_TRUE(read.ok());
        std::map<std::string, std::string> members(read->profile.metadata.begin(),
                                                   read->profile.metadata.end());
        EXPECT_EQ(members["schemaVersion"], "1");
        EXPECT_EQ(members["distributedInfo"], R"({"rank":1})");
        // UTC is the base and the time of a span; that alone fits what viewers count in.
        const std::int64_t base = *parse_int(members["baseTimeNanoseconds"]);
        const std::int64_t begin_ns = read->profile.spans.front().begin_ns;
        EXPECT_LT(begin_ns / 1000, std::int64_t{1} << 43);
        EXPECT_LT(std::abs(base + begin_ns - wall_time_ns()), std::int64_t{3600} * 1'000'000'000);
    }
}

// Quotes, backslashes, lines, NUL, broken UTF-8 and emoji: what is written is JSON all the same,
// and an epoch that ends between two steps does not cut through them.
TEST_F(TraceFiles, AreValidJsonAndNestWhateverTheNames) {
    const std::vector<std::string> names = {"a \"quoted\" name",
                                            "back\\slash \\u0041",
                                            "two\nlines\r\t",
                                            std::string("a\0b", 3),
                                            "broken \xff\xfe utf-8 \xc3",
                                            "emoji \xF0\x9F\x9A\x80",
                                            "</script>",
                                            "\x01\x1f"};
    const auto profiler = *make_profiler(
        "trace",
        {.schedule = {.wait = 1, .warmup = 1, .active = 4, .repeat = 1}, .use_gzip = false});
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    std::int64_t step = 0;
    for (int epoch = 0; epoch < 4; ++epoch) {
        const ProfiledAction whole(profiler.get(), "run_training_epoch");
        for (int batch = 0; batch < 2; ++batch) {
            profiler->step(step++);
            const ProfiledAction one(profiler.get(), "run_training_batch");
            for (const std::string& name : names) {
                TAFFRAIL_ZONE_NAMED(name);
                TAFFRAIL_ZONE("inside");
            }
        }
    }
    ASSERT_TRUE(profiler->teardown().ok());
    ASSERT_EQ(files().size(), 1u);
    const std::string text = *io::read_text(files().front());
    const auto parsed = parse_json(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    const auto read = profile::read_profile_file(files().front());
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(read->profile.notes.empty());
    expect_nesting(read->profile);
    std::map<std::string, int> counts;
    for (const profile::Span& span : read->profile.spans) {
        ++counts[std::string(read->profile.texts[span.name])];
    }
    for (const std::string& name : names) {
        if (name.find('\xff') == std::string::npos) {
            EXPECT_EQ(counts[name], 4) << name;
        }
    }
    EXPECT_EQ(counts["inside"], 4 * 8);
    EXPECT_EQ(counts["run_training_batch"], 4);
    EXPECT_EQ(counts["run_training_epoch"], 2);
}

// Viewers of PyTorch's traces know a data loader by its name.
TEST_F(TraceFiles, CallTheDataLoaderByTheNameThatViewersKnow) {
    const auto profiler = *make_profiler("trace");
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    for (int step = 0; step < 6; ++step) {
        {
            const ProfiledAction fetch(profiler.get(), "get_train_batch");
        }
        profiler->step(step);
    }
    ASSERT_TRUE(profiler->teardown().ok());
    ASSERT_EQ(files().size(), 1u);
    const auto read = profile::read_profile_file(files().front());
    ASSERT_TRUE(read.ok());
    std::map<std::string, int> counts;
    for (const profile::Span& span : read->profile.spans) {
        ++counts[std::string(read->profile.texts[span.name])];
    }
    EXPECT_EQ(counts["enumerate(DataLoader)#get_train_batch.__next__"], 3);
    EXPECT_EQ(counts["get_train_batch"], 0);
}

TEST_F(TraceFiles, EndWithTheBudgetOfBytes) {
    ProfilerOptions options;
    options.schedule = {.wait = 0, .warmup = 0, .active = 2, .repeat = 0};
    options.max_bytes = 3000;
    const auto profiler = *make_profiler("trace", options);
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    for (int step = 0; step < 100; ++step) {
        profiler->step(step);
        for (int zone = 0; zone < 100; ++zone) {
            TAFFRAIL_ZONE("small");
        }
    }
    ASSERT_TRUE(profiler->teardown().ok());
    EXPECT_GE(files().size(), 1u);
    EXPECT_LT(files().size(), 10u);  // of 50 windows
}

TEST_F(TraceFiles, AStageThatEndsInItsWarmUpSaysWhyThereIsNone) {
    const auto profiler = *make_profiler("trace");
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    profiler->step(0);
    profiler->step(1);
    ASSERT_TRUE(profiler->teardown().ok());
    EXPECT_TRUE(files().empty());
    EXPECT_THAT(profiler->summary(), testing::HasSubstr("ended after 2 steps"));
}

// What another layer adds to a trace: told of every window in order, and in the file.
TEST_F(TraceFiles, HaveWhatASourceAdds) {
    static std::vector<std::string> calls;
    calls.clear();

    class Device final : public zones::TraceSource {
      public:
        Result<void> prepare() override {
            calls.emplace_back("prepare");
            return {};
        }

        Result<void> start(const zones::TraceWindow& window) override {
            calls.push_back("start " + std::to_string(window.first_step));
            begin_ns_ = window.begin_ns;
            return {};
        }

        void begin_step(std::int64_t number) noexcept override {
            calls.push_back("step " + std::to_string(number));
        }

        Result<void> stop() override {
            calls.emplace_back("stop");
            return {};
        }

        Result<void> add_to(profile::Profile& trace) override {
            profile::Span span;
            span.begin_ns = begin_ns_;
            span.duration_ns = 1000;
            span.name = trace.text("kernel_of_a_test");
            span.category = trace.text("kernel");
            span.thread = trace.thread(trace.process(0), 7);
            trace.spans.push_back(span);
            trace.metadata.emplace_back("deviceProperties", R"([{"id":0}])");
            return {};
        }

      private:
        std::int64_t begin_ns_ = 0;
    };

    zones::trace_sources().add(
        {"device", "of a test", []() -> Result<std::unique_ptr<zones::TraceSource>> {
             return std::unique_ptr<zones::TraceSource>(new Device);
         }});
    zones::trace_sources().add(
        {"absent", "of a test", []() -> Result<std::unique_ptr<zones::TraceSource>> {
             return Error{ErrorCode::Unsupported, "no such device here"};
         }});
    const auto profiler = *make_profiler("trace");
    ASSERT_TRUE(profiler->setup("fit", {}, folder.path()).ok());
    for (int step = 0; step < 8; ++step) {
        profiler->step(step);
    }
    ASSERT_TRUE(profiler->teardown().ok());
    EXPECT_THAT(profiler->summary(), testing::HasSubstr("no such device here"));
    EXPECT_THAT(calls, testing::ElementsAre("prepare", "prepare", "start 2", "step 2", "step 3",
                                            "step 4", "stop"));
    ASSERT_EQ(files().size(), 1u);
    const auto read = profile::read_profile_file(files().front());
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(std::ranges::count_if(read->profile.spans,
                                    [&](const profile::Span& span) {
                                        return read->profile.texts[span.name] == "kernel_of_a_test";
                                    }),
              1);
    EXPECT_EQ(
        std::ranges::count_if(read->profile.metadata,
                              [](const auto& each) { return each.first == "deviceProperties"; }),
        1);
    // Others of this process are without it.
    zones::trace_sources().add(
        {"device", "of a test", []() -> Result<std::unique_ptr<zones::TraceSource>> {
             return Error{ErrorCode::Unsupported, "gone"};
         }});
}

// In a run the windows are in its profile too, and a trace by hand does not get in their way.
TEST_F(TraceFiles, OfARunStandInItsProfileToo) {
    const std::string run = folder / "run";
    std::filesystem::create_directories(run);
    zones::attach_run(run, 0x17);
    const auto profiler = *make_profiler("trace");
    ASSERT_TRUE(profiler->setup("fit", {}, run + "/profiles").ok());
    for (int step = 0; step < 8; ++step) {
        profiler->step(step);
        TAFFRAIL_ZONE("in the run");
        EXPECT_EQ(start_zone_trace().ok(), step < 2 || step > 4) << step;
        if (step < 2 || step > 4) {
            EXPECT_TRUE(stop_zone_trace().ok());
        }
    }
    ASSERT_TRUE(profiler->teardown().ok());
    ASSERT_TRUE(zones::detach_run(run).ok());
    std::map<std::string, int> kinds;
    for (const auto& entry : std::filesystem::directory_iterator(run + "/profiles")) {
        const std::string name = entry.path().filename();
        ++kinds[name.ends_with(".tprof") ? "tprof" : name.ends_with(".gz") ? "trace" : name];
        const auto read = profile::read_profile_file(entry.path());
        ASSERT_TRUE(read.ok()) << name;
        EXPECT_EQ(std::ranges::count_if(read->profile.spans,
                                        [&](const profile::Span& span) {
                                            return read->profile.texts[span.name] == "in the run";
                                        }),
                  3)
            << name;
    }
    EXPECT_EQ(kinds, (std::map<std::string, int>{{"tprof", 1}, {"trace", 1}}));
}

}  // namespace
}  // namespace taffrail
