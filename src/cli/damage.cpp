#include "cli/damage.h"

#include "base/grouped.h"
#include "cli/text_format.h"

namespace taffrail::cli {

std::string damage_text(const Damage& damage) {
    if (damage.file.empty()) {
        return damage.reason;
    }
    return damage.file + " at byte " + std::to_string(damage.offset) + ", " +
           grouped(damage.length) + " bytes" +
           (damage.last_seq > 0 ? ", rows " + std::to_string(damage.first_seq) + "…" +
                                      std::to_string(damage.last_seq)
                                : "") +
           ": " + damage.reason;
}

void write_damage(JsonWriter& json, const std::vector<Damage>& damage) {
    json.begin_array();
    for (const Damage& each : damage) {
        json.begin_object()
            .member("file", each.file)
            .member("offset", each.offset)
            .member("length", each.length);
        json.member("first_seq", each.first_seq)
            .member("last_seq", each.last_seq)
            .member("reason", each.reason)
            .end_object();
    }
    json.end_array();
}

ExitCode report_damage(const Session& session, const std::string& run_name,
                       const std::vector<Damage>& damage) {
    constexpr std::size_t kMostPlaces = 10;
    for (std::size_t i = 0; i < damage.size() && i < kMostPlaces; ++i) {
        session.warn(run_name + ": damage: " + damage_text(damage[i]));
    }
    if (damage.size() > kMostPlaces) {
        session.warn(run_name + ": " + grouped(damage.size()) +
                     " places are damaged; taffrail verify lists every one");
    }
    return damage.empty() ? ExitCode::Ok : ExitCode::Failed;
}

ExitCode report_unreadable(const Session& session, const Catalogue& catalogue) {
    const auto unreadable = catalogue.unreadable();
    for (const UnreadableRun& run : unreadable) {
        session.warn(run.location + ": " + run.reason);
    }
    return unreadable.empty() ? ExitCode::Ok : ExitCode::Failed;
}

}  // namespace taffrail::cli
