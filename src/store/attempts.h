// Which points win where a range was logged again after a resume: those of the newest attempt, per
// rank.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <vector>

namespace taffrail::storage {

/// The first step of an attempt on a rank, where the run knows it.
struct ResumePoint {
    std::int32_t rank = 0;
    std::uint32_t attempt = 0;
    Step step = 0;
};

/// Leaves out points of an attempt that lie inside the range a newer attempt of the same rank has
/// logged. Order is kept.
std::vector<Point> winning_points(std::vector<Point> points,
                                  const std::vector<ResumePoint>& resumes);

}  // namespace taffrail::storage
