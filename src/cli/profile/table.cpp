// `taffrail profile table` and `diff`: where the time goes, and where it went.
#include "base/grouped.h"
#include "cli/profile/actions.h"
#include "cli/text_format.h"
#include "codec/json_writer.h"
#include "profile/flame/svg.h"
#include "profile/function_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace taffrail::cli {
namespace {

profile::TableOrder order_of(const std::string& sort) {
    return sort == "total"   ? profile::TableOrder::Total
           : sort == "calls" ? profile::TableOrder::Calls
           : sort == "name"  ? profile::TableOrder::Name
                             : profile::TableOrder::Self;
}

std::string share_text(double part, double whole) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", whole > 0 ? part / whole * 100 : 0.0);
    return text;
}

/// Calls are counted; only those that a format made up from shares are no whole number.
std::string calls_text(double calls) {
    const bool is_whole = calls >= 0 && calls < 1e15 && calls == std::floor(calls);
    return is_whole ? grouped(static_cast<std::uint64_t>(calls)) : short_number(calls);
}

std::string place_text(const profile::FunctionRow& row) {
    return row.file.empty() ? "" : row.file + ":" + std::to_string(row.line);
}

std::size_t shown_rows(std::size_t rows, std::int64_t limit) {
    return limit <= 0 ? rows : std::min(rows, static_cast<std::size_t>(limit));
}

void print_rest(const Session& session, std::size_t rows, std::size_t shown) {
    if (shown < rows) {
        session.print(session.styled(Style::Dim, "… and " + grouped(rows - shown) +
                                                     " more functions (-n 0 shows all)") +
                      "\n");
    }
}

void print_json_table(const Session& session, const ProfileInput& input,
                      const profile::FunctionTable& table, std::size_t shown) {
    JsonWriter json(1);
    json.begin_object().member("file", input.name).member("format", input.read.format->name);
    json.member("value", table.type.name).member("unit", table.type.unit);
    json.member("whole", table.whole).member("functions", table.rows.size());
    json.key("rows").begin_array();
    for (std::size_t index = 0; index < shown; ++index) {
        const profile::FunctionRow& row = table.rows[index];
        json.begin_object().member("function", row.name).member("file", row.file);
        json.member("line", row.line).member("self", row.self).member("total", row.total);
        if (table.has_calls) {
            json.member("calls", row.calls);
        }
        json.end_object();
    }
    json.end_array().key("notes").begin_array();
    for (const std::string& line : input.read.profile.notes.lines()) {
        json.value(line);
    }
    session.print(json.end_array().end_object().text() + "\n");
}

}  // namespace

ExitCode print_profile_table(const Session& session, const ProfileRequest& request) {
    auto input = open_profile(session, request.inputs[0], request);
    if (!input.ok()) {
        return session.fail(input.error());
    }
    const auto table =
        profile::function_table(input->read.profile, request.value, order_of(request.sort));
    if (!table.ok()) {
        return session.fail(input->name + ": " + table.error().message);
    }
    const std::size_t shown = shown_rows(table->rows.size(), request.limit);
    if (request.json) {
        print_json_table(session, *input, *table, shown);
        return input->code();
    }
    session.print(
        session.styled(Style::Bold, input->name) +
        session.styled(Style::Dim, "  " + std::string(input->read.format->name) + ", " +
                                       table->type.name + " " +
                                       profile::value_text(table->whole, table->type.unit) + ", " +
                                       grouped(table->rows.size()) +
                                       (table->rows.size() == 1 ? " function" : " functions")) +
        "\n\n");
    TextTable text;
    if (table->has_calls) {
        text.column("calls", TextTable::Align::Right);
    }
    text.column("self", TextTable::Align::Right);
    text.column("share", TextTable::Align::Right);
    text.column("total", TextTable::Align::Right);
    text.column("function");
    const bool has_places =
        std::any_of(table->rows.begin(), table->rows.end(),
                    [](const profile::FunctionRow& row) { return !row.file.empty(); });
    if (has_places) {
        text.column("where");
    }
    for (std::size_t index = 0; index < shown; ++index) {
        const profile::FunctionRow& row = table->rows[index];
        std::vector<TableCell> cells;
        if (table->has_calls) {
            cells.emplace_back(calls_text(row.calls));
        }
        cells.emplace_back(profile::value_text(row.self, table->type.unit));
        cells.emplace_back(share_text(row.self, table->whole), Style::Dim);
        cells.emplace_back(profile::value_text(row.total, table->type.unit));
        cells.emplace_back(row.name);
        if (has_places) {
            cells.emplace_back(place_text(row), Style::Dim);
        }
        text.row(std::move(cells));
    }
    session.print(text.render(session, "", fit_of(request.wide)));
    print_rest(session, table->rows.size(), shown);
    return input->code();
}

