#include "store/console_end.h"

#include "codec/tlog/decode.h"
#include "io/files.h"
#include "store/console_lines.h"
#include "store/frame_file.h"
#include "store/glance.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/log_backwards.h"
#include "store/manifest.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <set>
#include <tuple>

namespace taffrail::store {
namespace {

struct ConsoleText {
    std::uint8_t stream = 0;
    std::int64_t time_ns = 0;
    std::string text;
};

}  // namespace

std::optional<ConsoleFiles> console_files(const std::string& run_folder, const Manifest& manifest,
                                          std::uint64_t writer) {
    ConsoleFiles files;
    std::vector<FileName> logs = list_logs(run_folder, writer);
    std::ranges::reverse(logs);
    for (const FileName& name : logs) {
        const std::string url =
            io::join(io::join(run_folder, kLiveFolder), log_name(name.writer, name.number));
        const auto covered = std::ranges::find_if(manifest.logs, [&](const seal::CoveredLog& log) {
            return log.writer == writer && log.file_number == name.number;
        });
        if (covered == manifest.logs.end()) {
            files.urls.push_back(url);
            files.live = true;
        } else if (const auto info = io::stat(url); !info.ok() || info->size != covered->bytes) {
            return std::nullopt;
        }
    }
    for (auto file = manifest.files.rbegin(); file != manifest.files.rend(); ++file) {
        if (file->kind == seal::SealedFileInfo::Kind::Rest &&
            writer_of_rest_log(file->name) == writer) {
            files.urls.push_back(io::join(io::join(run_folder, kDataFolder), file->name));
        }
    }
    // Text in the rings of a writer that died is nobody's yet.
    if (!logs.empty()) {
        const auto glance = glance_at_writer(run_folder, writer, logs.front().number);
        if (!glance.ok() || (!glance->finished && !writer_is_alive(run_folder, glance->identity,
                                                                   glance->last_sign_ns))) {
            return std::nullopt;
        }
    }
    return files;
}

std::optional<WriterEnd> end_of_writer(const ConsoleFiles& files, std::size_t count,
                                       const std::optional<WriterLog::Start>& before) {
    WriterEnd end;
    std::deque<ConsoleText> chunks;
    std::size_t line_ends = 0;
    std::set<std::uint8_t> streams;
    const auto is_enough = [&] { return line_ends >= count + streams.size(); };
    for (std::size_t i = 0; i < files.urls.size() && !is_enough(); ++i) {
        if (i > 0 && files.live) {
            return std::nullopt;  // frames may stand in two logs
        }
        const auto last = find_last_checkpoint(files.urls[i]);
        const auto checkpoint =
            last.ok() ? tlog::decode_checkpoint(last->payload, tlog::CheckpointParts::Description)
                      : std::nullopt;
        if (!checkpoint) {
            return std::nullopt;
        }
        end.identity = i == 0 ? checkpoint->identity : end.identity;
        const bool stops = before && i == 0 && files.live;
        LogBackwards backwards(files.urls[i], stops ? before->offset : last->file_bytes,
                               stops ? before->nonce : last->nonce);
        for (bool more = true; more && !is_enough();) {
            std::vector<ConsoleText> window;
            const auto read = backwards.previous([&](const tlog::Batch& batch) {
                for (const tlog::ConsoleChunk& chunk : batch.console) {
                    window.push_back({chunk.stream, chunk.time_ns, std::string(chunk.text)});
                }
            });
            if (!read.ok()) {
                return std::nullopt;
            }
            more = *read;
            for (auto chunk = window.rbegin(); chunk != window.rend(); ++chunk) {
                line_ends += static_cast<std::size_t>(std::ranges::count(chunk->text, '\n'));
                streams.insert(chunk->stream);
                chunks.push_front(std::move(*chunk));
            }
        }
    }
    for (const ConsoleText& chunk : chunks) {
        end.lines.add({chunk.stream, chunk.time_ns, chunk.text}, end.identity.rank);
    }
    end.cut = is_enough();
    return end;
}

std::optional<std::vector<ConsoleLine>> last_console_lines(const std::string& run_folder,
                                                           std::size_t count) {
    const Manifest manifest = read_manifest(run_folder).value_or(Manifest{});
    if (!manifest.unreadable.empty()) {
        return std::nullopt;
    }
    const std::vector<std::uint64_t> writers = all_writers(run_folder, manifest);
    if (writers.empty()) {
        return std::nullopt;
    }
    std::vector<WriterEnd> ends;
    for (const std::uint64_t writer : writers) {
        const auto files = console_files(run_folder, manifest, writer);
        auto end = files ? end_of_writer(*files, count) : std::nullopt;
        if (!end) {
            return std::nullopt;
        }
        ends.push_back(*std::move(end));
    }
    std::ranges::sort(ends, {}, [](const WriterEnd& end) {
        return std::tuple(end.identity.attempt, end.identity.rank, end.identity.writer);
    });
    std::vector<ConsoleLine> lines;
    for (const WriterEnd& end : ends) {
        std::ranges::move(end.cut ? end.lines.whole_lines() : end.lines.lines(),
                          std::back_inserter(lines));
    }
    std::ranges::stable_sort(lines, {}, &ConsoleLine::time_ns);
    if (lines.size() > count) {
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
    }
    return lines;
}

}  // namespace taffrail::store
