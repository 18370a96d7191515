#include "trackers/sink_state.h"

#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/escaped_names.h"
#include "io/files.h"
#include "record/cursor.h"

namespace taffrail::trackers {
namespace {

std::string in_one_line(std::string_view text) {
    return text.empty() ? std::string()
                        : escape_name(text, [](std::string_view all, std::size_t i) {
                              return static_cast<unsigned char>(all[i]) < ' ';
                          });
}

}  // namespace

std::string SinkState::text(std::string_view name) const {
    const auto found = fields.find(name);
    return found != fields.end() ? found->second : std::string();
}

std::int64_t SinkState::number(std::string_view name) const {
    return parse_int(text(name)).value_or(0);
}

std::string state_path(const std::string& run_folder, std::string_view sink,
                       std::string_view target) {
    return run_folder.empty()
               ? std::string()
               : io::join(io::join(run_folder, "cursors"),
                          std::string(sink) + "-" + to_hex(sha256(as_bytes(target))).substr(0, 8) +
                              ".state");
}

std::optional<SinkState> read_state(const std::string& path, const std::string& run_id) {
    const auto text =
        path.empty() ? Result<std::string>(std::string()) : record::read_kept_text(path);
    if (!text.ok() || !text->starts_with("run " + run_id + "\n")) {
        return std::nullopt;
    }
    SinkState state;
    for (const std::string_view line : split(*text, '\n')) {
        if (line.starts_with("field ")) {
            const std::string_view rest = line.substr(6);
            const auto end = std::min(rest.find(' '), rest.size());
            const std::string_view value = rest.substr(std::min(rest.size(), end + 1));
            state.fields[std::string(rest.substr(0, end))] =
                value.empty() ? std::string() : unescape_name(value);
        } else if (!line.empty() && !line.starts_with("run ")) {
            state.lines.emplace_back(line);
        }
    }
    return state;
}

Result<void> write_state(const std::string& path, const std::string& run_id,
                         const SinkState& state) {
    if (path.empty()) {
        return {};
    }
    std::string text = "run " + run_id + "\n";
    for (const auto& [name, value] : state.fields) {
        text += "field " + name + " " + in_one_line(value) + "\n";
    }
    for (const std::string& line : state.lines) {
        text += line;
    }
    TAFFRAIL_TRY(io::make_directories(io::parent(path)));
    return io::write_file_atomically(path, as_bytes(text), false);
}

}  // namespace taffrail::trackers
