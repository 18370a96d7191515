// Which run of a catalogue a person means.
#pragma once

#include <taffrail/reader.h>

#include <memory>
#include <string>
#include <string_view>

namespace taffrail::model {

/// By its id, the place it was read from, its name (the newest of equal ones), or the beginning of
/// one id alone. `runs` maps ids to what `run_of` makes a shared pointer to a run of;
/// `was_read_from` tells whether a run has a file of that path.
template <typename Runs, typename RunOf, typename WasReadFrom>
Result<std::shared_ptr<RecordedRun>> run_meant_by(std::string_view words, const Runs& runs,
                                                  const RunOf& run_of,
                                                  const WasReadFrom& was_read_from) {
    using Pointer = std::shared_ptr<RecordedRun>;
    if (const auto exact = runs.find(words); exact != runs.end()) {
        return Pointer(run_of(exact->second));
    }
    std::string_view path = words;
    while (path.size() > 1 && path.ends_with('/')) {
        path.remove_suffix(1);
    }
    Pointer prefixed, named;
    std::int64_t named_at = 0;
    std::size_t count = 0;
    for (const auto& [id, each] : runs) {
        const auto run = run_of(each);
        const RunInfo info = run->info();
        if (info.location == path || was_read_from(*run, path)) {
            return Pointer(run);
        }
        if (info.name == path && (named == nullptr || info.start_time_ns > named_at)) {
            named = run;
            named_at = info.start_time_ns;
        }
        if (!words.empty() && std::string_view(id).starts_with(words)) {
            prefixed = run;
            ++count;
        }
    }
    if (named != nullptr || count == 1) {
        return named != nullptr ? named : prefixed;
    }
    return Error{ErrorCode::NotFound,
                 "no run '" + std::string(words) + "'" +
                     (count > 1 ? ": " + std::to_string(count) + " runs begin so"
                                : " in this folder; `taffrail ls` lists them")};
}

}  // namespace taffrail::model
