#include "sinks/csv/sink.h"

#include "base/bytes.h"
#include "base/diagnostics.h"
#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"
#include "sinks/csv/folder.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace taffrail::sinks::csv {
namespace {

constexpr std::string_view kTable = "metrics.csv";
constexpr std::string_view kState = "metrics.csv.state";
constexpr std::string_view kOutcome = "outcome.yaml";
constexpr std::int64_t kDefaultFlushSteps = 100;

std::uint64_t number_in(std::string_view text, int base) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, base);
    return value;
}

// As Python writes and pandas reads them.
std::string number_text(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "inf" : "-inf";
    }
    return format_double(value);
}

// YAML has no other place for control characters than escapes in double quotes.
std::string hex_escape(char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(c);
    return std::string("\\x") + digits[code >> 4] + digits[code & 15];
}

std::string yaml_text(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        out += c == '"' || c == '\\'                                ? std::string("\\") + c
               : c == '\n'                                          ? "\\n"
               : c == '\t'                                          ? "\\t"
               : static_cast<unsigned char>(c) < ' ' || c == '\x7F' ? hex_escape(c)
                                                                    : std::string(1, c);
    }
    return out + "\"";
}

std::string yaml_scalar(const Cell& cell) {
    struct Visitor {
        std::string operator()(std::monostate) const { return "null"; }

        std::string operator()(bool value) const { return value ? "true" : "false"; }

        std::string operator()(std::int64_t value) const { return std::to_string(value); }

        std::string operator()(double value) const {
            return std::isnan(value)   ? ".nan"
                   : std::isinf(value) ? (value > 0 ? ".inf" : "-.inf")
                                       : format_double(value);
        }

        std::string operator()(const std::string& value) const { return yaml_text(value); }
    };

    return std::visit(Visitor{}, cell);
}

std::string folder_of(const CsvSinkOptions& options, const SinkContext& context) {
    if (!options.log_dir.empty()) {
        return options.log_dir;
    }
    if (options.save_dir.empty()) {
        return io::join(context.run_folder, "csv");
    }
    const std::string parent =
        options.name.empty() ? options.save_dir : io::join(options.save_dir, options.name);
    if (options.version.empty()) {
        return io::join(parent, "version_" + std::to_string(next_version(parent)));
    }
    return io::join(parent,
                    parse_int(options.version) ? "version_" + options.version : options.version);
}

}  // namespace

Result<void> CsvSink::open(const SinkContext& context) {
    silent_ = context.rank != 0;
    if (silent_) {
        return {};
    }
    folder_ = folder_of(options_, context);
    TAFFRAIL_TRY(io::make_directories(folder_));
    // A table of another run is in the way; one of this run is continued.
    const std::string owner = io::read_text(io::join(folder_, kState)).value_or("");
    const bool ours = owner.starts_with("run " + context.run_id + "\n");
    if (!ours && io::exists(io::join(folder_, kTable))) {
        diagnose(DiagnosticLevel::Warning,
                 "csv: '" + folder_ +
                     "' holds the metrics of another run; they are replaced. "
                     "Give another log_dir, or no version, to keep them.");
        TAFFRAIL_TRY(io::remove(io::join(folder_, kTable)));
    }
    saved_.clear();
    std::uint64_t rows = 0;
    if (ours) {
        for (const std::string_view line : split(owner, '\n')) {
            const auto words = split(line, ' ');
            if (words.size() == 2 && words[0] == "rows") {
                rows = number_in(words[1], 10);
            } else if (words.size() == 2 && words[0] == "length") {
                rows = UINT64_MAX;  // of an earlier version: every whole row stays
            } else if (words.size() == 4 && words[0] == "writer") {
                saved_[number_in(words[1], 16)] = {number_in(words[2], 10),
                                                   number_in(words[3], 10)};
            }
        }
    }
    delivered_ = saved_;
    // Of an earlier try: the run goes on.
    if (const std::string outcome = io::join(folder_, kOutcome); io::exists(outcome)) {
        TAFFRAIL_TRY(io::remove(outcome));
    }
    TAFFRAIL_ASSIGN(table_, CsvTable::open(io::join(folder_, kTable), rows));
    state_head_ = "run " + context.run_id + "\n";
    return save_state();
}

