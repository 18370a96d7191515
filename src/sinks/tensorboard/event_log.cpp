#include "sinks/tensorboard/event_log.h"

#include "base/crc32c.h"
#include "base/diagnostics.h"
#include "base/utf8.h"
#include "codec/formats/tensorboard/framing.h"
#include "codec/formats/tensorboard/tag_table.h"
#include "io/files.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <limits>
#include <utility>

namespace taffrail::sinks::tensorboard {
namespace {

std::atomic<unsigned> file_counter{0};

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0'
               ? std::string(name.data())
               : "localhost";
}

std::string file_name(double wall_time, unsigned counter, std::string_view suffix) {
    std::array<char, 24> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%010lld", static_cast<long long>(wall_time));
    return "events.out.tfevents." + std::string(seconds.data()) + "." + host_name() + "." +
           std::to_string(::getpid()) + "." + std::to_string(counter) + std::string(suffix);
}

/// Event files in the folder besides `own`.
bool has_other_event_files(const std::string& folder, std::string_view own) {
    const auto entries = io::list(folder);
    return entries.ok() &&
           std::any_of(entries->begin(), entries->end(), [&](const io::DirectoryEntry& entry) {
               return entry.type != io::EntryType::Directory && entry.name != own &&
                      entry.name.find("tfevents") != std::string::npos;
           });
}

/// What a tag of another kind is called instead: the plugin's name in the singular.
std::string_view suffix_of(std::string_view plugin) noexcept {
    return plugin.ends_with('s') ? plugin.substr(0, plugin.size() - 1) : plugin;
}

/// Doubles beyond a float become infinite, as in every other writer.
float to_float(double value) noexcept {
    if (value > static_cast<double>(std::numeric_limits<float>::max())) {
        return std::numeric_limits<float>::infinity();
    }
    if (value < static_cast<double>(std::numeric_limits<float>::lowest())) {
        return -std::numeric_limits<float>::infinity();
    }
    return static_cast<float>(value);
}

}  // namespace

Result<std::unique_ptr<EventLog>> EventLog::create(const EventLogOptions& options,
                                                   double wall_time) {
    if (const auto made = io::make_directories(options.folder); !made.ok()) {
        return made.error();
    }
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const std::string name = file_name(wall_time, file_counter++, options.filename_suffix);
        std::string path = io::join(options.folder, name);
        auto file = io::open(path, io::OpenMode::CreateExclusive);
        if (!file.ok()) {
            if (file.error().code == ErrorCode::AlreadyExists) {
                continue;
            }
            return std::move(file).error();
        }
        std::unique_ptr<EventLog> log(
            new EventLog(std::move(*file), options.folder, std::move(path)));
        log->describe_scalar_ = options.describe_scalar;
        log->scalar_metadata_ = encode_metadata({.plugin = std::string(kScalars),
                                                 .content = {},
                                                 .display_name = {},
                                                 .description = {},
                                                 .data_class = DataClass::Scalar});
        Bytes payload;
        append_file_version_event(payload, wall_time);
        append_record(log->pending_, payload);
        // A second START hides every older point from its step on, so a process that merely joins a
        // folder writes none.
        const bool alone = !has_other_event_files(options.folder, name);
        if (options.resume_step || (alone && !options.resumed)) {
            payload.clear();
            append_session_event(payload, wall_time, options.resume_step.value_or(0),
                                 SessionStatus::Start);
            append_record(log->pending_, payload);
        }
        if (const auto written = log->write_out(); !written.ok()) {
            return written.error();
        }
        return log;
    }
    return Error{ErrorCode::AlreadyExists, "no free event file name in " + options.folder};
}

std::string EventLog::free_name(std::string_view name, std::string_view plugin) const {
    const std::string valid = is_valid_utf8(name) ? std::string(name) : repair_utf8(name);
    std::string candidate = valid;
    for (int number = 1; owner_.contains(candidate); ++number) {
        candidate = valid + "_" + std::string(suffix_of(plugin)) +
                    (number > 1 ? std::to_string(number) : std::string());
    }
    return candidate;
}

