// `simple`: how often and how long each action of the training loop ran. The flat table adds up the
// owners of a hook and counts nested actions in each; the tree below it shows both apart.
#include "profilers/common/registry.h"
#include "profilers/common/report_profiler.h"
#include "profilers/common/simple_table.h"

namespace taffrail::profilers {
namespace {

class SimpleProfiler final : public ActionProfiler {
  public:
    Result<void> configure(const ProfilerOptions& options) override {
        extended_ = options.extended;
        return ActionProfiler::configure(options);
    }

    [[nodiscard]] std::string summary() const override {
        const auto totals = actions_.totals();
        if (totals.empty()) {
            return {};
        }
        std::string text =
            files_.heading() + "\n\n" + simple_table(totals, actions_.elapsed_seconds(), extended_);
        if (const std::string tree = zone_tree_text(); extended_ && !tree.empty()) {
            text += "\n" + tree;
        }
        return text;
    }

  private:
    bool extended_ = true;
};

}  // namespace

void register_simple() {
    registry().add({"simple", "calls and times of each action of the training loop",
                    []() -> Result<std::unique_ptr<Profiler>> {
                        return std::unique_ptr<Profiler>(new SimpleProfiler);
                    }});
}

}  // namespace taffrail::profilers
