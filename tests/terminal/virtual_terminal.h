// Just enough of a terminal to see what a program drew: text, newline, carriage return, cursor up,
// erase.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::test {

class VirtualTerminal {
  public:
    VirtualTerminal(int columns, int rows) : columns_(columns), rows_(rows), screen_(1) {}

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
                escape(text[end], number.empty() || number[0] == '?' ? 1 : std::stoi(number));
                i = end;
            } else {
                put(c);
            }
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
        }
        if (static_cast<int>(screen_.size()) > rows_) {
            history_.push_back(screen_.front());
            screen_.erase(screen_.begin());
            --row_;
        }
    }

    void put(char c) {
        if (column_ >= columns_) {
            column_ = 0;
            next_row();
        }
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
        } else if (command == 'K') {
            cut();
        } else if (command == 'J') {
            cut();
            screen_.resize(static_cast<std::size_t>(row_) + 1);
        }
    }

    void cut() {
        std::string& line = screen_[static_cast<std::size_t>(row_)];
        line.resize(std::min(line.size(), static_cast<std::size_t>(column_)));
    }

    int columns_, rows_;
    int row_ = 0, column_ = 0;
    std::vector<std::string> screen_;
    std::vector<std::string> history_;
};

}  // namespace taffrail::test
