#include "sinks/tensorboard/delivery_state.h"

#include "base/bytes.h"
#include "base/crc32c.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "record/cursor.h"

#include <algorithm>
#include <charconv>

namespace taffrail::sinks::tensorboard {
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

/// Whether this sink would have made `path`. The state comes out of a run folder, which may be
/// anybody's: it must not name another file to cut.
bool is_own_file(const std::string& path, const std::string& folder) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return io::is_plain_name(name) && name.starts_with("events.out.tfevents.") &&
           path == io::join(folder, name) && !io::is_link(path);
}

}  // namespace

DeliveryState::Round DeliveryState::round_of(const Record& record) {
    return {record.writer, record.seq, crc32c(as_bytes(record.key)), 0};
}

Result<void> DeliveryState::open(const std::string& run_folder, const std::string& folder) {
    earlier_.clear();
    to_skip_ = 0;
    current_ = {};
    if (run_folder.empty()) {
        return {};
    }
    const std::string cursors = io::join(run_folder, "cursors");
    path_ = io::join(cursors,
                     "tensorboard-" + to_hex(sha256(as_bytes(folder))).substr(0, 8) + ".state");
    const auto text = record::read_kept_text(path_);
    if (!text.ok()) {
        return io::make_directories(cursors);
    }
    // Any number of "round <writer> <seq> <key> <count>", then the length and the path, which may
    // hold anything.
    std::string_view rest = *text;
    const auto next_line = [&rest] {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        return line;
    };
    std::string_view line = next_line();
    for (auto words = split(line, ' '); words.size() == 5 && words[0] == "round";
         words = split(line, ' ')) {
        const Round round{number_in(words[1]), number_in(words[2]), number_in(words[3]),
                          number_in(words[4])};
        if (round.count > 0) {
            earlier_[round.writer] = round;
        }
        line = next_line();
    }
    const std::string file(rest);
    if (file.empty() || !is_own_file(file, folder)) {
        return {};
    }
    return cut_back(file, number_in(line));
}

bool DeliveryState::seen_before(const Record& record) {
    if (const auto earlier = earlier_.find(record.writer); earlier != earlier_.end()) {
        const Round first = round_of(record);
        const bool again = first.seq == earlier->second.seq && first.key == earlier->second.key;
        to_skip_ = again ? earlier->second.count : 0;
        earlier_.erase(earlier);
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
    return path_.empty() ? Result<void>() : write(Round{}, path, length);
}

Result<void> DeliveryState::write(const Round& round, const std::string& path,
                                  std::uint64_t length) const {
    std::string text;
    const auto add = [&text](const Round& one) {
        text += "round " + std::to_string(one.writer) + ' ' + std::to_string(one.seq) + ' ' +
                std::to_string(one.key) + ' ' + std::to_string(one.count) + '\n';
    };
    if (round.count > 0) {
        add(round);
    }
    for (const auto& [writer, one] : earlier_) {
        add(one);
    }
    text += std::to_string(length) + '\n' + path;
    return io::write_file_atomically(path_, as_bytes(text), false);
}

}  // namespace taffrail::sinks::tensorboard
