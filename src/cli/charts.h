// Charts of runs for pictures and terminals: `query` answers, the colours are those of the page.
#pragma once

#include <taffrail/reader.h>

#include "cli/session.h"
#include "plot/chart.h"
#include "query/chart/axis.h"
#include "query/run_set.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::cli {

/// A run and its place in the order of creation of its project, which is its colour.
struct ChartRun {
    std::shared_ptr<RecordedRun> run;
    std::size_t slot = 0;
};

/// The place of every run of a catalogue, by id; deleted ones keep theirs.
std::map<std::string, std::size_t> slots_of(const Catalogue& catalogue);

/// The colour of a run: the one a person chose, else that of its place.
plot::Color color_of(const RunInfo& info, std::size_t slot, plot::Theme theme);

/// A few open runs that questions can be asked of.
class OpenedRuns final : public query::RunSet {
  public:
    explicit OpenedRuns(std::span<const ChartRun> runs);
    [[nodiscard]] std::shared_ptr<const query::RunDetails> details(
        std::string_view id) const override;
    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override;

    /// In the order they were given. Runs of several roots may share an id: these are their own.
    [[nodiscard]] const std::vector<std::string>& ids() const noexcept { return ids_; }

  private:
    struct Opened {
        std::shared_ptr<const query::RunDetails> details;
        std::shared_ptr<RecordedRun> run;
    };

    std::vector<std::string> ids_;
    std::map<std::string, Opened, std::less<>> runs_;
};

/// What define_metric said of it in the first run that says anything.
Goal goal_of(const OpenedRuns& opened, std::string_view metric);

struct ChartStyle {
    std::string x = "step";  ///< step, relative, wall, epoch, samples
    bool log_y = false;
    std::size_t width = 500;  ///< bins at most
    plot::Theme theme = plot::Theme::Light;
};

/// Scalar metrics that match the pattern, what people look at first before the rest. Without a
/// pattern hidden ones and those of the machine are left out.
std::vector<std::string> ranked_metrics(std::span<const ChartRun> runs, const std::string& pattern);

/// The axes a chart can have; for Arguments::choice.
std::vector<std::string> axis_names();

query::AxisQuery axis_named(std::string_view name);

/// One line for each run that has the metric.
plot::Chart chart_of(OpenedRuns& opened, std::span<const ChartRun> runs, const std::string& metric,
                     const ChartStyle& style);

/// Prints a chart of each metric that matches, at most four; NotFound where none does.
Result<void> print_charts(const Session& session, std::span<const ChartRun> runs,
                          const std::string& pattern);

}  // namespace taffrail::cli
