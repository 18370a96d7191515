// What one batch holds is what a reader of its frame needs at once.
#include "record/batch_builder.h"

#include "codec/tlog/budget.h"

#include <gtest/gtest.h>

namespace taffrail::record {
namespace {

TEST(BatchBuilder, FindingS16_IsFullWhenAReaderWouldNeedMuchMemoryHoweverManySchemas) {
    constexpr std::size_t kWidth = 64;
    const std::vector<std::uint64_t> values(kWidth);
    BatchBuilder builder;
    builder.clear(0);
    std::uint64_t rows = 0;
    bool full = false;
    for (std::uint32_t schema = 0; schema < 64 && !full; ++schema) {
        BatchBuilder::Wide& wide = builder.wide(schema, kWidth);
        for (std::size_t row = 0; row < 4000 && !full; ++row) {
            full = !builder.has_room(wide);
            if (!full) {
                builder.add(wide, {.seq = rows++}, {}, values.data());
            }
        }
    }
    EXPECT_TRUE(full);
    const std::uint64_t cells = tlog::cells_of(builder.finish(rows));
    EXPECT_GT(cells, tlog::kFreeCells / 4);
    EXPECT_LT(cells, tlog::kFreeCells) << "a frame of rows all alike may be refused";
    builder.clear(rows);
    EXPECT_TRUE(builder.has_room(builder.wide(0, kWidth))) << "the next batch begins anew";
}

}  // namespace
}  // namespace taffrail::record
