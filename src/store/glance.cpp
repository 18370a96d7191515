#include "store/glance.h"

#include "base/try.h"
#include "codec/tlog/decode.h"
#include "codec/value_codec.h"
#include "io/files.h"
#include "store/frame_file.h"
#include "store/last_sign.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/manifest.h"
#include "store/meta_edit.h"
#include "store/writer_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>
#include <set>

namespace taffrail::store {
namespace {

WriterGlance glance_of(const LogState& state, const tlog::FileIdentity& identity) {
    WriterGlance glance;
    glance.identity = identity;
    glance.meta = state.meta();
    glance.hparams = state.hparams();
    return glance;
}

// The frames behind the newest checkpoint: an end mark, or the last second of a live run.
void replay(const FoundCheckpoint& found, LogState& state, WriterGlance& glance) {
    tlog::FrameScanner scanner;
    scanner.begin_at(found.next_frame, found.nonce);
    thread_local tlog::Decompressor decompressor;
    Bytes scratch;
    tlog::DecodedBatch decoded;
    while (true) {
        const ByteSpan window =
            ByteSpan(found.rest)
                .subspan(static_cast<std::size_t>(scanner.offset() - found.next_frame));
        const auto outcome = scanner.next(window, true);
        if (outcome == tlog::FrameScanner::Outcome::Pending ||
            outcome == tlog::FrameScanner::Outcome::NeedMore) {
            return;
        }
        if (outcome != tlog::FrameScanner::Outcome::Frame) {
            continue;
        }
        const auto payload = payload_of(scanner.frame(), scanner.stored(), decompressor, scratch);
        if (!payload) {
            continue;
        }
        if (scanner.frame().type == tlog::FrameType::End) {
            const auto end = tlog::decode_end(*payload);
            glance.finished = end && end->reason == tlog::EndReason::Finished ? end : std::nullopt;
            glance.last_sign_ns =
                end ? std::max(glance.last_sign_ns, end->time_ns) : glance.last_sign_ns;
        } else if (scanner.frame().type == tlog::FrameType::Batch &&
                   decoded.decode(scanner.frame(), *payload)) {
            state.apply(decoded.batch());
        }
    }
}

bool apply_hparams(const KeptValue& kept, Hparams& config) {
    auto value = decode_value(kept.metadata);
    if (!value.ok() || !std::holds_alternative<Hparams>(*value)) {
        return false;
    }
    for (auto& [name, cell] : std::get<Hparams>(*value)) {
        const auto found = std::ranges::find(config, name, &std::pair<std::string, Cell>::first);
        if (found != config.end()) {
            found->second = std::move(cell);
        } else {
            config.emplace_back(std::move(name), std::move(cell));
        }
    }
    return true;
}

std::string missing_ranks(const std::set<std::int32_t>& seen, std::int32_t world_size) {
    std::string text;
    int named = 0;
    for (std::int32_t rank = 0; rank < world_size; ++rank) {
        if (!seen.contains(rank)) {
            if (++named > 8) {
                return text + ", …";
            }
            text += (text.empty() ? "" : ", ") + std::to_string(rank);
        }
    }
    return text;
}

// Whoever fell silent first comes first: it often took the others with it.
std::string name_crashed(std::vector<const WriterGlance*> crashed) {
    if (crashed.size() == 1) {
        return fmt::format("the process of rank {} ended without finishing the run",
                           crashed.front()->identity.rank);
    }
    std::ranges::stable_sort(crashed, {}, &WriterGlance::last_sign_ns);
    std::string ranks;
    for (std::size_t i = 0; i < crashed.size() && i <= 8; ++i) {
        ranks += i == 0   ? std::to_string(crashed[i]->identity.rank)
                 : i == 8 ? std::string(", …")
                          : ", " + std::to_string(crashed[i]->identity.rank);
    }
    return "the processes of ranks " + ranks + " ended without finishing the run";
}

// The newest attempt decides. A writer that is alive keeps the run running; one that is gone
// without an end frame crashed it; else the worst of the states the writers ended with.
void decide_state(const std::string& run_folder, const std::vector<WriterGlance>& writers,
                  RunInfo& info) {
    auto badness = [](RunState state) {
        switch (state) {
            case RunState::Finished:
                return 0;
            case RunState::Aborted:
                return 1;
            case RunState::Failed:
                return 2;
            default:
                return 3;
        }
    };
    bool running = false;
    RunState worst = RunState::Finished;
    std::set<std::int32_t> ranks;
    std::vector<const WriterGlance*> crashed;
    for (const WriterGlance& writer : writers) {
        if (writer.identity.attempt + 1 != info.attempts) {
            continue;
        }
        ranks.insert(writer.identity.rank);
        // Forked children (loaders of data) end as they like: the process they were forked from
        // says how they ended, also where another rank closed their logs before it could.
        const bool is_child = writer.identity.forked_from != 0;
        if (is_child && writer.finished && writer.finished->state == RunState::Crashed) {
            continue;
        }
        if (!writer.finished) {
            if (writer_is_alive(run_folder, writer.identity, writer.last_sign_ns)) {
                running = true;
            } else if (!is_child) {
                worst = RunState::Crashed;
                crashed.push_back(&writer);
            }
        } else if (badness(writer.finished->state) > badness(worst)) {
            worst = writer.finished->state;
        }
        if (writer.finished && writer.finished->state == RunState::Crashed) {
            crashed.push_back(&writer);  // another process closed its log
        }
    }
    if (info.message.empty() && !crashed.empty()) {
        info.message = name_crashed(std::move(crashed));
    }
    info.state = running ? RunState::Running : writers.empty() ? RunState::Crashed : worst;
    if (running && worst != RunState::Crashed) {
        info.message.clear();
    }
    if (!running && static_cast<std::int32_t>(ranks.size()) < info.world_size) {
        const std::string missing =
            fmt::format("of {} ranks these never wrote: {}", info.world_size,
                        missing_ranks(ranks, info.world_size));
        if (!info.message.ends_with(missing)) {  // a copy was ended with what its original says
            info.message += (info.message.empty() ? "" : "; ") + missing;
        }
    }
}

}  // namespace

namespace {

// Nothing when the file has no checkpoint.
std::optional<WriterGlance> glance_at_file(const std::string& url) {
    auto found = find_last_checkpoint(url);
    const auto checkpoint =
        found.ok() ? tlog::decode_checkpoint(found->payload, tlog::CheckpointParts::Description)
                   : std::nullopt;
    if (!checkpoint) {
        return std::nullopt;
    }
    LogState state;
    state.restore(*checkpoint);
    WriterGlance marks;
    replay(*found, state, marks);
    WriterGlance glance = glance_of(state, checkpoint->identity);
    glance.finished = marks.finished;
    glance.last_sign_ns =
        marks.finished ? finished_at(*marks.finished, state)
                       : std::max({found->modified_ns, state.last_time_ns(), marks.last_sign_ns});
    glance.newest_log = url;
    glance.newest_bytes = found->file_bytes;
    return glance;
}

// What the rest log says of a writer whose newest log is sealed to its last byte.
std::optional<WriterGlance> glance_at_sealed(const std::string& run_folder,
                                             const FileName& newest) {
    const auto info = io::stat(
        io::join(io::join(run_folder, kLiveFolder), log_name(newest.writer, newest.number)));
    const auto manifest = read_manifest(run_folder);
    if (!info.ok() || !manifest ||
        std::ranges::none_of(manifest->logs, [&](const seal::CoveredLog& log) {
            return log.writer == newest.writer && log.file_number == newest.number &&
                   log.bytes >= info->size;
        })) {
        return std::nullopt;
    }
    // A writer that was sealed in portions has several; the newest one knows its end.
    for (const seal::SealedFileInfo& file : std::views::reverse(manifest->files)) {
        if (writer_of_rest_log(file.name) == newest.writer) {
            return glance_at_file(io::join(io::join(run_folder, kDataFolder), file.name));
        }
    }
    return std::nullopt;
}

// Writers whose logs were removed after sealing left a rest log beside the sealed files.
void glance_at_rest_logs(const std::string& run_folder, const std::vector<FileName>& logs,
                         std::vector<WriterGlance>& writers) {
    const std::string data = io::join(run_folder, kDataFolder);
    const auto entries = io::list(data);
    for (const auto& entry : entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        const auto writer = writer_of_rest_log(entry.name);
        if (!writer || std::ranges::find(logs, *writer, &FileName::writer) != logs.end()) {
            continue;
        }
        if (auto glance = glance_at_file(io::join(data, entry.name))) {
            writers.push_back(*std::move(glance));
        }
    }
}

}  // namespace

Result<WriterGlance> glance_at_writer(const std::string& run_folder, std::uint64_t writer,
                                      std::uint32_t newest_file) {
    const std::string url =
        io::join(io::join(run_folder, kLiveFolder), log_name(writer, newest_file));
    if (auto glance = glance_at_file(url)) {
        return *std::move(glance);
    }
    // No checkpoint in the newest file: its beginning is damaged, or it has only just been made.
    WriterLog log(run_folder, writer);
    TAFFRAIL_TRY(log.poll({}));
    if (log.is_garbage()) {
        return Error{ErrorCode::Corrupt, url + " does not begin with a log's header"};
    }
    WriterGlance glance = glance_of(log.state(), log.identity());
    glance.finished = log.finished();
    glance.last_sign_ns = last_sign_of(log);
    glance.newest_log = url;
    const auto size = io::stat(url);
    glance.newest_bytes = size.ok() ? size->size : 0;
    return glance;
}

Hparams merge_hparams(const std::vector<const std::vector<KeptValue>*>& lists) {
    std::vector<const KeptValue*> all;
    for (const auto* list : lists) {
        for (const KeptValue& kept : *list) {
            all.push_back(&kept);
        }
    }
    std::ranges::stable_sort(all, {}, [](const KeptValue* kept) { return kept->record.time_ns; });
    Hparams config;
    for (const KeptValue* kept : all) {
        apply_hparams(*kept, config);
    }
    return config;
}

RunInfo describe_run(const std::string& run_folder, const std::vector<WriterGlance>& writers,
                     const MetaState& edits) {
    RunInfo info;
    const std::string folder_name = run_folder.substr(run_folder.find_last_of('/') + 1);
    info.id = id_of_folder(folder_name);
    info.name =
        folder_name.size() > info.id.size() + 1 ? folder_name.substr(info.id.size() + 1) : info.id;
    info.location = run_folder;
    info.source = "taffrail";
    info.attempts = 1;
    MetaState meta = edits;
    std::vector<const std::vector<KeptValue>*> hparams;
    for (const WriterGlance& writer : writers) {
        if (!writer.identity.run_id.empty()) {
            info.id = writer.identity.run_id;
        }
        const std::int64_t start = writer.identity.start_time_ns;
        // A clock may have been before 1970, or have gone back since the start: no run ends before
        // it began.
        const std::int64_t end = std::max(start, writer.last_sign_ns);
        const bool first = &writer == &writers.front();
        info.start_time_ns = first ? start : std::min(info.start_time_ns, start);
        info.end_time_ns = first ? end : std::max(info.end_time_ns, end);
        info.attempts = std::max(info.attempts, writer.identity.attempt + 1);
        info.world_size = std::max(info.world_size, writer.identity.world_size);
        meta.merge(writer.meta);
        hparams.push_back(&writer.hparams);
    }
    meta.describe(info);
    info.message = meta.state_message();
    info.config = merge_hparams(hparams);
    decide_state(run_folder, writers, info);
    return info;
}

namespace {

std::vector<WriterGlance> glance_at_writers(const std::string& run_folder) {
    std::vector<WriterGlance> writers;
    const std::vector<FileName> files = list_logs(run_folder);
    for (const FileName& file : newest_of_each(files)) {
        if (auto glance = glance_at_writer(run_folder, file.writer, file.number); glance.ok()) {
            writers.push_back(*std::move(glance));
        }
    }
    glance_at_rest_logs(run_folder, files, writers);
    return writers;
}

}  // namespace

RankSettings settings_of_rank(const std::string& run_folder, std::int32_t rank) {
    const std::vector<WriterGlance> writers = glance_at_writers(run_folder);
    MetaState meta = read_edits(run_folder);
    std::vector<const std::vector<KeptValue>*> hparams;
    for (const WriterGlance& writer : writers) {
        if (writer.identity.rank == rank) {
            meta.merge(writer.meta);
            hparams.push_back(&writer.hparams);
        }
    }
    RunInfo info;
    meta.describe(info);
    return {merge_hparams(hparams), {info.summary.begin(), info.summary.end()}};
}

std::vector<MetricDefinition> defined_metrics(const std::string& run_folder) {
    MetaState meta = read_edits(run_folder);
    for (const WriterGlance& writer : glance_at_writers(run_folder)) {
        meta.merge(writer.meta);
    }
    std::vector<MetricDefinition> metrics;
    for (const auto& [pattern, options] : meta.metric_definitions()) {
        metrics.push_back({pattern, *options});
    }
    return metrics;
}

std::vector<WriterGlance> glance_at_writers_but(const std::string& run_folder,
                                                const std::set<std::uint64_t>& known) {
    std::vector<WriterGlance> writers;
    for (const FileName& file : newest_of_each(list_logs(run_folder))) {
        if (known.contains(file.writer)) {
            continue;
        }
        auto seen = glance_at_writer(run_folder, file.writer, file.number);
        if (seen.ok() && !seen->identity.run_id.empty()) {
            writers.push_back(*std::move(seen));
        }
    }
    return writers;
}

RunGlance glance_at_run(const std::string& run_folder) {
    RunGlance result;
    std::vector<WriterGlance> writers;
    std::string problem;
    const std::vector<FileName> files = list_logs(run_folder);
    for (const FileName& file : newest_of_each(files)) {
        auto glance = glance_at_writer(run_folder, file.writer, file.number);
        if (!glance.ok()) {
            problem = glance.error().message;
            continue;
        }
        if (!glance->finished &&
            !writer_is_alive(run_folder, glance->identity, glance->last_sign_ns)) {
            // Its last frame may have come between the two looks.
            if (auto again = glance_at_writer(run_folder, file.writer, file.number); again.ok()) {
                glance = std::move(again);
            }
            if (auto sealed = glance_at_sealed(run_folder, file);
                sealed && sealed->finished && !glance->finished) {
                glance = *std::move(sealed);  // the end of the log was damaged since
            }
        }
        if (!glance->finished) {
            result.unfinished_logs.push_back(glance->newest_log);
            result.unfinished_bytes += glance->newest_bytes;
        }
        writers.push_back(*std::move(glance));
    }
    glance_at_rest_logs(run_folder, files, writers);
    result.info = describe_run(run_folder, writers, read_edits(run_folder));
    if (!problem.empty()) {
        result.info.message += (result.info.message.empty() ? "" : "; ") + problem;
    }
    return result;
}

}  // namespace taffrail::store
