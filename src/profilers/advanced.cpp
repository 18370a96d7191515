// `advanced`: for each action of the training loop, what ran inside it: the actions and zones
// below, with calls, self and total times. An action that starts inside another takes nothing away
// from it.
#include "profile/formats/pstats/pstats.h"
#include "profilers/common/call_table.h"
#include "profilers/common/registry.h"
#include "profilers/common/report_profiler.h"
#include "zones/to_profile.h"

#include <algorithm>

namespace taffrail::profilers {
namespace {

class AdvancedProfiler final : public ActionProfiler {
  public:
    Result<void> configure(const ProfilerOptions& options) override {
        if (!is_sort_key(options.sort_by)) {
            return Error{ErrorCode::InvalidArgument,
                         "the advanced profiler cannot sort by '" + options.sort_by +
                             "' (known: cumulative, tottime, ncalls, name)"};
        }
        if (!(options.line_count_restriction > 0)) {
            return Error{ErrorCode::InvalidArgument,
                         "line_count_restriction must be more than 0: a number of rows, or a share "
                         "of them up to 1.0"};
        }
        table_ = {options.line_count_restriction, options.sort_by};
        dump_ = options.dump_stats;
        return ActionProfiler::configure(options);
    }

    [[nodiscard]] std::string summary() const override {
        const zones::Snapshot snapshot = zones::take_snapshot();
        std::string text;
        for (const ActionTotals& action : by_time()) {
            profile::Profile profile = zones::profile_of_action(snapshot, action.name);
            text += "Profile stats for: " + action.name;
            if (files_.rank()) {
                text += " rank: " + std::to_string(*files_.rank());
            }
            text += "\n" + call_table(profile, table_) + "\n";
        }
        return text.empty() ? text : files_.heading() + "\n\n" + text;
    }

    Result<void> teardown() override {
        Result<void> written = ActionProfiler::teardown();
        if (!files_.wanted() || !dump_) {
            return written;
        }
        const zones::Snapshot snapshot = zones::take_snapshot();
        for (const ActionTotals& action : by_time()) {
            if (!written.ok()) {
                break;
            }
            written = dump(snapshot, action.name);
        }
        return written;
    }

  private:
    [[nodiscard]] std::vector<ActionTotals> by_time() const {
        std::vector<ActionTotals> totals = actions_.totals();
        std::ranges::stable_sort(totals, [](const ActionTotals& left, const ActionTotals& right) {
            return left.seconds > right.seconds;
        });
        return totals;
    }

    Result<void> dump(const zones::Snapshot& snapshot, const std::string& action) const {
        profile::Profile profile = zones::profile_of_action(snapshot, action);
        std::string bytes;
        profile::Output out([&](ByteSpan piece) -> Result<void> {
            bytes += as_text(piece);
            return {};
        });
        if (auto made = profile::write_pstats(profile, out, {}); !made.ok()) {
            return made;
        }
        return files_.write(files_.path(action, ".prof"), as_bytes(bytes), false);
    }

    CallTableOptions table_;
    bool dump_ = true;
};

}  // namespace

void register_advanced() {
    registry().add({"advanced", "what ran inside each action of the training loop",
                    []() -> Result<std::unique_ptr<Profiler>> {
                        return std::unique_ptr<Profiler>(new AdvancedProfiler);
                    }});
}

}  // namespace taffrail::profilers
