// `taffrail profile analyze`: where the time of a step goes, and what to do about it.
#include "base/grouped.h"
#include "cli/profile/actions.h"
#include "cli/text_format.h"
#include "io/files.h"
#include "io/inside.h"
#include "profile/analysis/write_json.h"
#include "profile/flame/svg.h"
#include "terminal/format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace taffrail::cli {
namespace {

namespace analysis = profile::analysis;

std::string time_cell(double time_ns) {
    return profile::value_text(time_ns, "nanoseconds");
}

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", share * 100);
    return text;
}

std::string percent(const std::optional<double>& share) {
    return share ? percent(*share) : std::string("–");
}

/// Names of kernels fill lines: enough to recognise one.
std::string shortened(const std::string& name) {
    constexpr std::size_t kLongest = 72;
    return name.size() <= kLongest ? name : name.substr(0, kLongest) + "...";
}

/// A bar of `width` characters, filled by `share`.
std::string bar(const Session& session, double share, int width) {
    const bool utf8 = session.looks().utf8;
    const int full = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width));
    std::string text;
    for (int at = 0; at < full; ++at) {
        text += utf8 ? "█" : "#";
    }
    return text;
}

Style colour_of(analysis::Part part) {
    switch (part) {
        case analysis::Part::Kernel:
            return Style::Green;
        case analysis::Part::DataLoader:
            return Style::Red;
        case analysis::Part::Communication:
            return Style::Yellow;
        case analysis::Part::Memcpy:
        case analysis::Part::Memset:
            return Style::Magenta;
        case analysis::Part::Runtime:
            return Style::Blue;
        case analysis::Part::Cpu:
            return Style::Cyan;
        case analysis::Part::Other:
            return Style::Dim;
    }
    return Style::Plain;
}

void print_head(const Session& session, const std::string& name, const analysis::Analysis& found) {
    const std::size_t steps = found.steps.all.size();
    session.print(
        session.styled(Style::Bold, name) +
        session.styled(Style::Dim, "  " + grouped(found.events) + " events, " +
                                       (found.steps.is_whole_trace
                                            ? std::string("no steps marked")
                                            : grouped(steps) + (steps == 1 ? " step" : " steps")) +
                                       ", mean step " + time_cell(found.steps.mean_total_ns())) +
        "\n");
}

void print_breakdown(const Session& session, const analysis::Analysis& found) {
    constexpr int kBarWidth = 32;
    TextTable text;
    text.column("  a step");
    text.column("mean", TextTable::Align::Right);
    text.column("share", TextTable::Align::Right);
    text.column("");
    for (std::size_t index = 0; index < analysis::kParts; ++index) {
        const auto part = static_cast<analysis::Part>(index);
        if (found.steps.sum[part] == 0) {
            continue;
        }
        const double share = found.steps.sum.share(part);
        text.row({TableCell("  " + std::string(analysis::part_title(part))),
                  TableCell(time_cell(found.steps.mean_ns(part))), TableCell(percent(share)),
                  TableCell(bar(session, share, kBarWidth), colour_of(part))});
    }
    session.print("\n" + text.render(session));
}

void print_devices(const Session& session, const analysis::Analysis& found) {
    if (found.devices.empty()) {
        return;
    }
    TextTable text;
    text.column("  GPU");
    text.column("utilisation", TextTable::Align::Right);
    text.column("SM efficiency", TextTable::Align::Right);
    text.column("occupancy", TextTable::Align::Right);
    text.column("Tensor Cores", TextTable::Align::Right);
    text.column("kernels", TextTable::Align::Right);
    for (const analysis::Device& device : found.devices) {
        text.row({TableCell("  " + std::to_string(device.id) +
                            (device.name.empty() ? "" : "  " + device.name)),
                  TableCell(percent(device.utilisation)), TableCell(percent(device.sm_efficiency)),
                  TableCell(percent(device.occupancy)),
                  TableCell(percent(device.tensor_core_share)),
                  TableCell(grouped(device.kernels))});
    }
    session.print("\n" + text.render(session));
}

