#include "trainer/result_table.h"

#include "base/strings.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace taffrail::trainer {

namespace {

constexpr std::size_t kNarrowest = 25;

// "loss/dataloader_idx_1" → "loss"
std::string without_loader(const std::string& name) {
    return name.substr(0, name.find("/dataloader_idx_"));
}

std::string centred(const std::string& text, std::size_t width) {
    const std::size_t space = width > text.size() ? width - text.size() : 0;
    return std::string(space / 2, ' ') + text + std::string(space - space / 2, ' ');
}

std::string cell(const EvaluationResults& results, std::size_t loader, const std::string& row) {
    for (const auto& [name, value] : results[loader]) {
        if (without_loader(name) == row) {
            return format_double(value);
        }
    }
    return "";
}

}  // namespace

std::string format_result_table(const EvaluationResults& results, std::string_view title,
                                int terminal_width, bool unicode) {
    std::set<std::string> rows;
    std::size_t width = kNarrowest;
    for (const auto& loader : results) {
        for (const auto& [name, value] : loader) {
            rows.insert(without_loader(name));
            width =
                std::max({width, without_loader(name).size() + 2, format_double(value).size() + 2});
        }
    }
    if (rows.empty()) {
        return "";
    }
    const std::string line = unicode ? "─" : "-";
    const std::size_t room = static_cast<std::size_t>(std::max(terminal_width, 1));
    const std::size_t columns = std::max<std::size_t>(1, room / width > 1 ? room / width - 1 : 1);
    std::string text;
    for (std::size_t first = 0; first < results.size(); first += columns) {
        const std::size_t last = std::min(results.size(), first + columns);
        std::string rule;
        for (std::size_t place = 0; place < width * (last - first + 1); ++place) {
            rule += line;
        }
        text += rule + "\n" + centred(std::string(title), width);
        for (std::size_t loader = first; loader < last; ++loader) {
            text += centred("DataLoader " + std::to_string(loader), width);
        }
        text += "\n" + rule + "\n";
        for (const std::string& row : rows) {
            text += centred(row, width);
            for (std::size_t loader = first; loader < last; ++loader) {
                text += centred(cell(results, loader, row), width);
            }
            text += "\n";
        }
        text += rule + "\n";
    }
    return text;
}

void print_result_table(const EvaluationResults& results, std::string_view title) {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    const char* locale = std::getenv("LC_ALL");
    locale = locale != nullptr && *locale != 0 ? locale : std::getenv("LANG");
    const bool unicode =
        locale != nullptr && std::string_view(locale).find("UTF-8") != std::string_view::npos;
    const std::string table =
        format_result_table(results, title, known ? size.ws_col : 120, unicode);
    std::fwrite(table.data(), 1, table.size(), stdout);
    std::fflush(stdout);
}

}  // namespace taffrail::trainer
