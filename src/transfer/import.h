// Foreign runs made native, each once: the engine of `import`.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "transfer/imported_runs.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace taffrail::transfer {

struct ImportOptions {
    std::string root;          ///< of the copies
    std::string project = {};  ///< "" = as found
    bool again = false;        ///< copy also what was copied before
    std::int64_t now_ns = 0;   ///< for the ids of runs without a time
};

enum class ImportOutcome : std::uint8_t {
    Imported,
    Unchanged,  ///< copied before, and nothing came since
    Grown,      ///< copied before with fewer records; left alone
};

/// What became of one run.
struct ImportReport {
    RunInfo original;
    std::string id;  ///< of the copy
    ImportOutcome outcome = ImportOutcome::Imported;
    std::uint64_t points = 0, values = 0;  ///< copied now
    std::uint64_t records = 0;             ///< of the original now
    std::uint64_t earlier_records = 0;     ///< when it was copied before
    std::vector<Damage> damage = {};       ///< what the original could not give
};

/// Copies the runs of any number of catalogues into one root.
class Import {
  public:
    explicit Import(ImportOptions options);

    /// Every run of `catalogue`, told one by one. Stops at the first that cannot be copied; runs of
    /// the root itself are refused before anything is written.
    Result<void> take(const Catalogue& catalogue,
                      const std::function<void(const ImportReport&)>& report);

  private:
    Result<ImportReport> copy(const RecordedRun& run);

    ImportOptions options_;
    ImportedRuns here_;
};

}  // namespace taffrail::transfer
