// Which span a stretch of time belongs to, beside a search through all of them.
#include "profile/enclosing.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace taffrail::profile {
namespace {

std::uint32_t naive(const Profile& profile, const Stretch& stretch, TextId category) {
    std::uint32_t found = kNone;
    for (std::uint32_t index = 0; index < profile.spans.size(); ++index) {
        const Span& span = profile.spans[index];
        const bool is_around = span.category == category && span.thread == stretch.thread &&
                               span.begin_ns <= stretch.begin_ns &&
                               span.begin_ns + span.duration_ns >= stretch.end_ns;
        if (is_around && (found == kNone || span.begin_ns > profile.spans[found].begin_ns ||
                          (span.begin_ns == profile.spans[found].begin_ns &&
                           span.duration_ns < profile.spans[found].duration_ns))) {
            found = index;
        }
    }
    return found;
}

TEST(EnclosingSpans, AreTheInnermostOnesInAThousandRandomTimelines) {
    std::mt19937 random(7);
    const auto number = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    for (int trial = 0; trial < 1000; ++trial) {
        Profile profile;
        const ProcessId process = profile.process(1);
        const TextId wanted = profile.text("cpu_op"), other = profile.text("user_annotation");
        // Spans of one thread nest: each new one is a part of one that is there, or stands beside.
        // Ends that touch are left out, where two answers are right.
        for (std::int64_t thread = 0; thread < 3; ++thread) {
            const ThreadId id = profile.thread(process, thread);
            std::vector<std::pair<std::int64_t, std::int64_t>> free = {{0, 1000}, {2000, 3000}};
            for (int count = 0; count < 12 && !free.empty(); ++count) {
                const auto place = static_cast<std::size_t>(number(0, std::ssize(free) - 1));
                const auto [low, high] = free[place];
                free.erase(free.begin() + static_cast<std::ptrdiff_t>(place));
                if (high - low < 8) {
                    continue;
                }
                const std::int64_t begin = number(low + 1, high - 4),
                                   end = number(begin + 2, high - 1);
                profile.spans.push_back({.begin_ns = begin * 2,
                                         .duration_ns = (end - begin) * 2,
                                         .category = number(0, 5) == 0 ? other : wanted,
                                         .thread = id});
                free.insert(free.end(), {{low, begin}, {begin, end}, {end, high}});
            }
        }
        std::shuffle(profile.spans.begin(), profile.spans.end(), random);
        std::vector<Stretch> stretches;
        for (int count = 0; count < 40; ++count) {
            const std::int64_t begin = number(0, 3000) * 2 + 1;
            const auto thread = static_cast<ThreadId>(number(0, std::ssize(profile.threads) - 1));
            stretches.push_back({thread, begin, begin + number(0, 3) * number(0, 200) * 2});
        }
        const auto found = enclosing_spans(profile, stretches, wanted);
        ASSERT_EQ(found.size(), stretches.size());
        for (std::size_t index = 0; index < found.size(); ++index) {
            EXPECT_EQ(found[index], naive(profile, stretches[index], wanted))
                << "trial " << trial << ", stretch " << index;
        }
    }
}

TEST(EnclosingSpans, NothingIsAroundWhereNothingIs) {
    Profile profile;
    const ThreadId thread = profile.thread(profile.process(1), 1);
    const TextId category = profile.text("cpu_op");
    const std::vector<Stretch> one = {{thread, 5, 5}};
    EXPECT_EQ(enclosing_spans(profile, one, category), std::vector<std::uint32_t>{kNone});
    EXPECT_TRUE(enclosing_spans(profile, {}, category).empty());
}

TEST(SpanMembers, AreAddedToThoseThatAreThere) {
    Profile profile;
    Span span;
    add_member(profile, span, "External id", "7");
    EXPECT_EQ(profile.args_text(span.args), R"({"External id":7})");
    add_member(profile, span, "a \"name\"", "[[1,2]]");
    EXPECT_EQ(profile.args_text(span.args), R"({"External id":7,"a \"name\"":[[1,2]]})");
}

}  // namespace
}  // namespace taffrail::profile
