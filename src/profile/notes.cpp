#include "profile/notes.h"

#include "base/grouped.h"

#include <algorithm>

namespace taffrail::profile {
namespace {

constexpr std::size_t kMaxKinds = 64;

}  // namespace

void Notes::add(std::string_view what, std::uint64_t offset, std::uint64_t count) {
    const auto known = std::find_if(notes_.begin(), notes_.end(),
                                    [&](const Note& note) { return note.what == what; });
    if (known != notes_.end()) {
        known->count += count;
    } else if (notes_.size() < kMaxKinds) {
        notes_.push_back({std::string(what), count, offset});
    } else {
        notes_.back().count += count;
    }
}

std::vector<std::string> Notes::lines() const {
    std::vector<std::string> lines;
    for (const Note& note : notes_) {
        std::string line = note.what;
        const std::string place = " at byte " + std::to_string(note.first_offset);
        if (note.count > 1) {
            line += " (" + grouped(note.count) + " times" +
                    (note.first_offset > 0 ? ", first" + place : "") + ")";
        } else if (note.first_offset > 0) {
            line += " (" + place.substr(1) + ")";
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace taffrail::profile
