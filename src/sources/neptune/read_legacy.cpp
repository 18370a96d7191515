// The queue of the older client: JSON lines {"obj": {"type", "path", …}, "version", "at"}.
#include "base/strings.h"
#include "base/utf8.h"
#include "codec/json.h"
#include "codec/json_cells.h"
#include "io/files.h"
#include "io/inside.h"
#include "sources/neptune/attributes.h"
#include "sources/neptune/read_run.h"

#include <algorithm>
#include <cmath>

namespace taffrail::sources::neptune {

using namespace formats::neptune;

namespace {

constexpr std::uint64_t kMaxLogBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{1} << 20;

std::string path_of(const Json& object) {
    std::string path;
    if (const Json* parts = object.find("path"); parts != nullptr && parts->array() != nullptr) {
        for (const Json& part : *parts->array()) {
            path += (path.empty() ? "" : "/") + (part.string() != nullptr ? *part.string() : "");
        }
    }
    return path;
}

AttributeValue value_of(const Json& json) {
    AttributeValue value = plain_value<AttributeValue>(json).value_or(AttributeValue());
    if (auto* const text = std::get_if<std::string>(&value)) {
        *text = repair_utf8(*text);
    }
    return value;
}

std::int64_t time_of(const Json* seconds) {
    const double value = seconds != nullptr ? seconds->number().value_or(0) : 0;
    return value > 0 && value < 9e9 ? static_cast<std::int64_t>(value * 1e9) : 0;
}

class Queue {
  public:
    Queue(std::string folder, model::GatheredContent& to)
        : folder_(std::move(folder)), to_(to), attributes_(to) {}

    void take(const std::string& file) {
        const auto bytes = io::read_inside(folder_, file, kMaxLogBytes);
        if (!bytes.ok()) {
            to_.damaged(file, bytes.error().message);
            return;
        }
        const std::string_view text = as_text(*bytes);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const std::string_view line = text.substr(at, end - at);
            if (!trim(line).empty()) {
                take_line(line, file, at, end == text.size());
            }
            at = end + 1;
        }
    }

    void finish() { attributes_.finish(); }

  private:
    void take_line(std::string_view line, const std::string& file, std::size_t at, bool is_last) {
        // Objects may stand behind each other without a line end between them in old queues.
        const auto json = parse_json(line);
        const Json* object = json.ok() ? json->find("obj") : nullptr;
        if (object == nullptr) {
            to_.damaged(file,
                        is_last     ? "the last operation is cut short"
                        : json.ok() ? "a line that is no operation"
                                    : json.error().message,
                        at, line.size());
            return;
        }
        const std::int64_t time_ns = time_of(json->find("at"));
        if (to_.info.start_time_ns == 0) {
            to_.info.start_time_ns = time_ns;
        }
        take_operation(*object, time_ns);
    }

    void take_operation(const Json& object, std::int64_t time_ns) {
        const std::string type = object.string_or("type", ""), path = path_of(object);
        const Json* value = object.find("value");
        const Json* values = object.find("values");
        const auto* items = values != nullptr ? values->array() : nullptr;
        if (type.starts_with("Assign") && value != nullptr) {
            const bool is_time = type == "AssignDatetime" && value->number();
            attributes_.assign(
                path,
                is_time
                    ? AttributeValue(static_cast<std::int64_t>(value->number().value_or(0) * 1000))
                    : value_of(*value),
                time_ns);
        } else if ((type == "AddStrings" || type == "RemoveStrings") && items != nullptr) {
            for (const Json& one : *items) {
                if (one.string() != nullptr) {
                    attributes_.tag(path, *one.string(), type == "RemoveStrings");
                }
            }
        } else if ((type == "LogFloats" || type == "LogStrings") && items != nullptr) {
            for (const Json& one : *items) {
                const Json* held = one.find("value");
                const Json* step = one.find("step");
                AttributeValue made = held != nullptr ? value_of(*held) : AttributeValue();
                if (const auto* whole = std::get_if<std::int64_t>(&made)) {
                    made = static_cast<double>(*whole);
                }
                attributes_.append(path, made, step != nullptr ? step->number() : std::nullopt,
                                   time_of(one.find("ts")));
            }
        } else if (type == "UploadFile") {
            const std::string name = object.string_or("tmp_file_name", "");
            const std::string place = io::join(io::join(folder_, "upload_path"), name);
            const auto info = io::is_plain_name(name) ? io::stat_inside(folder_, place)
                                                      : Result<io::FileInfo>(Error{});
            if (info.ok() && info->type == io::EntryType::File) {
                attributes_.append_file(path, {folder_, place, info->size}, std::nullopt, time_ns);
            } else {
                to_.damaged(object.string_or("file_path", path),
                            "a file of '" + path + "' is not in the queue");
            }
        } else if (type == "LogImages" || type == "UploadFileContent" || type == "UploadFileSet" ||
                   type == "CopyAttribute" || type == "TrackFiles") {
            to_.damaged(folder_, "'" + path + "': operations of type " + type + " are not read");
        }
        // Configurations of charts and deletions say nothing about what was logged.
    }

    std::string folder_;
    model::GatheredContent& to_;
    Attributes attributes_;
};

}  // namespace

std::shared_ptr<model::GatheredContent> read_legacy(const std::string& folder) {
    auto content = std::make_shared<model::GatheredContent>();
    content->info.source = "neptune";
    content->info.location = folder;
    content->is_open_ended = true;
    const std::string name = folder.substr(folder.rfind('/') + 1);
    content->info.id = content->info.name = name;
    const auto about =
        io::read_inside(folder, io::join(folder, "metadata.json"), kMaxMetadataBytes);
    if (const auto json = about.ok() ? parse_json(as_text(*about)) : Result<Json>(about.error());
        json.ok()) {
        const std::string custom = json->string_or("customId", "");
        content->info.id = custom.empty() ? name : repair_utf8(custom);
        content->environment.emplace_back("neptune/client",
                                          repair_utf8(json->string_or("neptuneClientVersion", "")));
        content->info.project = repair_utf8(json->string_or("project", ""));
    }
    std::vector<std::string> logs;
    std::vector<std::string> folders = {folder};
    const auto entries = io::list_inside(folder, folder);
    for (const io::DirectoryEntry& entry :
         entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        if (entry.type == io::EntryType::Directory && entry.name.starts_with("exec-")) {
            folders.push_back(io::join(folder, entry.name));
        }
    }
    for (const std::string& one : folders) {
        std::vector<std::pair<std::int64_t, std::string>> found;
        const auto files = io::list_inside(folder, one);
        for (const io::DirectoryEntry& entry :
             files.ok() ? *files : std::vector<io::DirectoryEntry>()) {
            if (entry.name.starts_with("data-") && entry.name.ends_with(".log")) {
                const std::string number = entry.name.substr(5, entry.name.size() - 9);
                found.emplace_back(parse_int(number).value_or(0), io::join(one, entry.name));
            }
        }
        std::ranges::sort(found);
        for (auto& [first, path] : found) {
            logs.push_back(std::move(path));
        }
    }
    Queue queue(folder, *content);
    for (const std::string& log : logs) {
        queue.take(log);
    }
    queue.finish();
    content->files = logs;
    return logs.empty() ? nullptr : content;
}

}  // namespace taffrail::sources::neptune
