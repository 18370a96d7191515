#include "sinks/wandb/state.h"

#include "base/sha256.h"
#include "base/strings.h"
#include "io/files.h"
#include "record/cursor.h"

namespace taffrail::sinks::wandb {
namespace {

std::int64_t number_in(std::string_view text) {
    return parse_int(text).value_or(0);
}

void take_line(State& state, std::string_view line) {
    const auto words = split(line, ' ');
    const std::string_view name = words.front();
    const auto rest = [&] { return line.substr(std::min(line.size(), name.size() + 1)); };
    if (name == "file") {
        state.file = rest();
    } else if (name == "length" && words.size() == 3) {
        state.length = static_cast<std::uint64_t>(number_in(words[1]));
        state.records = number_in(words[2]);
    } else if (name == "attempt" && words.size() == 2) {
        state.attempt = static_cast<std::uint32_t>(number_in(words[1]));
    } else if (name == "step" && words.size() == 3) {
        state.last_step = parse_int(words[1]);
        state.says_step = words[2] == "1";
    } else if (name == "row" && words.size() == 4) {
        state.row_step = parse_int(words[1]);
        state.row_time_ns = number_in(words[2]);
        state.row_items = from_hex(words[3]);
    } else if (name == "tracked" && words.size() == 6) {
        state.tracked.push_back(
            {std::string(as_text(from_hex(words[1]))), parse_double(words[2]).value_or(0),
             parse_double(words[3]).value_or(0), parse_double(words[4]).value_or(0),
             static_cast<std::uint64_t>(number_in(words[5]))});
    } else {
        state.lines.emplace_back(line);
    }
}

}  // namespace

std::string state_path(const std::string& run_folder, const std::string& log_dir) {
    if (run_folder.empty()) {
        return {};
    }
    return io::join(io::join(run_folder, "cursors"),
                    "wandb-" + to_hex(sha256(as_bytes(log_dir))).substr(0, 8) + ".state");
}

std::optional<State> read_state(const std::string& path, const std::string& run_id) {
    const auto text =
        path.empty() ? Result<std::string>(std::string()) : record::read_kept_text(path);
    if (!text.ok() || !text->starts_with("run " + run_id + "\n")) {
        return std::nullopt;
    }
    State state{.run_id = run_id};
    for (const std::string_view line : split(*text, '\n')) {
        if (!line.empty() && !line.starts_with("run ")) {
            take_line(state, line);
        }
    }
    return state;
}

Result<void> write_state(const std::string& path, const State& state) {
    if (path.empty()) {
        return {};
    }
    std::string text = "run " + state.run_id + "\nfile " + state.file + "\nlength " +
                       std::to_string(state.length) + " " + std::to_string(state.records) +
                       "\nattempt " + std::to_string(state.attempt) + "\n";
    if (state.last_step) {
        text += "step " + std::to_string(*state.last_step) + (state.says_step ? " 1\n" : " 0\n");
    }
    if (state.row_step) {
        text += "row " + std::to_string(*state.row_step) + " " + std::to_string(state.row_time_ns) +
                " " + to_hex(ByteSpan(state.row_items)) + "\n";
    }
    for (const Tracked& one : state.tracked) {
        text += "tracked " + to_hex(as_bytes(one.key)) + " " + format_double(one.smallest) + " " +
                format_double(one.largest) + " " + format_double(one.sum) + " " +
                std::to_string(one.count) + "\n";
    }
    for (const std::string& line : state.lines) {
        text += line;
    }
    return io::write_file_atomically(path, as_bytes(text), false);
}

}  // namespace taffrail::sinks::wandb
