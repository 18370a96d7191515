// Entries of a run, and the run record by record.
#include "base/try.h"
#include "io/files.h"
#include "model/records_by_time.h"
#include "sources/wandb/media_values.h"
#include "sources/wandb/run.h"

#include <algorithm>

namespace taffrail::sources::wandb {
namespace {

Hparams metadata_of(const LoggedArtifact& artifact) {
    Hparams cells;
    const auto json = parse_json(artifact.metadata_json);
    if (json.ok() && json->object() != nullptr) {
        for (const auto& [name, value] : *json->object()) {
            if (const auto* text = value.string()) {
                cells.emplace_back(name, *text);
            } else if (const auto number = value.number()) {
                cells.emplace_back(name, *number);
            } else {
                cells.emplace_back(name, value.dump());
            }
        }
    }
    for (const LoggedArtifact::File& file : artifact.files) {
        if (!file.reference.empty()) {
            cells.emplace_back("reference/" + file.path, file.reference);
        }
    }
    return cells;
}

Entry entry_of(Step step, std::int64_t time_ns, std::uint32_t attempt, std::uint64_t row,
               Value value) {
    Entry entry;
    entry.step = step;
    entry.time_ns = time_ns;
    entry.attempt = attempt;
    entry.writer = attempt;
    entry.seq = row;
    entry.value = std::make_shared<const Value>(std::move(value));
    return entry;
}

}  // namespace

void WandbRun::add_artifacts(std::string_view key, std::uint32_t number, LoadedPart& part,
                             std::vector<Entry>& to) const {
    std::uint64_t version = 0;
    for (const LoggedArtifact& logged : part.content.artifacts) {
        if (logged.name != key) {
            continue;
        }
        Artifact artifact{.name = logged.name,
                          .type = logged.type,
                          .version = "v" + std::to_string(version++),
                          .files = {},
                          .metadata = metadata_of(logged)};
        for (const LoggedArtifact::File& file : logged.files) {
            if (auto blob = part.files.artifact(file.local_path); blob.ok()) {
                artifact.files.push_back({file.path, *std::move(blob)});
            } else if (file.reference.empty()) {
                lost_files_[logged.name + "/" + file.path] = {
                    .file = file.local_path.empty() ? file.path : file.local_path,
                    .offset = 0,
                    .length = 0,
                    .first_seq = 0,
                    .last_seq = 0,
                    .reason = "a file of artifact '" + logged.name + "' is not in the run folder"};
            }
        }
        to.push_back(entry_of(0, logged.time_ns, number, logged.row, std::move(artifact)));
    }
}

std::vector<Entry> WandbRun::make_entries(std::string_view key) const {
    std::vector<Entry> all;
    for (std::uint32_t number = 0; number < parts_.size(); ++number) {
        LoadedPart& part = *parts_[number];
        const RunPart& content = part.content;
        if (const auto found = content.values.find(key); found != content.values.end()) {
            for (const Logged& logged : found->second) {
                const auto json = parse_json(logged.json);
                auto value = json.ok() ? value_of(found->first, logged.step, *json, part.files)
                                       : Result<Value>(json.error());
                if (value.ok()) {
                    all.push_back(entry_of(logged.step, logged.time_ns, number, logged.row,
                                           *std::move(value)));
                } else {
                    lost_files_[std::string(key) + " " + std::to_string(logged.row)] = {
                        .file = io::join(part.file.folder(), "files"),
                        .offset = 0,
                        .length = 0,
                        .first_seq = 0,
                        .last_seq = 0,
                        .reason = "'" + std::string(key) + "' at step " +
                                  std::to_string(logged.step) + ": " + value.error().message};
                }
            }
        }
        if (key == kAlertsKey) {
            for (const auto& [time_ns, alert] : content.alerts) {
                all.push_back(entry_of(0, time_ns, number, content.rows, alert));
            }
        }
        add_artifacts(key, number, part, all);
    }
    if (key == kHparamsKey) {
        if (const RunInfo about = info_locked(); !about.config.empty()) {
            all.push_back(entry_of(0, about.start_time_ns, 0, 0, about.config));
        }
    }
    return all;
}

Result<std::vector<Entry>> WandbRun::entries(std::string_view key) const {
    std::shared_lock lock(mutex_);
    std::lock_guard kept(kept_mutex_);
    if (kept_revision_ != revision()) {
        kept_revision_ = revision();
        kept_entries_.clear();
    }
    if (const auto found = kept_entries_.find(key); found != kept_entries_.end()) {
        return found->second;
    }
    std::vector<Entry> made = make_entries(key);
    if (made.empty()) {
        const bool is_known = std::ranges::any_of(parts_, [&](const auto& part) {
            return part->content.values.find(key) != part->content.values.end();
        });
        if (!is_known) {
            return Error{ErrorCode::NotFound,
                         "run '" + id_ + "' has no values under '" + std::string(key) + "'"};
        }
    }
    return kept_entries_.insert_or_assign(std::string(key), std::move(made)).first->second;
}

Result<void> WandbRun::for_each(const std::function<bool(const Record&)>& visit) const {
    return model::visit_by_time(*this, visit);
}

}  // namespace taffrail::sources::wandb
