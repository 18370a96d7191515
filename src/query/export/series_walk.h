// The series of an export one after the other, some points at a time: for who sends a file piece by
// piece and must not hold all of it. Who writes to a disk has exporters.h.
#pragma once

#include "query/chart/axis.h"
#include "query/run_set.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace taffrail::query {

/// Which points of a set of runs.
struct ExportQuestion {
    std::vector<std::string> runs;
    std::vector<std::string> keys;  ///< empty: every scalar
    std::optional<AxisQuery> x;     ///< only points in its range
    Attempts attempts = Attempts::Winning;
    /// Runs that are known to be damaged, and were announced as that.
    std::vector<std::string> damaged;
};

/// The scalars of a run that were asked for.
std::vector<std::string> exported_keys(const RunDetails& run, const ExportQuestion& question);

/// All of a key in log order, cut to the asked range; none where the run lacks it.
Result<std::vector<Point>> exported_points(const RunSet& runs, const RunDetails& details,
                                           const std::string& key, const ExportQuestion& question);

/// An error when the run turned out to be damaged while it was read and nobody was told: half a
/// file that looks whole would be worse.
Result<void> expect_whole(const RunSet& runs, const ExportQuestion& question,
                          const std::string& run);

/// The run, or an error that names it.
Result<std::shared_ptr<const RunDetails>> exported_run(const RunSet& runs, const std::string& id);

/// Both must outlive it.
class SeriesWalk {
  public:
    SeriesWalk(const RunSet& runs, const ExportQuestion& question, std::size_t slice)
        : runs_(runs), question_(question), slice_(slice) {}

    struct Slice {
        const RunDetails& run;
        const std::string& key;
        std::span<const Point> points;
    };

    /// The next points, none of them twice; nothing at the end.
    Result<std::optional<Slice>> next();

  private:
    const RunSet& runs_;
    const ExportQuestion& question_;
    const std::size_t slice_;
    std::size_t run_ = 0, key_ = 0, at_ = 0;
    std::shared_ptr<const RunDetails> details_;
    std::vector<std::string> keys_;
    std::unique_ptr<ReadCursor> cursor_;  ///< of the key before key_
    std::vector<Point> points_;           ///< of its last chunk
};

}  // namespace taffrail::query
