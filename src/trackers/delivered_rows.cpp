#include "trackers/delivered_rows.h"

#include "base/names.h"
#include "base/strings.h"
#include "record/identity.h"
#include "trackers/number_text.h"

namespace taffrail::trackers {

bool DeliveredRows::seen_before(const Record& record) {
    if (restored_.empty()) {
        return false;
    }
    const auto known = restored_.find(record.writer);
    if (known == restored_.end() || record.seq > known->second.seq) {
        return false;
    }
    if (record.seq < known->second.seq) {
        return true;
    }
    Position& again = again_[record.writer];
    again.seq = record.seq;
    return ++again.count <= known->second.count;
}

void DeliveredRows::note(const Record& record) {
    if (position_ == nullptr || writer_ != record.writer) {
        writer_ = record.writer;
        position_ = &delivered_[record.writer];
    }
    if (position_->seq != record.seq) {
        *position_ = {record.seq, 0};
    }
    ++position_->count;
}

std::string DeliveredRows::save() const {
    std::string text;
    for (const auto& [writer, position] : delivered_) {
        text += "writer " + writer_name(writer) + " " + std::to_string(position.seq) + " " +
                std::to_string(position.count) + "\n";
    }
    return text;
}

bool DeliveredRows::restore(std::string_view line) {
    const auto words = split(line, ' ');
    if (words.size() != 4 || words[0] != "writer") {
        return false;
    }
    const std::uint64_t writer = number_in(words[1], 16);
    restored_[writer] = delivered_[writer] = {number_in(words[2], 10), number_in(words[3], 10)};
    return true;
}

}  // namespace taffrail::trackers
