// `basic`: the mean time of each function that the program tagged, longest first. What is not
// tagged does not appear.
#include <taffrail/zone.h>

#include "profilers/common/registry.h"
#include "profilers/common/report_profiler.h"
#include "terminal/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace taffrail::profilers {
namespace {

// As narrow as people know it, wider where names are; those of templates fill lines.
constexpr std::size_t kFewestColumns = 20, kMostColumns = 60;

class BasicProfiler final : public ReportProfiler {
  public:
    [[nodiscard]] bool measures_actions() const noexcept override { return false; }

    Result<void> start(std::string_view) override { return {}; }

    Result<void> stop(std::string_view) override { return {}; }

    [[nodiscard]] std::string summary() const override {
        std::vector<ZoneRow> rows = zone_rows();
        std::erase_if(rows, [](const ZoneRow& row) { return row.calls == 0; });
        if (rows.empty()) {
            return {};
        }
        std::ranges::stable_sort(
            rows, [](const ZoneRow& left, const ZoneRow& right) { return left.mean > right.mean; });
        std::size_t columns = kFewestColumns;
        for (ZoneRow& row : rows) {
            row.name = terminal::without_controls(row.name);
            columns = std::max(columns, std::min(terminal::display_width(row.name), kMostColumns));
        }
        std::string text = files_.heading() + ": mean seconds of each tagged function\n";
        for (const ZoneRow& row : rows) {
            std::array<char, 64> mean{};
            std::snprintf(mean.data(), mean.size(), ": %.4f\n", row.mean);
            text += terminal::pad_to_width(row.name, columns) + mean.data();
        }
        return text;
    }
};

}  // namespace

void register_basic() {
    registry().add(
        {"basic", "mean time of each tagged function", []() -> Result<std::unique_ptr<Profiler>> {
             return std::unique_ptr<Profiler>(new BasicProfiler);
         }});
}

}  // namespace taffrail::profilers
