// What profilers that end in a report have in common: where its files go, and the actions they
// time.
#pragma once

#include <taffrail/profiler.h>
#include <taffrail/zone.h>

#include "profilers/common/actions.h"
#include "profilers/common/report_files.h"

#include <optional>
#include <string>
#include <string_view>

namespace taffrail::profilers {

/// The summary as a file, and steps as marks.
class ReportProfiler : public Profiler {
  public:
    Result<void> configure(const ProfilerOptions& options) override {
        files_.configure(options);
        return {};
    }

    Result<void> setup(std::string_view stage, std::optional<int> rank,
                       const std::string& folder) override {
        files_.setup(stage, rank, folder);
        return {};
    }

    void step(Step step) noexcept override { mark_step(step); }

    Result<void> teardown() override {
        const std::string text = summary();
        return files_.wanted() && !text.empty()
                   ? files_.write(files_.path("", ".txt"), as_bytes(text), true)
                   : Result<void>();
    }

  protected:
    ReportFiles files_;
};

/// The same, timing actions.
class ActionProfiler : public ReportProfiler {
  public:
    Result<void> start(std::string_view action) override { return actions_.start(action); }

    Result<void> stop(std::string_view action) override { return actions_.stop(action); }

  protected:
    Actions actions_;
};

}  // namespace taffrail::profilers
