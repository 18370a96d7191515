#include "model/packed_column.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

namespace taffrail::model {
namespace {

/// Numbers of every likeness: even, nearly even, wild, at the ends of the range.
std::vector<std::int64_t> integers(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> values;
    std::int64_t at = static_cast<std::int64_t>(random());
    for (std::size_t i = 0; i < count; ++i) {
        switch ((i / 3000 + seed) % 5) {
            case 0:
                at = static_cast<std::int64_t>(static_cast<std::uint64_t>(at) + 3);
                break;
            case 1:
                at = static_cast<std::int64_t>(static_cast<std::uint64_t>(at) + 1000 +
                                               random() % 200);
                break;
            case 2:
                at = static_cast<std::int64_t>(static_cast<std::uint64_t>(at) +
                                               random() % 100'000'000);
                break;
            case 3:
                at = static_cast<std::int64_t>(random());
                break;
            default:
                at = i % 2 == 0 ? std::numeric_limits<std::int64_t>::min()
                                : std::numeric_limits<std::int64_t>::max();
        }
        values.push_back(at);
    }
    return values;
}

template <typename T>
void expect_same(const PackedColumn<T>& column, const std::vector<T>& values) {
    ASSERT_EQ(column.size(), values.size());
    std::vector<T> copied(values.size());
    column.copy(0, copied.size(), copied.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(column[i]), std::bit_cast<std::uint64_t>(values[i]))
            << i;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(copied[i]), std::bit_cast<std::uint64_t>(values[i]))
            << i;
    }
}

TEST(PackedColumn, GivesBackEveryInteger) {
    for (unsigned seed = 0; seed < 8; ++seed) {
        const auto values = integers(20'000 + seed, seed);
        PackedColumn<std::int64_t> one_by_one, at_once;
        for (const std::int64_t value : values) {
            one_by_one.push_back(value);
        }
        at_once.append(values);
        expect_same(one_by_one, values);
        expect_same(at_once, values);
    }
}

TEST(PackedColumn, GivesBackEveryBitOfDoubles) {
    std::mt19937_64 random(5);
    std::vector<double> values;
    for (int i = 0; i < 5000; ++i) {
        values.push_back(static_cast<double>(static_cast<float>(random() % 1000) / 7));  // floats
    }
    values.push_back(-0.0);
    values.push_back(std::numeric_limits<double>::quiet_NaN());
    values.push_back(std::bit_cast<double>(0x7FF0'0000'0000'0001u));  // a signalling NaN
    values.push_back(std::numeric_limits<double>::infinity());
    for (int i = 0; i < 5000; ++i) {
        values.push_back(std::bit_cast<double>(random()));
    }
    PackedColumn<double> column;
    column.append(values);
    expect_same(column, values);
}

TEST(PackedColumn, CopiesAnyStretch) {
    const auto values = integers(70'000 * 2, 1);
    PackedColumn<std::int64_t> column;
    column.append(values);
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        const std::size_t first = random() % values.size();
        const std::size_t count = random() % (values.size() - first) + 1;
        std::vector<std::int64_t> copied(count);
        column.copy(first, count, copied.data());
        ASSERT_TRUE(std::equal(copied.begin(), copied.end(),
                               values.begin() + static_cast<std::ptrdiff_t>(first)));
    }
}

TEST(PackedColumn, AViewStaysAsItWasWhileTheColumnGrows) {
    const auto values = integers(200'000, 2);
    PackedColumn<std::int64_t> column;
    const std::span<const std::int64_t> all(values);
    column.append(all.first(66'000));
    const auto view = column.view();
    std::thread writer([&] { column.append(all.subspan(66'000)); });
    for (int round = 0; round < 20; ++round) {
        std::vector<std::int64_t> copied(view.size());
        view.copy(0, copied.size(), copied.data());
        ASSERT_TRUE(std::equal(copied.begin(), copied.end(), values.begin()));
    }
    writer.join();
    EXPECT_EQ(view.size(), 66'000u);
    expect_same(column, values);
}

}  // namespace
}  // namespace taffrail::model
