// Everything that a cursor hands out, with what every chunk has to keep to.
#pragma once

#include <taffrail/reader.h>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace taffrail::tests {

struct ReadSeries {
    std::vector<Point> points;
    std::vector<std::size_t> chunks;  ///< rows of each
    std::vector<Damage> damage;
};

inline void expect_sound(const Chunk& chunk, Columns columns) {
    EXPECT_GT(chunk.rows(), 0u);
    EXPECT_LE(chunk.rows(), Chunk::kMaxRows);
    EXPECT_EQ(chunk.columns(), columns);
    for (std::size_t i = 0; i < kColumnKinds; ++i) {
        const auto column = static_cast<Column>(i);
        EXPECT_EQ(chunk.data(column) != nullptr, columns.contains(column)) << i;
        EXPECT_EQ(std::bit_cast<std::uintptr_t>(chunk.data(column)) % 64, 0u);
        EXPECT_EQ(std::bit_cast<std::uintptr_t>(chunk.validity(column)) % 64, 0u);
        std::size_t absent = 0;
        for (std::size_t row = 0; row < chunk.rows(); ++row) {
            absent += chunk.is_valid(column, row) ? 0 : 1;
        }
        EXPECT_EQ(absent, chunk.null_count(column)) << i;
    }
}

inline ReadSeries read_all(ReadCursor& cursor, Columns columns) {
    ReadSeries series;
    for (;;) {
        const auto step = cursor.next().value();
        if (const auto* const end = std::get_if<ReadEnd>(&step)) {
            series.damage = end->damage;
            return series;
        }
        const Chunk& chunk = std::get<Chunk>(step);
        expect_sound(chunk, columns);
        series.chunks.push_back(chunk.rows());
        for (std::size_t row = 0; row < chunk.rows(); ++row) {
            series.points.push_back(chunk.point(row));
        }
    }
}

inline ReadSeries read_all(const RecordedRun& run, std::string_view key, ReadRequest request) {
    return read_all(*run.read(key, request).value(), request.columns);
}

}  // namespace taffrail::tests
