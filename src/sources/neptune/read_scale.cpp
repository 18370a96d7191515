// The operations log of neptune-scale.
#include "base/utf8.h"
#include "io/files.h"
#include "io/inside.h"
#include "sources/neptune/attributes.h"
#include "sources/neptune/read_run.h"
#include "sqlite/database.h"

#include <algorithm>

namespace taffrail::sources::neptune {

using namespace formats::neptune;

namespace {

constexpr std::size_t kMostDamage = 100;

/// Files lie beside the log; what lies elsewhere on the machine is not opened.
void take_files(const sqlite::Database& database, const std::string& folder, Attributes& to) {
    auto files = database.prepare("SELECT source_path, destination FROM file_upload_requests");
    while (files.ok()) {
        const auto more = files->step();
        if (!more.ok() || !*more) {
            break;
        }
        const std::string path(files->text(0));
        const std::string name = path.substr(path.rfind('/') + 1);
        for (const std::string& place :
             {io::join(io::join(folder, "files"), name), io::join(folder, name)}) {
            const auto info = io::is_plain_name(name) ? io::stat_inside(folder, place)
                                                      : Result<io::FileInfo>(Error{});
            if (info.ok() && info->type == io::EntryType::File) {
                to.files[std::string(files->text(1))] = {folder, place, info->size};
                break;
            }
        }
    }
}

}  // namespace

std::shared_ptr<model::GatheredContent> read_scale(const std::string& file) {
    const std::string folder = io::parent(file);
    if (!io::open_inside(folder, file).ok()) {
        return nullptr;
    }
    auto database = sqlite::Database::open(file, sqlite::Mode::Read);
    if (!database.ok() || !database->has_table("run_operations")) {
        return nullptr;
    }
    auto content = std::make_shared<model::GatheredContent>();
    content->info.source = "neptune";
    content->info.location = folder;
    content->is_open_ended = true;
    content->files = {file, file + "-wal"};
    content->info.id = folder.substr(folder.rfind('/') + 1);
    if (auto about = database->has_table("metadata")
                         ? database->prepare("SELECT version, project, run_id FROM metadata")
                         : Result<sqlite::Statement>(Error{});
        about.ok()) {
        if (const auto row = about->step(); row.ok() && *row) {
            content->info.project = repair_utf8(about->text(1));
            content->info.id = repair_utf8(about->text(2));
            if (about->text(0) != "v5") {
                content->damaged(file, "the log is of version '" + repair_utf8(about->text(0)) +
                                           "', read as v5");
            }
        }
    }
    content->info.name = content->info.id;
    Attributes attributes(*content);
    if (database->has_table("file_upload_requests")) {
        take_files(*database, folder, attributes);
    }
    UpdateHead head;
    const UpdateVisitor visitor{[&](std::string_view path, const AttributeValue& value) {
                                    attributes.assign(path, value, head.time_ns);
                                },
                                [&](std::string_view path, const AttributeValue& value) {
                                    attributes.append(path, value, head.step, head.time_ns);
                                },
                                [&](std::string_view path, std::string_view tag, bool is_removed) {
                                    attributes.tag(path, tag, is_removed);
                                }};
    auto rows = database->prepare(
        "SELECT operation_type, operation, timestamp, sequence_id FROM run_operations ORDER BY "
        "sequence_id");
    std::uint64_t unreadable = 0;
    while (rows.ok()) {
        const auto more = rows->step();
        if (!more.ok()) {
            content->damaged(file, "the rest of the log cannot be read: " + more.error().message);
            break;
        }
        if (!*more) {
            break;
        }
        const Bytes bytes(rows->blob(1).begin(), rows->blob(1).end());
        if (rows->whole(0) == 1) {
            if (const auto run = decode_create(bytes)) {
                content->info.start_time_ns = run->time_ns;
                content->info.name = run->experiment.empty() ? content->info.name : run->experiment;
                continue;
            }
        } else if (const auto update = decode_head(bytes)) {
            head = *update;
            if (content->info.start_time_ns == 0) {
                content->info.start_time_ns = head.time_ns;
            }
            decode_entries(bytes, visitor);
            continue;
        }
        if (++unreadable <= kMostDamage) {
            content->damaged(file,
                             "operation " + std::to_string(rows->whole(3)) + " cannot be read");
        }
    }
    if (!rows.ok()) {
        content->damaged(file, rows.error().message);
    }
    attributes.finish();
    return content;
}

}  // namespace taffrail::sources::neptune
