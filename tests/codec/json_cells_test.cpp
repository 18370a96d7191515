#include "codec/json_cells.h"

#include <gtest/gtest.h>

namespace taffrail {
namespace {

TEST(JsonCells, KeepTypesAndWriteOutWhatIsNoCell) {
    EXPECT_EQ(cell_of(Json(true)), Cell(true));
    EXPECT_EQ(cell_of(Json(std::int64_t{3})), Cell(std::int64_t{3}));
    EXPECT_EQ(cell_of(Json(3.0)), Cell(3.0)) << "a number with a point stays one";
    EXPECT_EQ(cell_of(Json("three")), Cell(std::string("three")));
    EXPECT_EQ(cell_of(Json()), Cell());
    EXPECT_EQ(cell_of(parse_json(R"([1, "a"])").value()), Cell(std::string(R"([1,"a"])")));
}

}  // namespace
}  // namespace taffrail
