#include "codec/json.h"
#include "places.h"
#include "profile/derive.h"
#include "profile/json_scan.h"
#include "sample_profiles.h"

#include <algorithm>
#include <set>

namespace taffrail::profile::testing {
namespace {

std::vector<std::string> notes_of(const Profile& profile) {
    return profile.notes.lines();
}

TEST(ChromeTrace, ReadsEveryKindOfEvent) {
    const Profile profile = read_text(R"({"displayTimeUnit":"ms","traceEvents":[
        {"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"trainer"}},
        {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main \u00e4"}},
        {"ph":"X","name":"a","cat":"op","pid":1,"tid":2,"ts":1.5,"dur":2.0004,"args":{"k":[1,{}]}},
        {"ph":"E","name":"b","pid":1,"tid":2,"ts":9},
        {"ph":"B","name":"b","pid":1,"tid":2,"ts":5,"args":{"p":1}},
        {"ph":"i","name":"mark","pid":1,"tid":2,"ts":6,"s":"p"},
        {"ph":"C","name":"mem","pid":1,"ts":7,"args":{"used":1.5,"free":3}},
        {"ph":"s","name":"f","cat":"ac2g","id":17,"pid":1,"tid":2,"ts":2},
        {"ph":"f","name":"f","cat":"ac2g","id":17,"pid":"Spans","tid":"x","ts":3,"bp":"e"},
        {"ph":"b","name":"load","cat":"io","id":"0x1","pid":1,"tid":2,"ts":1},
        {"ph":"e","name":"load","cat":"io","id":"0x1","pid":1,"tid":2,"ts":4}]})",
                                      "chrome");
    EXPECT_TRUE(profile.notes.empty()) << notes_of(profile)[0];
    ASSERT_EQ(profile.spans.size(), 3u);
    EXPECT_EQ(profile.spans[0].begin_ns, 1500);
    EXPECT_EQ(profile.spans[0].duration_ns, 2000);
    EXPECT_EQ(profile.args_text(profile.spans[0].args), R"({"k":[1,{}]})");
    const auto named = [&](std::string_view name) {
        return *std::find_if(profile.spans.begin(), profile.spans.end(),
                             [&](const Span& span) { return profile.texts[span.name] == name; });
    };
    EXPECT_EQ(named("b").duration_ns, 4000) << "an end may stand before its beginning";
    EXPECT_EQ(profile.texts[named("load").async_id], "0x1");
    EXPECT_EQ(profile.instants.at(0).scope, InstantScope::Process);
    ASSERT_EQ(profile.counters.size(), 2u);
    EXPECT_EQ(profile.texts[profile.counters[1].series], "free");
    ASSERT_EQ(profile.flows.size(), 2u);
    EXPECT_TRUE(profile.flows[1].binds_enclosing);
    EXPECT_EQ(thread_title(profile, profile.spans[0].thread), "main ä 2");
    EXPECT_EQ(process_title(profile, profile.threads[profile.flows[1].thread].process), "Spans");
    EXPECT_EQ(profile.metadata.at(0).first, "displayTimeUnit");
}

// The fixture is what PyTorch 2.11 wrote on an H200; its numbers were counted by Python's own json.
TEST(ChromeTrace, ReadsATraceOfPyTorchWhole) {
    const auto read =
        read_profile_file(tests::data_folder() + "/profile/torch-2.11.pt.trace.json.gz");
    ASSERT_TRUE(read.ok()) << read.error().message;
    const Profile& profile = read->profile;
    EXPECT_EQ(read->format->name, "chrome");
    EXPECT_TRUE(profile.notes.empty());
    EXPECT_EQ(profile.spans.size(), 11759u);
    EXPECT_EQ(profile.instants.size(), 1082u);
    EXPECT_EQ(profile.flows.size(), 1423u);
    std::int64_t kernel_ns = 0;
    std::size_t kernels = 0;
    for (const Span& span : profile.spans) {
        if (profile.texts[span.category] == "kernel") {
            ++kernels;
            kernel_ns += span.duration_ns;
        }
    }
    EXPECT_EQ(kernels, 500u);
    EXPECT_EQ(kernel_ns, 6906160);
}

TEST(ChromeTrace, WrittenAgainSaysTheSame) {
    auto read = read_profile_file(tests::data_folder() + "/profile/torch-2.11.pt.trace.json.gz");
    ASSERT_TRUE(read.ok());
    const Profile again = read_text(written_text(read->profile, "chrome"), "chrome");
    ASSERT_EQ(again.spans.size(), read->profile.spans.size());
    EXPECT_EQ(again.metadata, read->profile.metadata);
    for (std::size_t index = 0; index < again.spans.size(); ++index) {
        const Span &left = again.spans[index], &right = read->profile.spans[index];
        ASSERT_EQ(left.begin_ns, right.begin_ns);
        ASSERT_EQ(left.duration_ns, right.duration_ns);
        ASSERT_EQ(again.texts[left.name], read->profile.texts[right.name]);
        ASSERT_EQ(again.args_text(left.args), read->profile.args_text(right.args));
    }
}

TEST(ChromeTrace, NamesOfAnyBytesGiveValidJson) {
    Profile profile;
    const ThreadId thread = profile.only_thread();
    const std::string names[] = {"quote\" back\\slash", "new\nline", std::string("n\0l", 3),
                                 "\xff\xfe broken", "🚀"};
    for (const std::string& name : names) {
        profile.spans.push_back({.duration_ns = 1, .name = profile.text(name), .thread = thread});
    }
    const auto json = parse_json(written_text(profile, "chrome"));
    ASSERT_TRUE(json.ok()) << json.error().message;
    const Json::Array& events = *json->find("traceEvents")->array();
    EXPECT_EQ(events[1].string_or("name", ""), "new\nline");
    EXPECT_EQ(events[2].string_or("name", ""), names[2]);
    EXPECT_EQ(events[3].string_or("name", ""), "\xEF\xBF\xBD\xEF\xBF\xBD broken");
    EXPECT_EQ(events[4].string_or("name", ""), "🚀");
}

TEST(JsonScan, NumbersAreThoseOfJson) {
    // What may come behind one, and nothing at all.
    for (const std::string_view behind : {"", ",", " ", "]", "}"}) {
        for (const std::string_view good : {"0", "-0", "7", "120", "-1.5", "0.25", "1e5", "1E+5",
                                            "-12.75e-10", "0e0", "NaN", "Infinity", "-Infinity"}) {
            const std::string text = std::string(good) + std::string(behind);
            JsonScan scan(text);
            EXPECT_EQ(scan.number(), good) << text;
            EXPECT_FALSE(scan.failed()) << text;
            EXPECT_EQ(scan.is_doubtful(), good.ends_with('N') || good.ends_with('y')) << text;
        }
        for (const std::string_view bad :
             {"", "-", "+1", "01", "-01", "1.", ".5", "1.e5", "1e", "1e+", "1.2.3", "1-2", "--1",
              "1e5.5", "-N", "Nan", "-NaN", "Inf", "-I"}) {
            const std::string text = std::string(bad) + std::string(behind);
            JsonScan scan(text);
            (void)scan.number();
            EXPECT_TRUE(scan.failed()) << text;
        }
    }
}

TEST(JsonScan, MicrosecondsAreExactToTheNanosecond) {
    const auto parsed = [](std::string_view text) {
        std::int64_t time_ns = -1;
        EXPECT_TRUE(parse_microseconds(text, time_ns)) << text;
        return time_ns;
    };
    EXPECT_EQ(parsed("3848333715001.519"), 3848333715001519);
    EXPECT_EQ(parsed("0.0005"), 1);
    EXPECT_EQ(parsed("-2.25"), -2250);
    EXPECT_EQ(parsed("1e3"), 1'000'000);
    EXPECT_EQ(parsed("7"), 7000);
    std::int64_t ignored = 0;
    for (const std::string_view bad : {"NaN", "", "-", "1e300", "Infinity", "99999999999999999"}) {
        EXPECT_FALSE(parse_microseconds(bad, ignored)) << bad;
    }
}

}  // namespace
}  // namespace taffrail::profile::testing