EventLog::Tag& EventLog::tag_of(std::string_view name, std::string_view plugin) {
    const std::uint32_t hash = crc32c(as_bytes(name), static_cast<std::uint32_t>(plugin.size()));
    if ((tags_.size() + 1) * 2 > table_.size()) {
        formats::tensorboard::grow_tag_table(table_, tags_);
    }
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash & mask;
    for (; table_[slot] != 0; slot = (slot + 1) & mask) {
        Tag& tag = tags_[table_[slot] - 1];
        if (tag.hash == hash && tag.name == name && tag.plugin == plugin) {
            return tag;
        }
    }
    Tag& tag = tags_.emplace_back();
    tag.name = name;
    tag.plugin = plugin;
    tag.hash = hash;
    tag.written = free_name(name, plugin);
    owner_.emplace(tag.written, tag.plugin);
    table_[slot] = static_cast<std::uint32_t>(tags_.size());
    if (tag.written != name && is_valid_utf8(name)) {
        diagnose_once(DiagnosticLevel::Warning,
                      "tensorboard tag reused: " + tag.name + " " + tag.plugin,
                      "tensorboard: the tag '" + tag.name +
                          "' already holds another kind of data; TensorBoard shows one kind a "
                          "tag, so '" +
                          std::string(suffix_of(plugin)) + "' values go to '" + tag.written + "'");
    }
    return tag;
}

void EventLog::describe(std::string_view tag, std::string display_name, std::string description) {
    described_[std::string(tag)] = encode_metadata({.plugin = std::string(kScalars),
                                                    .content = {},
                                                    .display_name = repair_utf8(display_name),
                                                    .description = repair_utf8(description),
                                                    .data_class = DataClass::Scalar});
}

void EventLog::scalar(std::string_view name, Step step, double wall_time, double value) {
    Tag& tag = tag_of(name, kScalars);
    ByteSpan metadata;
    if (!tag.described) [[unlikely]] {
        if (describe_scalar_ && !described_.contains(tag.name)) {
            if (std::string text = describe_scalar_(tag.name); !text.empty()) {
                describe(tag.name, {}, std::move(text));
            }
        }
        const auto own = described_.find(tag.name);
        metadata = own != described_.end() ? own->second : scalar_metadata_;
    }
    append_scalar_record(pending_, wall_time, step, tag.written, to_float(value), metadata);
    tag.described = true;
    ++pending_events_;
}

void EventLog::values(std::span<EncodedValue> values, Step step, double wall_time) {
    if (values.empty()) {
        return;
    }
    std::vector<Bytes> encoded;
    encoded.reserve(values.size());
    for (EncodedValue& value : values) {
        Tag& tag = tag_of(value.tag, value.metadata.plugin);
        value.tag = tag.written;
        encoded.push_back(encode_summary_value(value, !tag.described));
        tag.described = true;
    }
    Bytes payload;
    append_event(payload, wall_time, step, event::kSummary, encode_summary(encoded));
    append_record(pending_, payload);
    ++pending_events_;
}

void EventLog::graph(const Graph& graph, Step step, double wall_time) {
    Bytes payload;
    append_event(payload, wall_time, step, event::kGraphDef, encode_graph(graph));
    append_record(pending_, payload);
    ++pending_events_;
}

Result<void> EventLog::write_out() {
    if (pending_.empty()) {
        return {};
    }
    if (const auto written = file_->append(pending_); !written.ok()) {
        return written.error();
    }
    pending_.clear();
    if (pending_.capacity() > (std::size_t{8} << 20)) {
        Bytes().swap(pending_);
    }
    pending_events_ = 0;
    return {};
}

std::size_t EventLog::drop_pending() {
    for (Tag& tag : tags_) {
        tag.described = false;
    }
    Bytes().swap(pending_);
    return std::exchange(pending_events_, 0);
}

}  // namespace taffrail::sinks::tensorboard