/// "33.4 %, limit 5 %": what the rule measured, and where it begins to speak.
std::string measured_text(const analysis::Advice& advice) {
    const auto number = [&](double value) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3g", advice.unit == "share" ? value * 100 : value);
        return std::string(text) + (advice.unit == "share"   ? " %"
                                    : advice.unit == "times" ? " times"
                                                             : "");
    };
    return number(advice.measured) + ", limit " + number(advice.threshold);
}

void print_advice(const Session& session, const analysis::Analysis& found) {
    session.print("\n");
    if (found.advice.empty()) {
        session.print(session.styled(Style::Green, "  No advice: no rule found anything.") +
                      "\n\n");
        return;
    }
    for (const analysis::Advice& advice : found.advice) {
        session.print(
            session.styled(Style::Yellow, "  " + advice.title) +
            session.styled(Style::Dim, "  " + advice.rule + ": " + measured_text(advice)) + "\n");
        session.print("    " + advice.text + "\n");
        session.print("    " + session.styled(Style::Green, "Try: ") + advice.cure + "\n");
        if (!advice.caution.empty()) {
            session.print(session.styled(Style::Dim, "    Mind: " + advice.caution) + "\n");
        }
        if (!advice.evidence.empty()) {
            const analysis::Evidence& shown = advice.evidence.front();
            session.print(
                session.styled(
                    Style::Dim,
                    "    Seen: " + shortened(shown.what) + ", " +
                        time_cell(static_cast<double>(shown.duration_ns)) +
                        (shown.where.empty() ? "" : ", " + shown.where) +
                        (advice.evidence.size() > 1
                             ? " and " + std::to_string(advice.evidence.size() - 1) + " more"
                             : "")) +
                "\n");
        }
        session.print("\n");
    }
}

std::size_t limit_of(std::int64_t limit, std::size_t rows) {
    return limit <= 0 ? rows : std::min(rows, static_cast<std::size_t>(limit));
}

void print_operators(const Session& session, const analysis::Analysis& found,
                     const ProfileRequest& request) {
    if (found.operators.empty()) {
        return;
    }
    const bool has_device = !found.devices.empty();
    TextTable text;
    text.column("  operator");
    text.column("calls", TextTable::Align::Right);
    text.column("self", TextTable::Align::Right);
    text.column("total", TextTable::Align::Right);
    if (has_device) {
        text.column("on device", TextTable::Align::Right);
    }
    const std::size_t shown = limit_of(request.limit, found.operators.size());
    for (std::size_t index = 0; index < shown; ++index) {
        const analysis::OperatorRow& row = found.operators[index];
        std::vector<TableCell> cells = {
            TableCell("  " + row.name), TableCell(grouped(row.calls)),
            TableCell(time_cell(static_cast<double>(row.host_self_ns))),
            TableCell(time_cell(static_cast<double>(row.host_total_ns)))};
        if (has_device) {
            cells.emplace_back(time_cell(static_cast<double>(row.device_total_ns)));
        }
        text.row(std::move(cells));
    }
    session.print(text.render(session, "", fit_of(request.wide)));
    if (shown < found.operators.size()) {
        session.print(session.styled(Style::Dim, "  … and " +
                                                     grouped(found.operators.size() - shown) +
                                                     " more operators (-n 0 shows all)") +
                      "\n");
    }
}

void print_kernels(const Session& session, const analysis::Analysis& found,
                   const ProfileRequest& request) {
    if (found.kernels.empty()) {
        return;
    }
    TextTable text;
    text.column("  kernel");
    text.column("calls", TextTable::Align::Right);
    text.column("total", TextTable::Align::Right);
    text.column("mean", TextTable::Align::Right);
    text.column("occupancy", TextTable::Align::Right);
    text.column("Tensor Cores");
    const std::size_t shown = limit_of(request.limit, found.kernels.size());
    for (std::size_t index = 0; index < shown; ++index) {
        const analysis::KernelRow& row = found.kernels[index];
        text.row({TableCell("  " + row.name), TableCell(grouped(row.calls)),
                  TableCell(time_cell(static_cast<double>(row.total_ns))),
                  TableCell(time_cell(row.mean_ns())), TableCell(percent(row.occupancy)),
                  TableCell(row.uses_tensor_cores ? "yes" : "", Style::Green)});
    }
    session.print("\n" + text.render(session, "", fit_of(request.wide)));
    if (shown < found.kernels.size()) {
        session.print(session.styled(Style::Dim, "  … and " +
                                                     grouped(found.kernels.size() - shown) +
                                                     " more kernels (-n 0 shows all)") +
                      "\n");
    }
}

