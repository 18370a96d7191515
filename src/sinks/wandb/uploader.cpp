#include "sinks/wandb/uploader.h"

#include "base/strings.h"
#include "base/try.h"
#include "base/utf8.h"
#include "codec/json_writer.h"
#include "io/files.h"
#include "io/inside.h"
#include "trackers/number_text.h"

#include <algorithm>

namespace taffrail::sinks::wandb {

using namespace formats::wandb;

namespace {

constexpr std::size_t kReadBytes = std::size_t{4} << 20;
constexpr std::size_t kWaitingBytes = std::size_t{8} << 20;  // one request holds 10 MiB
constexpr std::size_t kLongestLine = 10'000'000;
constexpr std::uint64_t kLargestUpload = std::uint64_t{4} << 30;

/// {"a": {"b": 1}} at the end of a path; what was no object becomes one.
void set_at(Json& to, const std::vector<std::string_view>& path, std::size_t depth, Json value) {
    if (depth == path.size()) {
        to = std::move(value);
        return;
    }
    if (!to.is_object()) {
        to = Json::Object{};
    }
    auto& members = *to.get_if<Json::Object>();
    const auto found =
        std::ranges::find(members, path[depth], &std::pair<std::string, Json>::first);
    Json& next = found != members.end()
                     ? found->second
                     : members.emplace_back(std::string(path[depth]), Json()).second;
    set_at(next, path, depth + 1, std::move(value));
}

/// A row in the form of the stream, where numbers that are none stand bare.
void put_member(std::string& line, std::string_view name, std::string_view json) {
    line += line.size() > 1 ? "," : "";
    append_json_string(line, name);
    line += ':';
    line += json;
}

void put_lines(JsonWriter& json, std::string_view file, std::uint64_t offset,
               const std::vector<std::string>& lines) {
    if (lines.empty()) {
        return;
    }
    json.key(file).begin_object().member("offset", offset).key("content").begin_array();
    for (const std::string& line : lines) {
        json.value(line);
    }
    json.end_array().end_object();
}

}  // namespace

Uploader::Uploader(std::unique_ptr<GraphqlServer> server, std::string folder, std::string file)
    : server_(std::move(server)), folder_(std::move(folder)), file_(std::move(file)) {}

void Uploader::Lines::add(std::string line) {
    // Read again by a later process: those that were sent are only counted.
    if (++seen > sent) {
        waiting.push_back(std::move(line));
    }
}

std::string Uploader::save() const {
    std::string text = "online";
    for (const std::uint64_t number :
         {history_.base, history_.sent, events_.base, events_.sent, console_.base, console_.sent,
          files_sent_, alerts_sent_, artifacts_sent_}) {
        text += " " + std::to_string(number);
    }
    return text + "\n";
}

bool Uploader::restore(std::string_view line) {
    const auto words = split(line, ' ');
    if (words.size() != 10 || words[0] != "online") {
        return false;
    }
    std::size_t next = 1;
    for (std::uint64_t* number :
         {&history_.base, &history_.sent, &events_.base, &events_.sent, &console_.base,
          &console_.sent, &files_sent_, &alerts_sent_, &artifacts_sent_}) {
        *number = trackers::number_in(words[next++], 10);
    }
    return true;
}

Result<void> Uploader::send(std::uint64_t length, bool is_the_end) {
    for (bool more = true; more;) {
        TAFFRAIL_ASSIGN(more, read_some(length));
        if (run_id_.empty()) {
            return {};
        }
        TAFFRAIL_TRY(open_run());
        if (is_run_changed_) {
            TAFFRAIL_TRY(upsert());
        }
        // Files come before the rows that tell of them.
        TAFFRAIL_TRY(send_files());
        TAFFRAIL_TRY(send_artifacts());
        TAFFRAIL_TRY(send_lines(is_the_end && !more));
        TAFFRAIL_TRY(send_alerts());
    }
    return {};
}

Result<bool> Uploader::read_some(std::uint64_t length) {
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(folder_, file_));
    std::size_t waiting = 0;
    while (scanner_.position() < length && waiting < kWaitingBytes) {
        const std::uint64_t before = scanner_.position();
        Bytes bytes(static_cast<std::size_t>(
            std::min<std::uint64_t>(kReadBytes, length - scanner_.position())));
        TAFFRAIL_ASSIGN(const std::size_t read, file->read_at(scanner_.position(), bytes));
        scanner_.take(ByteSpan(bytes).first(read),
                      [&](ByteSpan record, std::uint64_t) { take(record); });
        if (scanner_.position() == before) {
            return false;
        }
        waiting += static_cast<std::size_t>(scanner_.position() - before);
    }
    return scanner_.position() < length;
}

