// The tables that people read, and their rows for programs.
#include <taffrail/zone.h>

#include "terminal/text.h"
#include "zones/snapshot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

namespace taffrail {

namespace zones {

namespace {

ZoneRow row_of(const std::string& name, const Sums& sums, double per_tick) {
    ZoneRow row;
    row.name = name;
    row.calls = sums.calls;
    row.total = static_cast<double>(sums.total()) * per_tick;
    row.mean = sums.calls == 0
                   ? 0
                   : static_cast<double>(sums.done) / static_cast<double>(sums.calls) * per_tick;
    row.least = sums.calls == 0 ? 0 : static_cast<double>(sums.least) * per_tick;
    row.most = static_cast<double>(sums.most) * per_tick;
    row.p50 = sums.percentile(0.50) * per_tick;
    row.p99 = sums.percentile(0.99) * per_tick;
    row.open = sums.open > 0;
    row.values = sums.values;
    row.value_sum = sums.value_sum;
    return row;
}

struct Flat {
    std::string name;
    Sums sums;
    std::uint64_t self = 0;
    std::uint64_t every = 0;  ///< of all calls that ended, also inside one of the same name
};

// A zone inside one of its own name counts as a call; its time is in the outer one already.
void flatten(const Branch& branch, std::multiset<std::string>& above,
             std::map<std::string, Flat>& to) {
    for (const auto& child : branch.children) {
        if (child->unused()) {
            continue;
        }
        Flat& flat = to[child->name];
        flat.name = child->name;
        Sums sums = child->sums;
        flat.every += sums.done;
        if (above.contains(child->name)) {
            sums.done = sums.open = 0;
        }
        flat.sums.add(sums);
        flat.self += child->self();
        const auto place = above.insert(child->name);
        flatten(*child, above, to);
        above.erase(place);
    }
}

void list(const Branch& branch, int depth, double per_tick, std::vector<ZoneRow>& to) {
    std::vector<const Branch*> children;
    for (const auto& child : branch.children) {
        if (!child->unused()) {
            children.push_back(child.get());
        }
    }
    std::ranges::stable_sort(children, [](const Branch* left, const Branch* right) {
        return left->sums.total() > right->sums.total();
    });
    for (const Branch* child : children) {
        ZoneRow row = row_of(child->name, child->sums, per_tick);
        row.self = static_cast<double>(child->self()) * per_tick;
        row.depth = depth;
        to.push_back(std::move(row));
        list(*child, depth + 1, per_tick, to);
    }
}

void add_spans(const Snapshot& snapshot, std::vector<ZoneRow>& to) {
    for (const auto& span : snapshot.spans.children) {
        if (span->unused()) {
            continue;
        }
        ZoneRow row = row_of(span->name, span->sums, snapshot.seconds_per_tick);
        row.span = true;
        to.push_back(std::move(row));
    }
}

void set_shares(std::vector<ZoneRow>& rows) {
    double all = 0;
    for (const ZoneRow& row : rows) {
        all += row.self;
    }
    for (ZoneRow& row : rows) {
        row.share = all > 0 ? row.self / all : 0;
    }
}

std::vector<ZoneRow> flat_rows(const Snapshot& snapshot) {
    std::map<std::string, Flat> names;
    std::multiset<std::string> above;
    flatten(snapshot.root, above, names);
    std::vector<ZoneRow> rows;
    for (const auto& [name, flat] : names) {
        ZoneRow row = row_of(name, flat.sums, snapshot.seconds_per_tick);
        row.self = static_cast<double>(flat.self) * snapshot.seconds_per_tick;
        if (row.calls > 0) {
            row.mean = static_cast<double>(flat.every) / static_cast<double>(row.calls) *
                       snapshot.seconds_per_tick;
        }
        rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(
        rows, [](const ZoneRow& left, const ZoneRow& right) { return left.total > right.total; });
    set_shares(rows);
    add_spans(snapshot, rows);
    return rows;
}

std::vector<ZoneRow> tree_rows(const Snapshot& snapshot) {
    std::vector<ZoneRow> rows;
    list(snapshot.root, 0, snapshot.seconds_per_tick, rows);
    set_shares(rows);
    return rows;
}

// Four digits and a unit: "1.234 ms".
std::string duration(double seconds) {
    struct Unit {
        double size;
        const char* name;
    };

    constexpr std::array<Unit, 4> kUnits = {{{1, "s "}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
    const Unit* unit = &kUnits.back();
    for (const Unit& larger : kUnits) {
        if (seconds >= larger.size * 0.99995) {
            unit = &larger;
            break;
        }
    }
    const double value = seconds / unit->size;
    const int digits = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.*f %s", digits, value, unit->name);
    return text.data();
}

constexpr std::size_t kWidestName = 60;

std::string shown(const ZoneRow& row) {
    std::string name(static_cast<std::size_t>(row.depth) * 2, ' ');
    name += row.name;
    for (char& letter : name) {
        letter = letter == '\n' || letter == '\t' ? ' ' : letter;
    }
    if (row.open) {
        name += " (open)";
    }
    return terminal::cut_middle(terminal::without_controls(name), kWidestName);
}

std::string format(const std::vector<ZoneRow>& rows, const char* first) {
    std::size_t width = std::char_traits<char>::length(first);
    for (const ZoneRow& row : rows) {
        width = std::max(width, terminal::display_width(shown(row)));
    }
    std::array<char, 256> line{};
    std::snprintf(line.data(), line.size(), "  %10s  %10s  %10s  %10s  %6s  %10s  %10s  %10s\n",
                  "calls", "mean", "total", "self", "self %", "p50", "p99", "max");
    std::string text = terminal::pad_to_width(first, width) + line.data();
    text += std::string(width + 92, '-') + "\n";
    for (const ZoneRow& row : rows) {
        std::array<char, 16> share{};
        std::snprintf(share.data(), share.size(), "%.2f", row.share * 100);
        std::snprintf(line.data(), line.size(),
                      "  %10llu  %10s  %10s  %10s  %6s  %10s  %10s  %10s\n",
                      static_cast<unsigned long long>(row.calls), duration(row.mean).c_str(),
                      duration(row.total).c_str(), row.span ? "-" : duration(row.self).c_str(),
                      row.span ? "-" : share.data(), duration(row.p50).c_str(),
                      duration(row.p99).c_str(), duration(row.most).c_str());
        text += terminal::pad_to_width(shown(row), width) + line.data();
    }
    return text;
}

std::string heading(const Snapshot& snapshot, const std::vector<ZoneRow>& rows) {
    double inside = 0;
    for (const ZoneRow& row : rows) {
        inside += row.self;
    }
    const auto plain = [](double seconds) {
        std::string text = duration(seconds);
        text.erase(text.find_last_not_of(' ') + 1);
        return text;
    };
    std::string text = "zones: " + plain(inside) + " in zones of " +
                       std::to_string(snapshot.threads) +
                       (snapshot.threads == 1 ? " thread, " : " threads, ") +
                       plain(snapshot.wall_seconds) + " since the first one";
    return text + "\n";
}

std::string footing(const Snapshot& snapshot) {
    std::string text;
    if (snapshot.steps.calls > 0) {
        const double per_tick = snapshot.seconds_per_tick;
        text += "steps: " + std::to_string(snapshot.steps.calls) + ", mean " +
                duration(static_cast<double>(snapshot.steps.done) /
                         static_cast<double>(snapshot.steps.calls) * per_tick) +
                ", p50 " + duration(snapshot.steps.percentile(0.5) * per_tick) + ", p99 " +
                duration(snapshot.steps.percentile(0.99) * per_tick) + "\n";
    }
    if (snapshot.not_kept > 0) {
        text += std::to_string(snapshot.not_kept) +
                " zones are not in this table: nested deeper than 128, or in more than 16,384 "
                "different nestings\n";
    }
    return text;
}

std::string report(std::vector<ZoneRow> (*make)(const Snapshot&), const char* first) {
    const Snapshot snapshot = take_snapshot();
    const std::vector<ZoneRow> rows = make(snapshot);
    if (rows.empty()) {
        return {};
    }
    return heading(snapshot, rows) + format(rows, first) + footing(snapshot);
}

}  // namespace

}  // namespace zones

std::vector<ZoneRow> zone_rows() {
    return zones::flat_rows(zones::take_snapshot());
}

std::vector<ZoneRow> zone_tree() {
    return zones::tree_rows(zones::take_snapshot());
}

std::string zone_table_text() {
    return zones::report(zones::flat_rows, "zone");
}

std::string zone_tree_text() {
    return zones::report(zones::tree_rows, "zones as a tree");
}

}  // namespace taffrail
