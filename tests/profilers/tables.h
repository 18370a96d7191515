// One reader for the tables of the simple and the advanced profiler, ours and those in people's
// notes. Strict: a line that is no row of the table is a failure.
#pragma once

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace taffrail::test {

struct SimpleRow {
    std::string action;
    double mean = 0, calls = 0, total = 0, share = 0;
};

struct SimpleTable {
    double total = 0;
    std::vector<SimpleRow> rows;
};

inline std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
        text.pop_back();
    }
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin);
}

inline std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string cell; std::getline(parts, cell, '|');) {
        cells.push_back(trimmed(cell));
    }
    if (!cells.empty() && cells.back().empty()) {
        cells.pop_back();
    }
    return cells;
}

inline double number_of(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') {
        throw std::runtime_error("'" + text + "' is no number");
    }
    return value;
}

inline bool is_rule(const std::string& line) {
    const std::string text = trimmed(line);
    return text.size() > 50 && text.find_first_not_of('-') == std::string::npos;
}

/// From the line that begins with "Action" to the first empty one.
inline SimpleTable read_simple(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line) && !trimmed(line).starts_with("Action")) {
    }
    const std::vector<std::string> header = {"Action", "Mean duration (s)", "Num calls",
                                             "Total time (s)", "Percentage %"};
    if (cells_of(line) != header) {
        throw std::runtime_error("other columns: " + line);
    }
    SimpleTable table;
    int rules = 0;
    while (std::getline(lines, line) && !trimmed(line).empty()) {
        if (is_rule(line)) {
            ++rules;
            continue;
        }
        const auto cells = cells_of(line);
        if (cells.size() != 5) {
            throw std::runtime_error("no row: " + line);
        }
        if (rules == 1) {
            if (cells[0] != "Total" || cells[1] != "-" || cells[2] != "_" || cells[4] != "100 %") {
                throw std::runtime_error("no row of the whole: " + line);
            }
            table.total = number_of(cells[3]);
            continue;
        }
        table.rows.push_back({cells[0], number_of(cells[1]), number_of(cells[2]),
                              number_of(cells[3]), number_of(cells[4])});
    }
    if (rules != 2) {
        throw std::runtime_error("not two rules");
    }
    return table;
}

struct CallRow {
    double calls = 0, primitive = 0, self = 0, self_each = 0, total = 0, total_each = 0;
    std::string place;
};

struct CallBlock {
    std::string action;
    double calls = 0, seconds = 0;
    std::string order;
    int all = 0, shown = 0;  ///< 0 when nothing was left out
    std::vector<CallRow> rows;
};

/// All blocks "Profile stats for: …".
inline std::vector<CallBlock> read_advanced(const std::string& text) {
    std::vector<CallBlock> blocks;
    std::istringstream lines(text);
    bool rows = false;
    for (std::string raw; std::getline(lines, raw);) {
        const std::string line = trimmed(raw);
        if (line.starts_with("Profile stats for: ")) {
            blocks.push_back({.action = line.substr(19)});
            rows = false;
        } else if (blocks.empty()) {
            continue;
        } else if (line.empty()) {
            rows = false;
        } else if (line.find(" function calls") != std::string::npos) {
            blocks.back().calls = std::strtod(line.c_str(), nullptr);
            blocks.back().seconds =
                std::strtod(line.substr(line.rfind(" in ") + 4).c_str(), nullptr);
        } else if (line.starts_with("Ordered by: ")) {
            blocks.back().order = line.substr(12);
        } else if (line.starts_with("List reduced from ")) {
            if (std::sscanf(line.c_str(), "List reduced from %d to %d due to restriction",
                            &blocks.back().all, &blocks.back().shown) != 2) {
                throw std::runtime_error("no note of a cut: " + line);
            }
        } else if (line.starts_with("ncalls ")) {
            std::istringstream words(line);
            std::string columns;
            for (std::string word; words >> word;) {
                columns += word + " ";
            }
            if (columns != "ncalls tottime percall cumtime percall filename:lineno(function) ") {
                throw std::runtime_error("other columns: " + line);
            }
            rows = true;
        } else if (rows) {
            std::istringstream words(line);
            std::string calls;
            CallRow row;
            if (!(words >> calls >> row.self >> row.self_each >> row.total >> row.total_each)) {
                throw std::runtime_error("no row: " + line);
            }
            std::getline(words, row.place);
            row.place = trimmed(row.place);
            const std::size_t slash = calls.find('/');
            row.calls = number_of(calls.substr(0, slash));
            row.primitive =
                slash == std::string::npos ? row.calls : number_of(calls.substr(slash + 1));
            blocks.back().rows.push_back(row);
        } else {
            throw std::runtime_error("a line nobody expects: " + line);
        }
    }
    return blocks;
}

}  // namespace taffrail::test
