#include "store/attempts.h"

#include <algorithm>
#include <map>

namespace taffrail::storage {
namespace {

struct Range {
    Step first = INT64_MAX, last = INT64_MIN;
};

}  // namespace

std::vector<Point> winning_points(std::vector<Point> points,
                                  const std::vector<ResumePoint>& resumes) {
    std::map<std::pair<std::int32_t, std::uint32_t>, Range> ranges;
    for (const Point& point : points) {
        Range& range = ranges[{point.rank, point.attempt}];
        range.first = std::min(range.first, point.step);
        range.last = std::max(range.last, point.step);
    }
    for (const ResumePoint& resume : resumes) {
        const auto found = ranges.find({resume.rank, resume.attempt});
        if (found != ranges.end()) {
            found->second.first = std::min(found->second.first, resume.step);
        }
    }
    std::erase_if(points, [&ranges](const Point& point) {
        for (auto newer = ranges.upper_bound({point.rank, point.attempt});
             newer != ranges.end() && newer->first.first == point.rank; ++newer) {
            if (point.step >= newer->second.first && point.step <= newer->second.last) {
                return true;
            }
        }
        return false;
    });
    return points;
}

}  // namespace taffrail::storage
