#include "server/api/export_job.h"

#include <gtest/gtest.h>

namespace taffrail::server {
namespace {

ExportJob job_of(std::size_t runs) {
    ExportJob job;
    for (std::size_t i = 0; i < runs; ++i) {
        job.question.runs.push_back("01J00000000000000000" + std::to_string(i));
    }
    return job;
}

// Twenty prepared downloads of everything were 175 MB, for an hour.
TEST(ExportTickets, FindingS21_TicketsTogetherStayWithinTheirMemory) {
    ExportTickets tickets(1u << 20);
    const std::string first = tickets.add(job_of(5000));
    ASSERT_FALSE(first.empty());
    std::string last;
    for (int i = 0; i < 50; ++i) {
        last = tickets.add(job_of(5000));
        ASSERT_FALSE(last.empty());
        EXPECT_LE(tickets.bytes(), 1u << 20);
        ASSERT_NE(tickets.find(last), nullptr) << "the newest one is always there";
    }
    EXPECT_EQ(tickets.find(first), nullptr) << "the oldest made room";
    EXPECT_EQ(tickets.find(last)->question.runs.size(), 5000u);
}

TEST(ExportTickets, FindingS21_OneBeyondTheLimitIsRefusedAndCostsTheOthersNothing) {
    ExportTickets tickets(1u << 20);
    const std::string small = tickets.add(job_of(10));
    EXPECT_TRUE(tickets.add(job_of(50'000)).empty());
    EXPECT_NE(tickets.find(small), nullptr);
}

TEST(ExportTickets, FindingS21_TheirNumberHasALimitToo) {
    ExportTickets tickets;
    const std::string first = tickets.add(job_of(1));
    for (int i = 0; i < 1000; ++i) {
        tickets.add(job_of(1));
    }
    EXPECT_EQ(tickets.find(first), nullptr);
}

}  // namespace
}  // namespace taffrail::server
