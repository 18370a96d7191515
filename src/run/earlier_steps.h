// What earlier attempts of a run got to, for calls that continue a count.
#pragma once

#include <taffrail/key.h>
#include <taffrail/reader.h>

#include "record/definitions.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace taffrail::run {

/// The step after the last one of a key. Reads the run at the first question; answers INT64_MIN for
/// unknown keys.
class EarlierSteps {
  public:
    explicit EarlierSteps(std::string run_folder) : run_folder_(std::move(run_folder)) {}

    Step operator()(const record::Definitions::Key& key);

  private:
    std::string run_folder_;
    std::shared_ptr<RecordedRun> run_;  ///< as it was when first asked
};

/// The notes of the run as they are now; "" where there are none.
std::string earlier_notes(const std::string& run_folder);

/// One more than the newest version of this artifact in the run; 0 when there is none.
std::uint32_t next_artifact_version(const std::string& run_folder, std::string_view artifact);

}  // namespace taffrail::run