void print_memory(const Session& session, const analysis::Analysis& found) {
    if (found.memory.empty()) {
        return;
    }
    TextTable text;
    text.column("  memory");
    text.column("peak", TextTable::Align::Right);
    text.column("reserved", TextTable::Align::Right);
    text.column("allocations", TextTable::Align::Right);
    text.column("not freed", TextTable::Align::Right);
    for (const analysis::MemoryOfDevice& memory : found.memory) {
        text.row(
            {TableCell("  " + memory.device),
             TableCell(terminal::format_bytes(static_cast<double>(memory.peak_allocated_bytes))),
             TableCell(memory.has_totals
                           ? terminal::format_bytes(static_cast<double>(memory.peak_reserved_bytes))
                           : "–"),
             TableCell(grouped(memory.allocations)),
             TableCell(grouped(memory.allocations > memory.frees ? memory.allocations - memory.frees
                                                                 : 0))});
    }
    session.print("\n" + text.render(session));
}

void print_worker_table(const Session& session, const analysis::Workers& workers) {
    TextTable text;
    text.column("  worker");
    text.column("computes", TextTable::Align::Right);
    text.column("communicates", TextTable::Align::Right);
    text.column("covered", TextTable::Align::Right);
    text.column("waits", TextTable::Align::Right);
    for (const analysis::WorkerView& worker : workers.all) {
        analysis::Overlap sum;
        std::int64_t wait_ns = 0;
        for (const analysis::WorkerStep& step : worker.steps) {
            sum.computation_ns += step.overlap.computation_ns;
            sum.communication_ns += step.overlap.communication_ns;
            sum.both_ns += step.overlap.both_ns;
            wait_ns += step.wait_ns;
        }
        text.row(
            {TableCell(
                 "  " +
                 (worker.rank >= 0 ? "rank " + std::to_string(worker.rank) + "  " : std::string()) +
                 worker.worker),
             TableCell(time_cell(static_cast<double>(sum.computation_ns))),
             TableCell(time_cell(static_cast<double>(sum.communication_ns))),
             TableCell(percent(sum.share())),
             TableCell(workers.why_not.empty() ? time_cell(static_cast<double>(wait_ns)) : "–")});
    }
    session.print("\n" + text.render(session));
    if (!workers.straggler.empty()) {
        session.print("  The others waited " +
                      time_cell(static_cast<double>(workers.straggler_wait_ns)) + " for " +
                      session.styled(Style::Yellow, workers.straggler) + ".\n");
    } else if (!workers.why_not.empty()) {
        session.print(session.styled(Style::Dim, "  " + workers.why_not + ".") + "\n");
    }
}

void print_workers(const Session& session, const analysis::Workers& workers) {
    if (workers.all.size() > 1) {
        print_worker_table(session, workers);
    }
    for (const std::string& note : workers.notes()) {
        session.print(session.styled(Style::Dim, "  note: " + note) + "\n");
    }
}

