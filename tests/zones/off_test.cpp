// Removed at compile time: the macros leave nothing behind, not even their arguments.
#define TAFFRAIL_NO_ZONES
#include <taffrail/zone.h>

#include <gtest/gtest.h>

namespace taffrail {
namespace {

[[maybe_unused]] int evaluated = 0;

TEST(ZonesRemoved, NothingIsLeft) {
    print_zones_at_exit(ZoneReport::None);
    reset_zones();
    {
        TAFFRAIL_ZONE("removed");
        TAFFRAIL_ZONE_FUNCTION();
        TAFFRAIL_ZONE_NAMED(std::to_string(++evaluated));
        TAFFRAIL_ZONE_VALUE(++evaluated);
        TAFFRAIL_LAP("removed lap");
        TAFFRAIL_LAP_END();
        auto span = TAFFRAIL_SPAN("removed span");
        span.end();
    }
    EXPECT_EQ(evaluated, 0);
    for (const ZoneRow& row : zone_rows()) {
        EXPECT_FALSE(row.name.starts_with("removed"));
    }
}

}  // namespace
}  // namespace taffrail
