#include "base/names.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "cli/export/tensorboard.h"
#include "io/files.h"
#include "query/export/winning_records.h"
#include "sinks/tensorboard/sink.h"

#include <optional>
#include <set>

namespace taffrail::cli {
namespace {

/// Runs of a logdir keep their path; native ones go by name and id, since names repeat.
std::string folder_of(const RunInfo& info) {
    if (info.source == "taffrail") {
        const std::string own_id = info.id.substr(info.id.rfind('/') + 1);
        return folder_safe(info.name) + "-" + folder_safe(own_id);
    }
    std::string path;
    for (const std::string_view part : split(info.id, '/')) {
        if (const std::string safe = folder_safe(part); !safe.empty()) {
            path += (path.empty() ? "" : "/") + safe;
        }
    }
    return path.empty() ? folder_safe(info.name) : path;
}

/// A folder for each run. Two that look the same once made safe are told apart by a hash.
std::vector<std::string> folders_of(const query::ExportRequest& request) {
    std::vector<std::string> folders;
    std::set<std::string> taken;
    for (const auto& run : request.runs) {
        const RunInfo info = run->info();
        std::string folder = folder_of(info);
        if (folder.empty() || !taken.insert(folder).second) {
            folder += "-" + to_hex(sha256(as_bytes(info.location + "\n" + info.id))).substr(0, 12);
            taken.insert(folder);
        }
        folders.push_back(std::move(folder));
    }
    return folders;
}

std::string described(const sinks::tensorboard::LeftOut& left_out) {
    std::string text;
    for (const auto& [kind, count] : left_out) {
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
    }
    return text;
}

}  // namespace

Result<void> export_tensorboard(const query::ExportRequest& request, const std::string& folder,
                                const std::function<void(std::string_view)>& warn) {
    const std::vector<std::string> folders = folders_of(request);
    // All of them before the first is written: a refused export leaves nothing behind.
    for (const std::string& one : folders) {
        TAFFRAIL_TRY(sinks::tensorboard::check_unused(io::join(folder, one)));
    }
    for (std::size_t i = 0; i < folders.size(); ++i) {
        std::optional<query::WinningRecords> winners;
        if (request.attempts == Attempts::Winning) {
            TAFFRAIL_ASSIGN(winners, query::WinningRecords::of(*request.runs[i]));
        }
        const auto wanted = [&](const Record& record) {
            return (request.pattern.empty() || glob_match(request.pattern, record.key)) &&
                   (!winners || winners->wins(record));
        };
        TAFFRAIL_ASSIGN(
            const sinks::tensorboard::LeftOut left_out,
            sinks::tensorboard::export_to_logdir(*request.runs[i], io::join(folder, folders[i]),
                                                 wanted, request.attempts));
        if (!left_out.empty()) {
            warn(request.runs[i]->info().name +
                 ": left out, since event files have no place for it: " + described(left_out));
        }
    }
    return {};
}

}  // namespace taffrail::cli
