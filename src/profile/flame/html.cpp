// One page that needs nothing else: the flame graph and the table of functions.
#include "base/try.h"
#include "codec/gzip.h"
#include "codec/single_page.h"
#include "profile/flame/svg.h"
#include "profile/formats/speedscope/speedscope.h"
#include "profile/function_table.h"

#include <algorithm>
#include <cstdio>

namespace taffrail::profile {
namespace {

constexpr std::size_t kMaxRows = 500;
constexpr int kBarWidth = 100;
constexpr std::size_t kMaxOwnBytes = 16u << 20;

constexpr std::string_view kPageStyle = R"css(
:root { color-scheme: light dark; }
body { font: 14px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; margin: 24px auto; max-width: 1260px; padding: 0 16px; color: #1f2430; background: #fcfcfd; }
table { border-collapse: collapse; width: 100%; margin-top: 16px; font-variant-numeric: tabular-nums; }
th { text-align: right; font-weight: 600; color: #667085; border-bottom: 1px solid #d0d5dd; padding: 6px 10px; position: sticky; top: 0; background: #fcfcfd; }
td { text-align: right; padding: 4px 10px; border-bottom: 1px solid #eaecf0; white-space: nowrap; }
th:last-child, td:last-child { text-align: left; width: 70%; max-width: 0; overflow: hidden; text-overflow: ellipsis; }
td small { color: #667085; } p a { color: #667085; }
td .bar { display: inline-block; height: 8px; border-radius: 4px; background: #f2a65a; vertical-align: middle; }
@media (prefers-color-scheme: dark) {
  body, th { background: #14161b; color: #e6e8ee; }
  td { border-color: #262b35; } th { border-color: #3a404d; color: #98a2b3; } td small { color: #98a2b3; }
}
)css";

std::string percent(double part, double whole) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f %%", whole > 0 ? part / whole * 100 : 0.0);
    return text;
}

void write_rows(const FunctionTable& table, Output& out) {
    std::string& to = out.buffer();
    to += "<table><thead><tr>";
    if (table.has_calls) {
        to += "<th>calls</th>";
    }
    to += "<th>self</th><th>share</th><th>total</th><th>function</th></tr></thead><tbody>\n";
    const std::size_t count = std::min(table.rows.size(), kMaxRows);
    for (std::size_t index = 0; index < count; ++index) {
        const FunctionRow& row = table.rows[index];
        to += "<tr>";
        if (table.has_calls) {
            to += "<td>" + value_text(row.calls, "count") + "</td>";
        }
        to += "<td>" + value_text(row.self, table.type.unit) + "</td><td>" +
              percent(row.self, table.whole) + "</td><td>" +
              value_text(row.total, table.type.unit) + "</td><td title=\"";
        append_xml(to, row.name);
        to += "\"><span class=\"bar\" style=\"width:";
        // Not clamp: sums of absurd weights are infinite, and their shares no numbers.
        const double ratio = table.whole > 0 ? row.self / table.whole : 0;
        const double share = ratio > 0 ? std::min(ratio, 1.0) : 0;
        const int length = static_cast<int>(share * kBarWidth);
        to += std::to_string(length) +
              "px; margin-right:" + std::to_string(kBarWidth + 8 - length) + "px\"></span>";
        append_xml(to, row.name);
        if (!row.file.empty()) {
            to += " <small>";
            append_xml(to, row.file);
            to += ":" + std::to_string(row.line) + "</small>";
        }
        to += "</td></tr>\n";
        out.pause();
    }
    to += "</tbody></table>\n";
}

// The profile itself, to be saved out of the page; large ones are where the page came from.
std::string profile_link(Profile& profile) {
    Bytes text;
    Output own([&](ByteSpan piece) -> Result<void> {
        append(text, piece);
        return text.size() <= kMaxOwnBytes
                   ? Result<void>()
                   : Error{ErrorCode::Unsupported, "too large to stand in a page"};
    });
    if (!write_speedscope(profile, own, {}).ok()) {
        return {};
    }
    return "<p>" +
           saving_link("profile.speedscope.json.gz", gzip(text),
                       "Save the profile of this page as a speedscope file") +
           "</p>\n";
}

}  // namespace

Result<void> write_flame_page(const FlameLayout& layout, const FlameOptions& options,
                              Profile& profile, Output& out) {
    TAFFRAIL_ASSIGN(const FunctionTable table,
                    function_table(profile, options.value, TableOrder::Self));
    std::string& to = out.buffer();
    to += "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>";
    append_xml(to, options.title.empty() ? "Profile" : options.title);
    to += "</title><style>";
    to += kPageStyle;
    to += "</style></head><body>\n";
    write_flame_svg(layout, options, out, false);
    write_rows(table, out);
    out.buffer() += profile_link(profile) + "</body></html>\n";
    return out.finish();
}

Result<void> write_html(Profile& profile, Output& out, const WriteOptions& options) {
    const FlameOptions flame{.title = options.title.empty() ? profile.name : options.title,
                             .value = options.value,
                             .by_thread = options.by_thread,
                             .is_icicle = true};
    TAFFRAIL_ASSIGN(const FlameLayout layout, lay_out_flame(profile, flame));
    return write_flame_page(layout, flame, profile, out);
}

}  // namespace taffrail::profile
