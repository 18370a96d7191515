// Turning the live logs of a run into sealed files: Parquet tables with a pyramid, a table of
// values, and a short log with all the rest. Nothing is removed here: the caller lists the new
// files in the manifest and lets the logs go later.
#pragma once

#include <taffrail/result.h>

#include "seal/table_writer.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taffrail::seal {

struct SealOptions {
    TableOptions table = {};
};

struct SealedFileInfo {
    enum class Kind : std::uint8_t { Scalars = 1, Values = 2, Rest = 3 };
    std::string name;  ///< in the run's data folder
    Kind kind = Kind::Scalars;
    std::uint64_t bytes = 0;
    std::uint64_t rows = 0;
    std::uint32_t crc = 0;  ///< CRC-32C of the file
    bool crc_is_known = true;
};

/// A log file whose content is in the sealed files, up to `bytes`.
struct CoveredLog {
    std::uint64_t writer = 0;
    std::uint32_t file_number = 0;
    std::uint64_t bytes = 0;
    std::uint64_t damaged_ranges = 0;
    std::string path;
};

struct SealReport {
    std::vector<SealedFileInfo> files;
    std::vector<CoveredLog> logs;
    std::uint64_t points = 0, values = 0;
    std::uint64_t duplicates = 0;  ///< rows that stood in two files
    std::uint64_t hidden = 0;      ///< rows for sinks only, left out
};

/// Seals `logs` (paths of complete log files of one run) into `<run_folder>/data`. The same logs
/// give the same files, so two sealers may work at once: a file that is there already is checked
/// and kept.
Result<SealReport> seal_run(const std::string& run_folder, std::span<const std::string> logs,
                            const SealOptions& options = {});

}  // namespace taffrail::seal
