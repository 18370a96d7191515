// Which runs a person means: names before paths, what is visible before what was deleted.
#pragma once

#include "cli/session.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::cli {

/// How a command looks for its runs; set by declare_targets().
struct TargetOptions {
    std::string root;
    bool is_path = false;  ///< --path: what is named is a folder, also without a '/' in it

    /// Deleted runs go by their ids. `Also`: by their names where no other run has it. `First`:
    /// before the others.
    enum class Deleted : std::uint8_t { ById, Also, First } deleted = Deleted::ById;
};

/// Adds `--root DIR` and `--path`.
void declare_targets(Arguments& arguments, TargetOptions& options);

struct Target {
    std::shared_ptr<Catalogue> catalogue;
    std::string path;              ///< what was opened
    std::vector<std::string> ids;  ///< newest first
    bool is_folder = false;        ///< the runs of a folder were meant, not one by its name
};

/// A run by its id, its name (the newest of that name) or the beginning of its id, under the root;
/// else, where `target` has a '/' or --path was given, every run of that folder or logdir. ""
/// means every run of the root.
Result<Target> find_runs(const Session& session, std::string_view target,
                         const TargetOptions& options);
/// Exactly one run; several are an error that lists them. "" means the newest one.
Result<std::shared_ptr<RecordedRun>> find_run(const Session& session, std::string_view target,
                                              const TargetOptions& options);

/// "no key matches 'PATTERN'; did you mean …"; `what` is "key" or "scalar key".
Error no_key(std::string_view what, const std::string& pattern,
             const std::vector<std::string>& known);
/// That error when there is a pattern and none of the keys fits it.
Result<void> keys_fit(const std::vector<KeyInfo>& keys, const std::string& pattern,
                      std::string_view what);

/// "ROOT holds 3 runs (a, b, c)".
std::string describe_many(const Target& target);

}  // namespace taffrail::cli
