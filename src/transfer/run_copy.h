// A recorded run written again as a native one: every rank and attempt by a writer of its own.
#pragma once

#include <taffrail/reader.h>

#include "transfer/run_writer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace taffrail::transfer {

class RunCopy {
  public:
    /// Makes a run below `root` with the id, name, project and tags of `info`.
    static Result<std::unique_ptr<RunCopy>> create(const std::string& root, const RunInfo& info);

    /// All records with their files, the console and `environment`; then the end.
    Result<void> take(const RecordedRun& run, const Hparams& environment);

    [[nodiscard]] std::uint64_t points() const noexcept { return points_; }

    [[nodiscard]] std::uint64_t values() const noexcept { return values_; }

  private:
    /// Rank and attempt.
    using Process = std::pair<std::int32_t, std::uint32_t>;

    explicit RunCopy(RunInfo info) : info_(std::move(info)) {}

    Result<RunWriter*> writer(const Process& process);
    Result<void> add(const RecordedRun& run, const Record& record);
    Result<void> add_console(const std::vector<ConsoleLine>& lines);
    Result<void> finish();

    const RunInfo info_;
    std::map<Process, std::unique_ptr<RunWriter>> writers_;
    std::uint64_t points_ = 0, values_ = 0;
};

}  // namespace taffrail::transfer
