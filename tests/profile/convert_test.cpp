// From A to B and back to A: nothing is lost that both can hold. All pairs, profiles out of chance.
#include "codec/json.h"
#include "profile/derive.h"
#include "profile/formats/collapsed/collapsed.h"
#include "sample_profiles.h"

#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace taffrail::profile::testing {
namespace {

struct Pair {
    const Format *from, *over;

    [[nodiscard]] bool both(Holds what) const {
        return from->can_hold(what) && over->can_hold(what);
    }
};

std::string frame_key(const Profile& profile, FrameId frame, bool with_file) {
    const Frame& it = profile.frames[frame];
    return with_file ? frame_title(profile, frame) : std::string(profile.texts[it.name]);
}

/// Weights as shares of the whole: formats that only know times draw a sample as a microsecond.
std::map<std::string, double> shares(std::map<std::string, double> weights) {
    double sum = 0;
    for (const auto& [key, weight] : weights) {
        sum += weight;
    }
    for (auto& [key, weight] : weights) {
        weight /= sum;
    }
    std::erase_if(weights, [](const auto& entry) { return entry.second < 1e-9; });
    return weights;
}

std::map<std::string, double> stack_shares(Profile profile, bool with_file) {
    make_stacks(profile);
    std::map<std::string, double> weights;
    const std::size_t value = main_value(profile);
    std::vector<FrameId> frames;
    for (std::size_t sample = 0; sample < profile.samples.size(); ++sample) {
        profile.tree.stack(profile.samples[sample].node, frames);
        std::string key;
        for (const FrameId frame : frames) {
            key += frame_key(profile, frame, with_file) + "\x01";
        }
        weights[key] += profile.values_of(sample)[value];
    }
    return shares(std::move(weights));
}

std::map<std::string, double> self_shares(Profile profile, bool with_file) {
    make_graph(profile);
    std::map<std::string, double> weights;
    for (const GraphFunction& function : profile.functions) {
        weights[frame_key(profile, function.frame, with_file)] +=
            function.cost.self[main_value(profile)];
    }
    return shares(std::move(weights));
}

std::map<std::string, double> call_facts(Profile profile, bool total) {
    make_graph(profile);
    std::map<std::string, double> facts;
    for (const GraphCall& call : profile.calls) {
        facts[frame_key(profile, profile.functions[call.caller].frame, true) + " > " +
              frame_key(profile, profile.functions[call.callee].frame, true)] +=
            total ? call.cost.total[main_value(profile)] : call.cost.calls;
    }
    return shares(std::move(facts));
}

using SpanFact =
    std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::string, std::string>;

std::multiset<SpanFact> span_facts(const Profile& profile, const Pair& pair) {
    std::multiset<SpanFact> facts;
    for (const Span& span : profile.spans) {
        std::string args(profile.args_text(span.args));
        if (const auto json = parse_json(args); json.ok()) {
            args = json->dump();
        }
        facts.emplace(profile.texts[profile.threads[span.thread].name], profile.texts[span.name],
                      span.begin_ns, span.duration_ns,
                      pair.both(Holds::Args) ? profile.texts[span.category] : std::string_view(),
                      pair.both(Holds::Args) ? args : "");
    }
    return facts;
}

/// What whole nanoseconds may change of a share: a format without stacks divides the time of a
/// function among its callers, into thousands of small parts, and each is rounded once.
double rounding(Profile profile) {
    make_stacks(profile);
    const std::size_t value = main_value(profile);
    double sum = 0;
    for (std::size_t sample = 0; sample < profile.samples.size(); ++sample) {
        sum += profile.values_of(sample)[value];
    }
    const std::string& unit = profile.value_types[value].unit;
    const double nanoseconds = unit == "seconds" ? 1e9 : unit == "nanoseconds" ? 1 : 1000;
    return 0.5 * static_cast<double>(profile.samples.size()) / (sum * nanoseconds);
}

void expect_near(const std::map<std::string, double>& expected,
                 const std::map<std::string, double>& found, std::string_view what,
                 const Pair& pair, double tolerance) {
    const std::string where = std::string(what) + ", " + std::string(pair.from->name) + " over " +
                              std::string(pair.over->name);
    RC_ASSERT(expected.size() == found.size());
    for (const auto& [key, share] : expected) {
        const auto other = found.find(key);
        if (other == found.end() || std::abs(other->second - share) > tolerance) {
            RC_FAIL(where + ": \"" + key + "\" was " + std::to_string(share) + " and is " +
                    (other == found.end() ? "not there" : std::to_string(other->second)));
        }
    }
}

bool is_text_of_lines(const Format& format) {
    return format.name == "collapsed" || format.name == "callgrind";
}

void check_pair(const Pair& pair, Sort sort, std::uint32_t seed) {
    ProfileMaker maker(seed, !is_text_of_lines(*pair.from) && !is_text_of_lines(*pair.over));
    Profile original = maker.make(sort);
    Profile first = read_back(written(original, *pair.from), pair.from->name);
    Profile copy = first;
    Profile between = read_back(written(copy, *pair.over), pair.over->name);
    Profile last = read_back(written(between, *pair.from), pair.from->name);
    const bool files = pair.both(Holds::Files);
    const double near = 1e-5 + rounding(first);
    if (pair.both(Holds::Stacks)) {
        expect_near(stack_shares(first, files), stack_shares(last, files), "stacks", pair, near);
    }
    expect_near(self_shares(first, files), self_shares(last, files), "self", pair, near);
    if (pair.both(Holds::Graph)) {
        expect_near(call_facts(first, true), call_facts(last, true), "time of calls", pair, near);
        if (sort == Sort::Timeline) {  // the others do not count every call
            expect_near(call_facts(first, false), call_facts(last, false), "calls", pair, near);
        }
    }
    if (pair.both(Holds::Spans) && sort == Sort::Timeline) {
        RC_ASSERT(span_facts(first, pair) == span_facts(last, pair));
    }
    if (pair.both(Holds::Instants)) {
        RC_ASSERT(first.instants.size() == last.instants.size());
    }
    if (pair.both(Holds::Counters)) {
        const auto facts = [](const Profile& profile) {
            std::multiset<std::tuple<std::int64_t, double, std::string, std::string>> all;
            for (const CounterPoint& it : profile.counters) {
                all.emplace(it.time_ns, it.value, profile.texts[it.name], profile.texts[it.series]);
            }
            return all;
        };
        RC_ASSERT(facts(first) == facts(last));
    }
    if (pair.both(Holds::Flows)) {
        const auto facts = [](const Profile& profile) {
            std::multiset<std::tuple<std::int64_t, std::string, int>> all;
            for (const FlowPoint& it : profile.flows) {
                all.emplace(it.time_ns, profile.texts[it.id], static_cast<int>(it.phase));
            }
            return all;
        };
        RC_ASSERT(facts(first) == facts(last));
    }
    if (pair.both(Holds::ManyValues) && pair.both(Holds::Stacks)) {
        RC_ASSERT(first.value_types == last.value_types);
    }
}

/// 49 pairs and three sorts of profiles: a few of each, the same in every run. RC_PARAMS with
/// max_success asks for more.
int take_few_of_each() {
    const char* const given = std::getenv("RC_PARAMS");
    const std::string asked = given != nullptr ? given : "seed=1";
    return asked.find("max_success") != std::string::npos
               ? 0
               : ::setenv("RC_PARAMS", (asked + " max_success=20").c_str(), 1);
}

const int kFewOfEach = take_few_of_each();

class EveryPair : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};

TEST_P(EveryPair, LosesNothingThatBothCanHold) {
    ASSERT_EQ(kFewOfEach, 0);
    const auto [from, over] = GetParam();
    const Pair pair{&formats()[from], &formats()[over]};
    if (pair.from->read == nullptr || pair.over->read == nullptr || pair.from->write == nullptr ||
        pair.over->write == nullptr) {
        return;  // a picture cannot be read back
    }
    for (const Sort sort : {Sort::Times, Sort::Counts, Sort::Timeline}) {
        EXPECT_TRUE(rc::check([&] {
            check_pair(pair, sort, *rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>()));
        })) << pair.from->name
            << " over " << pair.over->name << ", sort " << static_cast<int>(sort);
    }
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryPair,
                         ::testing::Combine(::testing::Range<std::size_t>(0, formats().size()),
                                            ::testing::Range<std::size_t>(0, formats().size())),
                         [](const auto& pair) {
                             std::string name(formats()[std::get<0>(pair.param)].name);
                             name += "_over_";
                             name += formats()[std::get<1>(pair.param)].name;
                             return name;
                         });

}  // namespace
}  // namespace taffrail::profile::testing
