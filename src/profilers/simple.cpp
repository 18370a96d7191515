// `simple`: how often and how long each action of the training loop ran. The flat table adds up the
// owners of a hook and counts nested actions in each; the tree below it shows both apart.
#include "profilers/common/actions.h"
#include "profilers/common/registry.h"
#include "profilers/common/report_files.h"
#include "profilers/common/simple_table.h"

namespace taffrail::profilers {
namespace {

class SimpleProfiler final : public Profiler {
  public:
    Result<void> configure(const ProfilerOptions& options) override {
        files_.configure(options);
        extended_ = options.extended;
        return {};
    }

    Result<void> setup(std::string_view stage, std::optional<int> rank,
                       const std::string& folder) override {
        files_.setup(stage, rank, folder);
        return {};
    }

    Result<void> start(std::string_view action) override { return actions_.start(action); }

    Result<void> stop(std::string_view action) override { return actions_.stop(action); }

    void step(Step step) noexcept override { mark_step(step); }

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

    Result<void> teardown() override {
        const std::string text = summary();
        if (!files_.wanted() || text.empty()) {
            return {};
        }
        return files_.write(files_.path("", ".txt"), as_bytes(text), true);
    }

  private:
    Actions actions_;
    ReportFiles files_;
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