void Uploader::take(ByteSpan bytes) {
    const auto record = parse_record(bytes);
    if (!record) {
        return;
    }
    switch (record->type) {
        case RecordType::Run:
            take_run(record->body);
            break;
        case RecordType::History:
            take_history(record->body);
            break;
        case RecordType::Summary:
            take_items(record->body, true);
            break;
        case RecordType::Config:
            take_items(record->body, false);
            break;
        case RecordType::Stats:
            take_stats(record->body);
            break;
        case RecordType::OutputRaw:
            take_output(record->body);
            break;
        case RecordType::Metric:
            take_metric(record->body);
            break;
        case RecordType::Alert:
            take_alert(record->body);
            break;
        case RecordType::Artifact:
            artifacts_.emplace_back(record->body.begin(), record->body.end());
            break;
        case RecordType::Files: {
            ProtoReader reader(record->body);
            WireField field;
            while (reader.next(field)) {
                if (field.is(1, WireType::Length)) {
                    files_.emplace_back(text_field(field.bytes, 1));
                }
            }
            break;
        }
        case RecordType::Exit: {
            ProtoReader reader(record->body);
            WireField field;
            exit_code_ = 0;
            while (reader.next(field)) {
                if (field.is(1, WireType::Varint)) {
                    exit_code_ = field.as_int64();
                }
            }
            break;
        }
        default:
            break;
    }
}

void Uploader::take_run(ByteSpan body) {
    ProtoReader reader(body);
    WireField field;
    std::vector<std::string> tags;
    const std::pair<std::uint32_t, std::string*> texts[] = {
        {1, &run_id_},   {2, &entity_}, {3, &project_}, {6, &group_},
        {7, &job_type_}, {8, &name_},   {9, &notes_},   {13, &host_}};
    while (reader.next(field)) {
        if (field.type != WireType::Length) {
            continue;
        }
        for (const auto& [number, text] : texts) {
            if (number == field.number) {
                *text = field.as_text();
            }
        }
        if (field.number == 4) {
            take_items(field.bytes, false);
        } else if (field.number == 10) {
            tags.emplace_back(field.as_text());
        } else if (field.number == 17) {
            start_time_ns_ = parse_time(field.bytes);
        }
    }
    tags_ = std::move(tags);
    is_run_changed_ = true;
}

void Uploader::take_items(ByteSpan body, bool is_summary) {
    for_each_item(body, kUpdate, item_, [&](const ItemView& item) {
        if (!is_summary) {
            if (auto value = parse_json(item.json); value.ok()) {
                set_at(config_, item.path, 0, *std::move(value));
                is_run_changed_ = true;
            }
            return;
        }
        auto& member = summary_[std::string(item.path.front())];
        std::string inner;
        for (std::size_t i = 1; i < item.path.size(); ++i) {
            inner += (i > 1 ? "." : "") + std::string(item.path[i]);
        }
        if (inner.empty()) {
            member.clear();
        }
        member[inner] = item.json;
        is_summary_changed_ = true;
    });
}

void Uploader::take_history(ByteSpan body) {
    std::string line = "{";
    for_each_item(body, 1, item_, [&](const ItemView& item) {
        std::string name;
        for (const std::string_view part : item.path) {
            name += (name.empty() ? "" : ".") + std::string(part);
        }
        put_member(line, name, item.json);
        if (item.is("_step")) {
            summary_["_step"] = {{"", std::string(item.json)}};
        }
    });
    history_.add(line + "}");
}

void Uploader::take_stats(ByteSpan body) {
    const std::int64_t time_ns = parse_stats_time(body);
    std::string line = "{";
    put_member(line, "_wandb", "true");
    put_member(line, "_timestamp", format_double(static_cast<double>(time_ns) / 1e9));
    put_member(line, "_runtime",
               format_double(static_cast<double>(time_ns - start_time_ns_) / 1e9));
    for_each_item(body, 3, item_, [&](const ItemView& item) {
        put_member(line, "system." + std::string(item.path.front()), item.json);
    });
    events_.add(line + "}");
}

void Uploader::take_output(ByteSpan body) {
    bool is_error = true;  // the default of the field
    std::int64_t time_ns = 0;
    std::string text;
    ProtoReader reader(body);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Varint)) {
            is_error = field.raw == 0;
        } else if (field.is(2, WireType::Length)) {
            time_ns = parse_time(field.bytes);
        } else if (field.is(3, WireType::Length)) {
            text = field.as_text();
        }
    }
    std::string time = format_time_utc(time_ns);
    time.pop_back();  // no zone there
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    console_.add((is_error ? "ERROR " : "") + time + " " + text);
}