void print_difference(const Session& session, const analysis::Difference& change) {
    TextTable text;
    text.column("  a mean step");
    text.column("before", TextTable::Align::Right);
    text.column("after", TextTable::Align::Right);
    text.column("change", TextTable::Align::Right);
    const auto row = [&](const std::string& name, double before, double after) {
        const double grown = after - before;
        text.row({TableCell("  " + name), TableCell(time_cell(before)), TableCell(time_cell(after)),
                  TableCell((grown < 0 ? "-" : "+") + time_cell(std::abs(grown)),
                            grown < 0   ? Style::Green
                            : grown > 0 ? Style::Red
                                        : Style::Dim)});
    };
    row("all of it", change.before_step_ns, change.after_step_ns);
    for (std::size_t index = 0; index < analysis::kParts; ++index) {
        if (change.before_part_ns[index] > 0 || change.after_part_ns[index] > 0) {
            row(std::string(analysis::part_title(static_cast<analysis::Part>(index))),
                change.before_part_ns[index], change.after_part_ns[index]);
        }
    }
    session.print("\n" + text.render(session));
    for (const std::string& rule : change.advice_gone) {
        session.print(session.styled(Style::Green, "  gone: " + rule) + "\n");
    }
    for (const std::string& rule : change.advice_new) {
        session.print(session.styled(Style::Yellow, "  new: " + rule) + "\n");
    }
}

/// A folder with traces of several workers stands for all of them.
std::vector<std::string> with_folders(const std::vector<std::string>& inputs) {
    std::vector<std::string> all;
    for (const std::string& input : inputs) {
        const auto entries = io::list_inside(input, input);
        std::vector<std::string> traces;
        for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
            if (entry.type == io::EntryType::File &&
                entry.name.find(".pt.trace.json") != std::string::npos) {
                traces.push_back(io::join(input, entry.name));
            }
        }
        if (traces.empty()) {
            all.push_back(input);
        } else {
            std::sort(traces.begin(), traces.end());
            all.insert(all.end(), traces.begin(), traces.end());
        }
    }
    return all;
}

}  // namespace

ExitCode analyze_profiles(const Session& session, const ProfileRequest& request) {
    std::vector<analysis::Analysis> found;
    std::vector<std::string> names, unreadable;
    ExitCode code = ExitCode::Ok;
    for (const std::string& path : with_folders(request.inputs)) {
        auto input = open_profile(session, path, request);
        if (!input.ok()) {
            code = session.fail(input.error());
            if (input.error().code == ErrorCode::NotFound) {
                return code;
            }
            // One worker that was killed before it wrote is no reason to say nothing of the others.
            unreadable.push_back(path.substr(path.rfind('/') + 1));
            continue;
        }
        found.push_back(
            analysis::analyze(input->read.profile, analysis::worker_window_of(input->name)));
        names.push_back(input->name);
        code = input->is_damaged ? input->code() : code;
    }
    if (found.empty()) {
        return code;
    }
    const bool has_workers = found.size() + unreadable.size() > 1;
    analysis::Workers workers = analysis::compare_workers(found);
    workers.unreadable = std::move(unreadable);
    std::optional<analysis::Difference> change;
    if (!request.before.empty()) {
        auto before = open_profile(session, request.before, request);
        if (!before.ok()) {
            return session.fail(before.error());
        }
        change = analysis::difference(analysis::analyze(before->read.profile), found.front());
    }
    if (request.json) {
        JsonWriter json(1);
        json.begin_object().key("traces").begin_array();
        analysis::JsonOptions options;
        options.rows = request.limit <= 0 ? 0 : static_cast<std::size_t>(request.limit);
        for (const analysis::Analysis& one : found) {
            analysis::write_json(json, one, options);
        }
        json.end_array();
        if (has_workers) {
            json.key("workers");
            analysis::write_json(json, workers);
        }
        if (change) {
            json.key("difference");
            analysis::write_json(json, *change);
        }
        session.print(json.end_object().text() + "\n");
        return code;
    }
    for (std::size_t index = 0; index < found.size(); ++index) {
        session.print(index == 0 ? "" : "\n");
        print_head(session, names[index], found[index]);
        if (!found[index].steps.all.empty()) {
            print_breakdown(session, found[index]);
            print_devices(session, found[index]);
            print_advice(session, found[index]);
            print_operators(session, found[index], request);
            print_kernels(session, found[index], request);
            print_memory(session, found[index]);
        }
        for (const std::string& note : found[index].notes) {
            session.print(session.styled(Style::Dim, "  note: " + note) + "\n");
        }
    }
    if (has_workers) {
        print_workers(session, workers);
    }
    if (change) {
        print_difference(session, *change);
    }
    return code;
}

}  // namespace taffrail::cli
