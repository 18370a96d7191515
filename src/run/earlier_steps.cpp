#include "run/earlier_steps.h"

#include "base/strings.h"
#include "codec/value_codec.h"
#include "store/open_log.h"

#include <algorithm>

namespace taffrail::running {
namespace {

// Every record of every writer in the run, routed or not.
template <typename Visit>
void for_each_record(const std::string& run_folder, Visit visit) {
    for (const std::uint64_t writer : storage::list_writers(run_folder)) {
        auto log = storage::open_log_reader(run_folder, writer);
        if (!log.ok()) {
            continue;
        }
        record::LogPosition position;
        for (;;) {
            const auto chunk = (*log)->read(position, kAllSinks, 65'536);
            if (!chunk.ok() || chunk->next == position) {
                break;
            }
            for (const Record& record : chunk->records) {
                visit(record);
            }
            position = chunk->next;
        }
    }
}

}  // namespace

Step EarlierSteps::operator()(const record::Definitions::Key& key) {
    if (!next_) {
        next_ = std::make_shared<std::map<std::pair<std::string, Kind>, Step>>();
        for_each_record(run_folder_, [&](const Record& record) {
            Step& next =
                next_->try_emplace({std::string(record.key), record.kind}, INT64_MIN).first->second;
            next = std::max(next, record.step == INT64_MAX ? record.step : record.step + 1);
        });
    }
    const auto found = next_->find({key.name, key.kind});
    return found == next_->end() ? INT64_MIN : found->second;
}

std::uint32_t next_artifact_version(const std::string& run_folder, std::string_view artifact) {
    std::uint32_t next = 0;
    for_each_record(run_folder, [&](const Record& record) {
        if (record.kind != Kind::Artifact || record.key != artifact || record.value == nullptr) {
            return;
        }
        const std::string& version = std::get<Artifact>(*record.value).version;
        const auto number = version.starts_with('v')
                                ? parse_int(std::string_view(version).substr(1))
                                : std::nullopt;
        if (number && *number >= 0) {
            next = std::max(next, static_cast<std::uint32_t>(*number) + 1);
        }
    });
    return next;
}

}  // namespace taffrail::running