void Uploader::take_metric(ByteSpan body) {
    const MetricView metric = parse_metric(body);
    const std::string name(metric.name.empty() ? metric.glob : metric.name);
    const auto [known, is_new] = metric_places_.emplace(name, metrics_.size());
    if (is_new) {
        metrics_.emplace_back();
    }
    // By the numbers of its fields, as the server wants it.
    JsonWriter json;
    json.begin_object().member(metric.name.empty() ? "2" : "1", name);
    if (!metric.step.empty()) {
        const auto step = metric_places_.find(std::string(metric.step));
        if (step != metric_places_.end()) {
            json.member("5", step->second + 1);
        }
    }
    json.key("6").begin_array();
    if (!metric.step.empty()) {
        json.value(1);
    }
    if (metric.hidden) {
        json.value(2);
    }
    if (!metric.name.empty()) {
        json.value(3);
    }
    json.end_array().key("7").begin_array();
    const std::pair<bool, int> summaries[] = {
        {metric.minimum, 1}, {metric.maximum, 2}, {metric.mean, 3}, {metric.none, 6}};
    for (const auto& [is_set, number] : summaries) {
        if (is_set) {
            json.value(number);
        }
    }
    json.end_array();
    if (metric.goal != 0) {
        json.member("8", metric.goal);
    }
    json.end_object();
    metrics_[known->second] = json.text();
    is_run_changed_ = true;
}

void Uploader::take_alert(ByteSpan body) {
    alerts_.push_back({std::string(text_field(body, 1)), std::string(text_field(body, 2)),
                       std::string(text_field(body, 3))});
}

std::string Uploader::config_json() const {
    JsonWriter json;
    json.begin_object();
    for (const auto& [name, value] : *config_.object()) {
        if (name != "_wandb") {
            json.key(name).begin_object().key("value").raw(value.dump()).end_object();
        }
    }
    // Without "t" the server takes the run for one that never began.
    json.key("_wandb").begin_object().key("value").begin_object();
    json.key("t").begin_object().end_object().key("m").begin_array();
    for (const std::string& metric : metrics_) {
        json.raw(metric);
    }
    json.end_array().end_object().end_object().end_object();
    return std::move(json).take();
}

std::string Uploader::summary_json() const {
    std::string line = "{";
    for (const auto& [name, parts] : summary_) {
        if (parts.size() == 1 && parts.begin()->first.empty()) {
            put_member(line, name, parts.begin()->second);
            continue;
        }
        std::string inner = "{";
        for (const auto& [part, json] : parts) {
            if (!part.empty()) {
                put_member(inner, part, json);
            }
        }
        put_member(line, name, inner + "}");
    }
    return line + "}";
}

Result<void> Uploader::open_run() {
    if (is_open_) {
        return {};
    }
    if (asks_for_lines_) {
        JsonWriter json;
        json.begin_object().member("project", project_).member("name", run_id_);
        if (!entity_.empty()) {
            json.member("entity", entity_);
        }
        json.end_object();
        TAFFRAIL_ASSIGN(const Json data, server_->ask(kRunResumeStatus, json.text()));
        const Json* model = data.find("model");
        const Json* bucket = model != nullptr ? model->find("bucket") : nullptr;
        const auto lines = [&](std::string_view name) {
            return bucket == nullptr ? std::uint64_t{0}
                                     : static_cast<std::uint64_t>(
                                           std::max<std::int64_t>(bucket->integer_or(name, 0), 0));
        };
        history_.base = lines("historyLineCount");
        events_.base = lines("eventsLineCount");
        console_.base = lines("logLineCount");
        asks_for_lines_ = false;
    }
    TAFFRAIL_TRY(upsert());
    is_open_ = true;
    return {};
}

Result<void> Uploader::upsert() {
    JsonWriter json;
    json.begin_object().member("name", run_id_).member("project", project_);
    const std::pair<std::string_view, const std::string*> texts[] = {
        {"entity", &entity_}, {"groupName", &group_},  {"displayName", &name_},
        {"notes", &notes_},   {"jobType", &job_type_}, {"host", &host_},
    };
    for (const auto& [name, text] : texts) {
        if (!text->empty()) {
            json.member(name, *text);
        }
    }
    json.key("tags").begin_array();
    for (const std::string& tag : tags_) {
        json.value(tag);
    }
    json.end_array().member("config", config_json());
    json.member("summaryMetrics", summary_json()).end_object();
    TAFFRAIL_ASSIGN(const Json data, server_->ask(kUpsertBucket, json.text()));
    const Json* answer = data.find("upsertBucket");
    const Json* bucket = answer != nullptr ? answer->find("bucket") : nullptr;
    const Json* project = bucket != nullptr ? bucket->find("project") : nullptr;
    const Json* entity = project != nullptr ? project->find("entity") : nullptr;
    open_project_ = project != nullptr ? project->string_or("name", project_) : project_;
    open_entity_ = entity != nullptr ? entity->string_or("name", entity_) : entity_;
    is_run_changed_ = false;
    return {};
}