ExitCode print_profile_difference(const Session& session, const ProfileRequest& request) {
    auto before = open_profile(session, request.inputs[0], request);
    if (!before.ok()) {
        return session.fail(before.error());
    }
    auto after = open_profile(session, request.inputs[1], request);
    if (!after.ok()) {
        return session.fail(after.error());
    }
    const auto old_table =
        profile::function_table(before->read.profile, request.value, profile::TableOrder::Self);
    const auto new_table =
        profile::function_table(after->read.profile, request.value, profile::TableOrder::Self);
    if (!old_table.ok() || !new_table.ok()) {
        return session.fail(old_table.ok() ? new_table.error() : old_table.error());
    }
    if (old_table->type.unit != new_table->type.unit) {
        return session.fail("the profiles count different things: " + old_table->type.unit +
                            " and " + new_table->type.unit + "; choose with --value");
    }
    const std::string& unit = new_table->type.unit;
    const auto rows = profile::changed_rows(*old_table, *new_table);
    const std::size_t shown = shown_rows(rows.size(), request.limit);
    if (request.json) {
        JsonWriter json(1);
        json.begin_object().member("value", new_table->type.name).member("unit", unit);
        json.member("before", old_table->whole).member("after", new_table->whole);
        json.key("rows").begin_array();
        for (std::size_t index = 0; index < shown; ++index) {
            const auto& [old_row, new_row] = rows[index];
            const profile::FunctionRow& named = new_row.name.empty() ? old_row : new_row;
            json.begin_object().member("function", named.name).member("file", named.file);
            json.member("self_before", old_row.self).member("self_after", new_row.self);
            json.member("total_before", old_row.total).member("total_after", new_row.total);
            json.end_object();
        }
        session.print(json.end_array().end_object().text() + "\n");
        return before->is_damaged ? before->code() : after->code();
    }
    session.print(session.styled(Style::Bold, before->name + " → " + after->name) +
                  session.styled(Style::Dim, "  " + profile::value_text(old_table->whole, unit) +
                                                 " → " +
                                                 profile::value_text(new_table->whole, unit)) +
                  "\n\n");
    TextTable text;
    text.column("change", TextTable::Align::Right);
    text.column("before", TextTable::Align::Right);
    text.column("after", TextTable::Align::Right);
    text.column("function");
    text.column("where");
    for (std::size_t index = 0; index < shown; ++index) {
        const auto& [old_row, new_row] = rows[index];
        const profile::FunctionRow& named = new_row.name.empty() ? old_row : new_row;
        const double change = new_row.self - old_row.self;
        const std::string size = profile::value_text(change < 0 ? -change : change, unit);
        text.row({TableCell((change < 0 ? "-" : "+") + size, change > 0   ? Style::Red
                                                             : change < 0 ? Style::Green
                                                                          : Style::Dim),
                  TableCell(profile::value_text(old_row.self, unit)),
                  TableCell(profile::value_text(new_row.self, unit)), TableCell(named.name),
                  TableCell(place_text(named), Style::Dim)});
    }
    session.print(text.render(session, "", fit_of(request.wide)));
    print_rest(session, rows.size(), shown);
    return before->is_damaged ? before->code() : after->code();
}

}  // namespace taffrail::cli
