#include "sinks/terminal/sink.h"

#include "base/diagnostics.h"
#include "base/try.h"
#include "sinks/terminal/images.h"
#include "terminal/text.h"

#include <algorithm>

namespace taffrail::sinks::terminal {
namespace {

std::vector<StatInfo> columns_of(const TerminalSinkOptions& options) {
    std::vector<StatInfo> columns;
    for (const std::string& name : options.stats_to_track) {
        columns.push_back(find_stat(name).value_or(StatInfo{name, name, StatFormat::Number}));
    }
    return columns;
}

}  // namespace

TerminalSink::TerminalSink(TerminalSinkOptions options, taffrail::terminal::Screen& screen)
    : options_(std::move(options)),
      screen_(screen),
      table_(columns_of(options_), options_.max_iter) {}

TerminalSink::~TerminalSink() = default;

Result<void> TerminalSink::open(const SinkContext& context) {
    silent_ = context.rank != 0;
    metrics_ = context.metrics;
    in_place_ = options_.max_log_size > 0 && screen_.interactive() && !silent_;
    return {};
}

bool TerminalSink::accepts(Kind kind) const noexcept {
    return kind == Kind::Scalar || kind == Kind::MetricDefinition ||
           (kind == Kind::Image && !options_.log_dir.empty());
}

Result<void> TerminalSink::write(std::span<const Record> records, std::size_t& delivered) {
    for (delivered = 0; delivered < records.size(); ++delivered) {
        const Record& record = records[delivered];
        if (silent_) {
            continue;
        }
        if (record.kind == Kind::Scalar) {
            take(record);
        } else if (record.kind == Kind::MetricDefinition) {
            put_metric(metrics_, std::get<MetricDefinition>(*record.value));
        } else if (record.kind == Kind::Image && !options_.log_dir.empty()) {
            // The pictures are in the run; a folder that cannot take copies must not stop the
            // table.
            if (auto saved = save_images(options_.log_dir, record); !saved.ok()) {
                diagnose_once(DiagnosticLevel::Error, "terminal.images:" + options_.log_dir,
                              "LocalWriter saves no pictures: " + saved.error().message +
                                  ". Make log_dir writable or leave it out; the table goes on and "
                                  "the run keeps the pictures");
            }
        }
    }
    // Outside of mutex_: the screen calls lines() with its own lock held.
    if (in_place_ && !region_.open() && row_) {
        region_ = screen_.add(
            [this](int columns) { return lines(static_cast<std::size_t>(std::max(0, columns))); });
    }
    region_.touch();
    return {};
}

// Tracked statistics only, unless all scalars are wanted: then each new key that is not hidden gets
// the next column.
const StatInfo* TerminalSink::column_for(std::string_view key) {
    const std::optional<StatInfo> stat = find_stat(key);
    const std::string_view label = stat ? std::string_view(stat->label) : key;
    const auto& columns = table_.columns();
    auto found = std::ranges::find(columns, label, &StatInfo::label);
    if (found == columns.end()) {
        const MetricOptions* meant = find_metric(metrics_, key);
        if (!options_.stats_to_track.empty() || (meant != nullptr && meant->hidden)) {
            return nullptr;
        }
        table_.add_column(
            stat.value_or(StatInfo{std::string(key), std::string(key), StatFormat::Number}));
        found = columns.end() - 1;
    }
    return &*found;
}

void TerminalSink::take(const Record& record) {
    const std::lock_guard lock(mutex_);
    if (options_.steps_per_log > 1 && record.step % options_.steps_per_log != 0) {
        return;
    }
    const StatInfo* column = column_for(record.key);
    if (column == nullptr) {
        return;
    }
    if (row_ && row_->step != record.step) {
        finish_row();
    }
    if (!row_) {
        row_ = taffrail::terminal::StatRow{record.step, {}};
    }
    row_->values[column->label] = record.scalar;
}

void TerminalSink::finish_row() {
    if (!row_) {
        return;
    }
    taffrail::terminal::StatRow done = std::move(*row_);
    row_.reset();
    if (in_place_) {
        rows_.push_back(std::move(done));
        while (rows_.size() > static_cast<std::size_t>(options_.max_log_size)) {
            rows_.pop_front();
        }
        return;
    }
    std::string text;
    if (header_columns_ != table_.columns().size()) {
        header_columns_ = table_.columns().size();
        for (const std::string& line : table_.header()) {
            text += line + "\n";
        }
    }
    screen_.print(text + table_.row(done) + "\n");
}

std::vector<std::string> TerminalSink::lines(std::size_t width) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> lines = table_.header(width);
    const auto most = static_cast<std::size_t>(options_.max_log_size) - (row_ ? 1 : 0);
    for (std::size_t i = rows_.size() > most ? rows_.size() - most : 0; i < rows_.size(); ++i) {
        lines.push_back(table_.row(rows_[i], width));
    }
    if (row_) {
        lines.push_back(table_.row(*row_, width));
    }
    return lines;
}

// Appended rows cannot be taken back: a row that may still grow waits for the next step, unless it
// is complete.
Result<void> TerminalSink::flush() {
    const std::lock_guard lock(mutex_);
    if (!in_place_ && row_ && row_->values.size() == table_.columns().size()) {
        finish_row();
    }
    return {};
}

Result<void> TerminalSink::close(RunState state) {
    {
        const std::lock_guard lock(mutex_);
        finish_row();
    }
    region_.close(taffrail::terminal::Leave::Keep);
    if (!silent_ && !reason_.empty() && state != RunState::Running && state != RunState::Finished) {
        screen_.print(std::string(to_string(state)) + ": " +
                      taffrail::terminal::without_controls(reason_) + "\n");
    }
    return {};
}

}  // namespace taffrail::sinks::terminal
