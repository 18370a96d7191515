// The manifest of a run: which sealed files there are, and which logs are in them.
// docs/formats/manifest.md.
#pragma once

#include <taffrail/result.h>

#include "seal/seal.h"
#include "store/profile_files.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::store {

struct Manifest {
    std::uint32_t number = 0;
    std::int64_t time_ns = 0;
    std::vector<seal::SealedFileInfo> files;
    std::vector<seal::CoveredLog> logs;     ///< path is left empty
    std::vector<ProfileFileInfo> profiles;  ///< beside what is sealed; put in by write_manifest()
    /// The newest manifest file, when it cannot be read. Then `files` also has what lies in data/,
    /// and which logs those cover is not known.
    std::string unreadable;
};

/// The newest manifest; nothing when there is none. One that is damaged is made up for by an older
/// one and the files that are there.
std::optional<Manifest> read_manifest(const std::string& run_folder);
/// Every manifest of the run, older ones too, of which a byte is not as it was written.
std::vector<std::string> damaged_manifests(const std::string& run_folder);
/// Writes `manifest` as the one behind `manifest.number`, which is that of the manifest it was made
/// from; durable when it returns. AlreadyExists: another process did so meanwhile, and what it
/// wrote wants to be read first.
Result<void> write_manifest(const std::string& run_folder, const std::string& run_id,
                            Manifest manifest);
/// Everyone who wrote to the run, sealed or not.
std::vector<std::uint64_t> all_writers(const std::string& run_folder, const Manifest& manifest);

}  // namespace taffrail::store