// Records up to the saved position are already in the table; they come again when a process died
// before its cursor was stored.
bool CsvSink::seen_before(const Record& record) {
    const auto saved = saved_.find(record.writer);
    if (saved == saved_.end() || record.seq > saved->second.seq) {
        return false;
    }
    if (record.seq < saved->second.seq) {
        return true;
    }
    Position& again = replayed_[record.writer];
    again.seq = record.seq;
    return ++again.count <= saved->second.count;
}

void CsvSink::take(const Record& record) {
    const std::string key = options_.prefix.empty()
                                ? std::string(record.key)
                                : options_.prefix + "-" + std::string(record.key);
    const std::string step = std::to_string(record.step);
    const bool same_call = row_ && record.writer == row_writer_ && record.seq == row_seq_;
    // Values logged one by one at one step share a line, as if they had been logged together.
    const bool joins =
        row_ && row_is_lone_ && !same_call && row_->at("step") == step && !row_->contains(key);
    if (row_ && !same_call && !joins) {
        table_.add(std::move(*row_));
        row_.reset();
    }
    if (!row_) {
        row_ = CsvRow{{"step", step}};
    }
    row_is_lone_ = !same_call;
    (*row_)[key] = number_text(record.scalar);
    row_writer_ = record.writer;
    row_seq_ = record.seq;
}

Result<void> CsvSink::write(std::span<const Record> records, std::size_t& delivered) {
    delivered = 0;
    if (silent_) {
        delivered = records.size();
        return {};
    }
    const std::int64_t every = options_.flush_logs_every_n_steps.value_or(kDefaultFlushSteps);
    bool due = false;
    for (const Record& record : records) {
        if (!seen_before(record)) {
            if (record.kind == Kind::Hparams) {
                for (const auto& [name, cell] : std::get<Hparams>(*record.value)) {
                    const auto same =
                        std::ranges::find(hparams_, name, &Hparams::value_type::first);
                    if (same == hparams_.end()) {
                        hparams_.emplace_back(name, cell);
                    } else {
                        same->second = cell;
                    }
                }
                hparams_changed_ = true;
            } else {
                take(record);
                due = due || (record.step + 1) % every == 0;
            }
            Position& position = delivered_[record.writer];
            position.count = position.seq == record.seq ? position.count + 1 : 1;
            position.seq = record.seq;
        }
        ++delivered;
    }
    return due ? save() : Result<void>();
}

Result<void> CsvSink::save() {
    if (row_) {
        table_.add(std::move(*row_));
        row_.reset();
    }
    if (hparams_changed_) {
        TAFFRAIL_TRY(save_hparams());
    }
    if (!table_.pending()) {
        return {};
    }
    TAFFRAIL_TRY(table_.save());
    saved_ = delivered_;
    return save_state();
}

Result<void> CsvSink::save_state() {
    std::string text = state_head_ + "rows " + std::to_string(table_.rows()) + "\n";
    for (const auto& [writer, position] : saved_) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        std::string hex;
        for (int shift = 60; shift >= 0; shift -= 4) {
            hex += kDigits[(writer >> shift) & 15];
        }
        text += "writer " + hex + " " + std::to_string(position.seq) + " " +
                std::to_string(position.count) + "\n";
    }
    return io::write_file_atomically(io::join(folder_, kState), as_bytes(text), false);
}

Result<void> CsvSink::save_hparams() {
    std::string text;
    for (const auto& [name, cell] : hparams_) {
        text += yaml_text(name) + ": " + yaml_scalar(cell) + "\n";
    }
    TAFFRAIL_TRY(
        io::write_file_atomically(io::join(folder_, "hparams.yaml"), as_bytes(text), false));
    hparams_changed_ = false;
    return {};
}

Result<void> CsvSink::flush() {
    return silent_ ? Result<void>() : save();
}

Result<void> CsvSink::close(RunState state) {
    TAFFRAIL_TRY(flush());
    if (silent_ || state == RunState::Running || state == RunState::Finished) {
        return {};
    }
    std::string text = "state: " + std::string(to_string(state)) + "\n";
    if (!reason_.empty()) {
        text += "reason: " + yaml_text(reason_) + "\n";
    }
    return io::write_file_atomically(io::join(folder_, kOutcome), as_bytes(text), false);
}

}  // namespace taffrail::sinks::csv