Result<void> Uploader::send_lines(bool is_the_end) {
    // A line that no server takes must not hold up the others.
    for (Lines* lines : {&history_, &events_, &console_}) {
        for (std::string& line : lines->waiting) {
            if (line.size() > kLongestLine) {
                line = lines == &console_ ? line.substr(0, 4096) : "{}";
            }
        }
    }
    const bool has_lines =
        !history_.waiting.empty() || !events_.waiting.empty() || !console_.waiting.empty();
    const bool has_ended = is_the_end && exit_code_.has_value();
    if (!has_lines && !is_summary_changed_ && uploaded_.empty() && !has_ended) {
        return {};
    }
    if (has_ended) {
        TAFFRAIL_TRY(upsert());
        TAFFRAIL_TRY(send_file("wandb-summary.json", as_bytes(summary_json())));
    }
    JsonWriter json;
    json.begin_object().key("files").begin_object();
    put_lines(json, "wandb-history.jsonl", history_.base + history_.sent, history_.waiting);
    put_lines(json, "wandb-events.jsonl", events_.base + events_.sent, events_.waiting);
    put_lines(json, "output.log", console_.base + console_.sent, console_.waiting);
    if (is_summary_changed_) {
        put_lines(json, "wandb-summary.json", 0, {summary_json()});
    }
    json.end_object();
    if (!uploaded_.empty()) {
        json.key("uploaded").begin_array();
        for (const std::string& file : uploaded_) {
            json.value(file);
        }
        json.end_array();
    }
    if (has_ended) {
        json.member("complete", true).member("exitcode", *exit_code_);
    }
    json.end_object();
    TAFFRAIL_TRY(server_->stream(open_entity_, open_project_, run_id_, json.text()));
    for (Lines* lines : {&history_, &events_, &console_}) {
        lines->sent += lines->waiting.size();
        lines->waiting.clear();
    }
    uploaded_.clear();
    is_summary_changed_ = false;
    return {};
}

Result<void> Uploader::send_files() {
    while (files_sent_ < files_.size()) {
        const std::string& name = files_[static_cast<std::size_t>(files_sent_)];
        const auto bytes =
            io::read_inside(folder_, io::join(io::join(folder_, "files"), name), kLargestUpload);
        if (bytes.ok()) {
            TAFFRAIL_TRY(send_file(name, *bytes));
        }
        ++files_sent_;
    }
    return {};
}

Result<void> Uploader::send_file(const std::string& name, ByteSpan bytes) {
    JsonWriter json;
    json.begin_object().member("entity", open_entity_).member("project", open_project_);
    json.member("run", run_id_).key("files").begin_array().value(name).end_array().end_object();
    TAFFRAIL_ASSIGN(const Json data, server_->ask(kCreateRunFiles, json.text()));
    const Json* made = data.find("createRunFiles");
    const Json* files = made != nullptr ? made->find("files") : nullptr;
    if (files == nullptr || files->array() == nullptr || files->array()->empty()) {
        return Error{ErrorCode::Unavailable, "wandb: the server gave no place for '" + name + "'"};
    }
    const std::string url = files->array()->front().string_or("uploadUrl", "");
    if (!url.empty()) {
        TAFFRAIL_TRY(server_->put(url, headers_in(made->find("uploadHeaders")), bytes));
    }
    uploaded_.push_back(name);
    return {};
}

Result<void> Uploader::send_alerts() {
    for (; alerts_sent_ < alerts_.size(); ++alerts_sent_) {
        const Alert& alert = alerts_[static_cast<std::size_t>(alerts_sent_)];
        JsonWriter json;
        json.begin_object().member("entityName", open_entity_);
        json.member("projectName", open_project_).member("runName", run_id_);
        json.member("title", alert.title).member("text", alert.text);
        json.member("severity", alert.level.empty() ? "INFO" : alert.level).end_object();
        TAFFRAIL_TRY(server_->ask(kNotifyAlert, json.text()));
    }
    return {};
}

}  // namespace taffrail::sinks::wandb
