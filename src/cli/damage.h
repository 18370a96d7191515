// What an answer leaves out is said, by every command alike: one line a place on standard error,
// and exit code 1. JSON has the same places.
#pragma once

#include <taffrail/reader.h>

#include "cli/session.h"
#include "codec/json_writer.h"

#include <string>
#include <vector>

namespace taffrail::cli {

/// "FILE at byte 812, 1,024 bytes, rows 3…9: why".
std::string damage_text(const Damage& damage);
/// A list of {file, offset, length, first_seq, last_seq, reason}.
void write_damage(JsonWriter& json, const std::vector<Damage>& damage);

/// Says what of a run could not be read: Failed when there is anything, else Ok.
ExitCode report_damage(const Session& session, const std::string& run_name,
                       const std::vector<Damage>& damage);
/// The same for runs that could not be opened at all.
ExitCode report_unreadable(const Session& session, const Catalogue& catalogue);

/// Failed when either is.
inline ExitCode worse(ExitCode a, ExitCode b) {
    return a == ExitCode::Ok ? b : a;
}

}  // namespace taffrail::cli
