// What the records beside the history say: the run, its machine, its console.
#include "base/strings.h"
#include "base/utf8.h"
#include "codec/formats/wandb/system_names.h"
#include "sources/wandb/json_cells.h"
#include "sources/wandb/run_part.h"

#include <algorithm>

namespace taffrail::sources::wandb {

using namespace formats::wandb;

namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

}  // namespace

void RunPart::take_run(ByteSpan body) {
    ProtoReader reader(body);
    WireField field;
    std::vector<std::string> new_tags;
    std::vector<std::pair<std::uint32_t, std::string*>> texts = {
        {1, &run_id},   {2, &entity}, {3, &project}, {6, &group},
        {7, &job_type}, {8, &name},   {9, &notes},   {13, &host}};
    while (reader.next(field)) {
        if (field.type == WireType::Varint && field.number == 24) {
            resumes = resumes || field.raw != 0;
        }
        if (field.type != WireType::Length) {
            continue;
        }
        for (const auto& [number, text] : texts) {
            if (number == field.number && !field.bytes.empty()) {
                *text = repair_utf8(field.as_text());
            }
        }
        if (field.number == 4) {
            take_config(field.bytes);
        } else if (field.number == 5) {
            take_summary(field.bytes);
        } else if (field.number == 10) {
            new_tags.push_back(repair_utf8(field.as_text()));
        } else if (field.number == 17 && start_time_ns == 0) {
            start_time_ns = parse_time(field.bytes);
            last_time_ns = std::max(last_time_ns, start_time_ns);
        } else if (field.number == 21) {
            ProtoReader git(field.bytes);
            WireField part;
            while (git.next(part)) {
                if (part.type == WireType::Length && (part.number == 1 || part.number == 2)) {
                    environment.emplace_back(part.number == 1 ? "git/remote" : "git/commit",
                                             repair_utf8(part.as_text()));
                }
            }
        }
    }
    if (!new_tags.empty()) {
        tags = std::move(new_tags);
    }
}

void RunPart::take_stats(ByteSpan body) {
    const std::int64_t time_ns = parse_stats_time(body);
    last_time_ns = std::max(last_time_ns, time_ns);
    const Step reading = static_cast<Step>(stats_rows_++);
    for_each_item(body, 3, item_, [&](const ItemView& item) {
        if (const auto number = number_of(item.json)) {
            const SystemMetric metric = from_wandb(joined(item.path, '.'));
            add_number(metric.name, reading, time_ns, *number * metric.factor);
        }
    });
    ++rows;
}

void RunPart::take_output(ByteSpan body) {
    ConsoleLine line;
    std::string text;
    line.is_error = true;  // the default of the field is stderr
    ProtoReader reader(body);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Varint)) {
            line.is_error = field.raw == 0;
        } else if (field.is(2, WireType::Length)) {
            line.time_ns = parse_time(field.bytes);
        } else if (field.is(3, WireType::Length) || field.is(1, WireType::Length)) {
            text = repair_utf8(field.as_text());
        }
    }
    last_time_ns = std::max(last_time_ns, line.time_ns);
    const std::size_t stream = line.is_error ? 1 : 0;
    const auto pieces = split(std::string_view(text), '\n');
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const bool is_last = i + 1 == pieces.size();
        if (is_last && pieces[i].empty()) {
            break;
        }
        if (!line_is_open_[stream]) {
            console.push_back(line);
            open_line_[stream] = console.size() - 1;
        }
        std::string& whole = console[open_line_[stream]].text;
        std::string_view piece = pieces[i];
        // Of a progress bar only the last state is worth keeping.
        if (const auto back = piece.substr(0, piece.find_last_not_of('\r') + 1).rfind('\r');
            back != std::string_view::npos) {
            whole.clear();
            piece.remove_prefix(back + 1);
        }
        if (piece.ends_with('\r')) {
            piece.remove_suffix(1);
        }
        whole += piece.substr(0, kMaxLineBytes - std::min(kMaxLineBytes, whole.size()));
        line_is_open_[stream] = is_last;
    }
}

void RunPart::take_environment(ByteSpan body) {
    ProtoReader reader(body);
    WireField field;
    constexpr std::pair<std::uint32_t, std::string_view> kNames[] = {
        {1, "os"},           {2, "python/version"},     {6, "program"},
        {12, "host/name"},   {14, "python/executable"}, {18, "gpu/name"},
        {25, "cuda/version"}};
    while (reader.next(field)) {
        for (const auto& [number, key] : kNames) {
            if (field.number == number && field.type == WireType::Length) {
                environment.emplace_back(std::string(key), repair_utf8(field.as_text()));
            }
        }
        if (field.is(16, WireType::Varint)) {
            environment.emplace_back("cpu/cores", field.as_int64());
        }
    }
}

void RunPart::take_alert(ByteSpan body) {
    Alert alert;
    ProtoReader reader(body);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length)) {
            alert.title = repair_utf8(field.as_text());
        } else if (field.is(2, WireType::Length)) {
            alert.text = repair_utf8(field.as_text());
        } else if (field.is(3, WireType::Length)) {
            alert.level = field.as_text() == "ERROR"  ? AlertLevel::Error
                          : field.as_text() == "WARN" ? AlertLevel::Warning
                                                      : AlertLevel::Info;
        }
    }
    alerts.emplace_back(last_time_ns, std::move(alert));
}

}  // namespace taffrail::sources::wandb
