#include "sinks/csv/table.h"

#include "base/bytes.h"
#include "base/try.h"
#include "codec/csv.h"
#include "io/files.h"

#include <algorithm>
#include <set>

namespace taffrail::sinks::csv {
namespace {

std::string line_of(const std::vector<std::string>& columns, const CsvRow& row) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto found = row.find(columns[i]);
        line += (i == 0 ? "" : ",") + (found == row.end() ? "" : csv_cell(found->second));
    }
    return line + "\n";
}

std::string header_of(const std::vector<std::string>& columns) {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        line += (i == 0 ? "" : ",") + csv_cell(columns[i]);
    }
    return line + "\n";
}

// Behind the line break that ends the line at `begin`; `begin` when there is none. Quoted cells may
// hold line breaks.
std::size_t end_of_line(std::string_view text, std::size_t begin) {
    bool quoted = false;
    for (std::size_t i = begin; i < text.size(); ++i) {
        quoted = quoted != (text[i] == '"');
        if (text[i] == '\n' && !quoted) {
            return i + 1;
        }
    }
    return begin;
}

}  // namespace

Result<CsvTable> CsvTable::open(std::string path, std::uint64_t rows) {
    CsvTable table;
    table.path_ = std::move(path);
    if (!io::exists(table.path_)) {
        return table;
    }
    TAFFRAIL_ASSIGN(const std::string text, io::read_text(table.path_));
    for (std::uint64_t line = 0; rows > 0 && line <= rows; ++line) {
        const std::size_t end = end_of_line(text, table.length_);
        if (end == table.length_) {
            break;
        }
        table.rows_ = line;
        table.length_ = end;
    }
    TAFFRAIL_ASSIGN(auto file, io::open(table.path_, io::OpenMode::ReadWrite));
    TAFFRAIL_TRY(file->truncate(table.length_));
    const std::string_view header =
        std::string_view(text).substr(0, table.length_ > 0 ? end_of_line(text, 0) : 0);
    if (const auto lines = parse_csv(header); !lines.empty()) {
        table.columns_ = lines.front();
    }
    return table;
}

Result<void> CsvTable::save() {
    if (pending_.empty()) {
        return {};
    }
    std::set<std::string> names(columns_.begin(), columns_.end());
    for (const CsvRow& row : pending_) {
        for (const auto& [name, value] : row) {
            names.insert(name);
        }
    }
    if (names.size() != columns_.size()) {
        columns_.assign(names.begin(), names.end());
        TAFFRAIL_TRY(rewrite());
    }
    std::string text;
    for (const CsvRow& row : pending_) {
        text += line_of(columns_, row);
    }
    TAFFRAIL_ASSIGN(auto file, io::open(path_, io::OpenMode::CreateOrOpen));
    TAFFRAIL_TRY(file->write_at(length_, as_bytes(text)));
    length_ += text.size();
    rows_ += pending_.size();
    pending_.clear();
    return {};
}

// The rows so far under the new header. Readers see the old file or the new one.
Result<void> CsvTable::rewrite() {
    std::string text = header_of(columns_);
    if (length_ > 0) {
        TAFFRAIL_ASSIGN(const std::string old, io::read_text(path_));
        const auto lines = parse_csv(std::string_view(old).substr(0, length_));
        for (std::size_t i = 1; i < lines.size(); ++i) {
            CsvRow row;
            for (std::size_t j = 0; j < lines[i].size() && j < lines[0].size(); ++j) {
                if (!lines[i][j].empty()) {
                    row[lines[0][j]] = lines[i][j];
                }
            }
            text += line_of(columns_, row);
        }
    }
    TAFFRAIL_TRY(io::write_file_atomically(path_, as_bytes(text), false));
    length_ = text.size();
    return {};
}

}  // namespace taffrail::sinks::csv
