// Just enough of a terminal to see what a program drew: text, newline, carriage return, cursor up,
// erase, lines that wrap or do not, and a window that changes its width and wraps them anew.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::test {

class VirtualTerminal {
  public:
    VirtualTerminal(int columns, int rows)
        : columns_(columns), rows_(rows), screen_(1), continued_(1) {}

    void feed(std::string_view text) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char c = text[i];
            if (c == '\n') {
                column_ = 0;
                next_row();
            } else if (c == '\r') {
                column_ = 0;
            } else if (c == '\x1B' && i + 1 < text.size() && text[i + 1] == '[') {
                std::size_t end = i + 2;
                while (end < text.size() &&
                       std::isalpha(static_cast<unsigned char>(text[end])) == 0) {
                    ++end;
                }
                const std::string number(text.substr(i + 2, end - i - 2));
                if (number == "?7") {
                    wraps_ = text[end] == 'h';
                } else {
                    escape(text[end], number.empty() || number[0] == '?' ? 1 : std::stoi(number));
                }
                i = end;
            } else {
                put(c);
            }
        }
    }

    /// What tmux does to a window at once: lines are put together and wrapped to the new width.
    void resize(int columns) {
        std::vector<std::string> whole;
        std::size_t cursor_line = 0, cursor_place = 0;
        for (std::size_t row = 0; row < screen_.size(); ++row) {
            if (row == 0 || !continued_[row - 1]) {
                whole.emplace_back();
            }
            if (static_cast<int>(row) == row_) {
                cursor_line = whole.size() - 1;
                cursor_place = whole.back().size() + static_cast<std::size_t>(column_);
            }
            whole.back() += screen_[row];
        }
        columns_ = columns;
        screen_.clear();
        continued_.clear();
        const auto width = static_cast<std::size_t>(columns);
        for (std::size_t line = 0; line < whole.size(); ++line) {
            const std::size_t first = screen_.size();
            for (std::size_t at = 0; at == 0 || at < whole[line].size(); at += width) {
                screen_.push_back(whole[line].substr(at, width));
                continued_.push_back(at + width < whole[line].size());
            }
            if (line == cursor_line) {
                const std::size_t down = std::min(cursor_place / width, screen_.size() - first - 1);
                row_ = static_cast<int>(first + down);
                column_ = static_cast<int>(cursor_place - down * width);
            }
        }
        while (static_cast<int>(screen_.size()) > rows_) {
            scroll();
        }
    }

    /// Rows with something on them, from the top of the screen.
    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> out;
        for (std::string line : screen_) {
            line.erase(line.find_last_not_of(' ') + 1);
            if (!line.empty()) {
                out.push_back(line);
            }
        }
        return out;
    }

    /// Rows that scrolled out.
    [[nodiscard]] const std::vector<std::string>& history() const { return history_; }

    [[nodiscard]] int count_in_history(std::string_view text) const {
        return static_cast<int>(std::ranges::count_if(history_, [&](const std::string& line) {
            return line.find(text) != std::string::npos;
        }));
    }

  private:
    void next_row() {
        ++row_;
        if (row_ >= static_cast<int>(screen_.size())) {
            screen_.emplace_back();
            continued_.push_back(false);
        }
        if (static_cast<int>(screen_.size()) > rows_) {
            scroll();
        }
    }

    void scroll() {
        history_.push_back(screen_.front());
        screen_.erase(screen_.begin());
        continued_.erase(continued_.begin());
        --row_;
    }

    void put(char c) {
        if (column_ >= columns_ && wraps_) {
            continued_[static_cast<std::size_t>(row_)] = true;
            column_ = 0;
            next_row();
        }
        column_ = std::min(column_, columns_ - 1);
        std::string& line = screen_[static_cast<std::size_t>(row_)];
        if (static_cast<int>(line.size()) <= column_) {
            line.resize(static_cast<std::size_t>(column_) + 1, ' ');
        }
        line[static_cast<std::size_t>(column_++)] = c;
    }

    void escape(char command, int number) {
        if (command == 'A') {
            row_ = std::max(0, row_ - number);
        } else if (command == 'B') {
            row_ = std::min(static_cast<int>(screen_.size()) - 1, row_ + number);
        } else if (command == 'K' && number == 2) {
            screen_[static_cast<std::size_t>(row_)].clear();
            continued_[static_cast<std::size_t>(row_)] = false;
            if (row_ > 0) {
                continued_[static_cast<std::size_t>(row_) - 1] = false;
            }
        } else if (command == 'K') {
            cut();
        } else if (command == 'J') {
            cut();
            screen_.resize(static_cast<std::size_t>(row_) + 1);
            continued_.resize(screen_.size());
        }
    }

    void cut() {
        std::string& line = screen_[static_cast<std::size_t>(row_)];
        line.resize(std::min(line.size(), static_cast<std::size_t>(column_)));
    }

    int columns_, rows_;
    int row_ = 0, column_ = 0;
    bool wraps_ = true;
    std::vector<std::string> screen_;
    std::vector<bool> continued_;  ///< a row goes on in the next one
    std::vector<std::string> history_;
};

}  // namespace taffrail::test
