#include "server/byte_range.h"

#include <gtest/gtest.h>

namespace taffrail::server {
namespace {

struct Case {
    const char* header;
    RangeVerdict verdict;
    std::uint64_t first, last;
};

class Ranges : public testing::TestWithParam<Case> {};

TEST_P(Ranges, OfAHundredBytes) {
    ByteRange range;
    ASSERT_EQ(parse_range(GetParam().header, 100, range), GetParam().verdict);
    if (GetParam().verdict == RangeVerdict::Part) {
        EXPECT_EQ(range.first, GetParam().first);
        EXPECT_EQ(range.last, GetParam().last);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Ranges,
                         testing::Values(Case{"bytes=0-9", RangeVerdict::Part, 0, 9},
                                         Case{"bytes=90-", RangeVerdict::Part, 90, 99},
                                         Case{"bytes=-10", RangeVerdict::Part, 90, 99},
                                         Case{"bytes=-1000", RangeVerdict::Part, 0, 99},
                                         Case{"bytes=50-1000", RangeVerdict::Part, 50, 99},
                                         Case{"bytes=100-", RangeVerdict::Unsatisfiable, 0, 0},
                                         Case{"bytes=100-200", RangeVerdict::Unsatisfiable, 0, 0},
                                         Case{"bytes=-0", RangeVerdict::Unsatisfiable, 0, 0},
                                         Case{"bytes=9-3", RangeVerdict::Whole, 0, 0},
                                         Case{"bytes=0-1,5-6", RangeVerdict::Whole, 0, 0},
                                         Case{"items=0-1", RangeVerdict::Whole, 0, 0},
                                         Case{"bytes=", RangeVerdict::Whole, 0, 0},
                                         Case{"bytes=x-y", RangeVerdict::Whole, 0, 0},
                                         Case{"", RangeVerdict::Whole, 0, 0},
                                         Case{"bytes=99999999999999999999-", RangeVerdict::Whole, 0,
                                              0}));

}  // namespace
}  // namespace taffrail::server
