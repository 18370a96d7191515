#include "sinks/tensorboard/delivery_state.h"

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"

#include <charconv>

namespace taffrail::tensorboard {
namespace {

std::uint64_t number_in(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

Result<void> cut_back(const std::string& path, std::uint64_t length) {
    const auto info = io::stat(path);
    if (!info.ok() || info->size <= length) {
        return {};
    }
    TAFFRAIL_ASSIGN(const auto file, io::open(path, io::OpenMode::ReadWrite));
    return file->truncate(length);
}

}  // namespace

DeliveryState::Round DeliveryState::round_of(const Record& record) {
    return {record.writer, record.seq, crc32c(as_bytes(record.key)), 0};
}

Result<void> DeliveryState::open(const std::string& run_folder, const std::string& folder) {
    earlier_.reset();
    to_skip_ = 0;
    current_ = {};
    if (run_folder.empty()) {
        return {};
    }
    const std::string cursors = io::join(run_folder, "cursors");
    path_ = io::join(cursors,
                     "tensorboard-" + to_hex(sha256(as_bytes(folder))).substr(0, 8) + ".state");
    const auto text = io::read_text(path_);
    if (!text.ok()) {
        return io::make_directories(cursors);
    }
    // "round <writer> <seq> <key> <count>", then the length and the path, which may hold anything.
    const auto lines = split(*text, '\n');
    const auto words = split(lines[0], ' ');
    if (lines.size() >= 3 && words.size() == 5 && words[0] == "round") {
        const Round round{number_in(words[1]), number_in(words[2]), number_in(words[3]),
                          number_in(words[4])};
        if (round.count > 0) {
            earlier_ = round;
        }
        return cut_back(text->substr(lines[0].size() + lines[1].size() + 2), number_in(lines[1]));
    }
    return {};
}

bool DeliveryState::seen_before(const Record& record) {
    if (earlier_ && earlier_->writer == record.writer) {
        const Round first = round_of(record);
        const bool again = first.seq == earlier_->seq && first.key == earlier_->key;
        to_skip_ = again ? earlier_->count : 0;
        earlier_.reset();
    }
    return to_skip_ > 0 && to_skip_-- > 0;
}

void DeliveryState::note(const Record& record) {
    if (current_.count == 0) {
        current_ = round_of(record);
    }
    ++current_.count;
}

Result<void> DeliveryState::save(const std::string& path, std::uint64_t length) {
    if (path_.empty() || current_.count == 0) {
        return {};
    }
    TAFFRAIL_TRY(write(current_, path, length));
    current_ = {};
    return {};
}

Result<void> DeliveryState::begin(const std::string& path, std::uint64_t length) {
    return path_.empty() ? Result<void>() : write(earlier_.value_or(Round{}), path, length);
}

Result<void> DeliveryState::write(const Round& round, const std::string& path,
                                  std::uint64_t length) const {
    const std::string text = "round " + std::to_string(round.writer) + ' ' +
                             std::to_string(round.seq) + ' ' + std::to_string(round.key) + ' ' +
                             std::to_string(round.count) + '\n' + std::to_string(length) + '\n' +
                             path;
    return io::write_file_atomically(path_, as_bytes(text), false);
}

}  // namespace taffrail::tensorboard
