#include "store/console_tail.h"

#include "base/try.h"
#include "store/console_end.h"
#include "store/layout.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace taffrail::store {

Result<void> ConsoleTail::poll(Writer& writer) {
    const auto polled = writer.log->poll([&](const tlog::Batch& batch, FramePlace) {
        for (const tlog::ConsoleChunk& chunk : batch.console) {
            writer.lines.add(chunk, writer.log->identity().rank);
        }
    });
    return polled.ok() ? Result<void>() : Result<void>(polled.error());
}

std::optional<std::vector<ConsoleLine>> ConsoleTail::begin(std::size_t count) {
    const Manifest manifest = read_manifest(run_folder_).value_or(Manifest{});
    if (!manifest.unreadable.empty()) {
        return std::nullopt;
    }
    for (const std::uint64_t id : all_writers(run_folder_, manifest)) {
        const auto files = console_files(run_folder_, manifest, id);
        if (!files) {
            return std::nullopt;
        }
        Writer writer;
        std::optional<WriterLog::Start> start;
        if (!list_logs(run_folder_, id).empty()) {
            writer.log = std::make_unique<WriterLog>(run_folder_, id);
            const auto begun = writer.log->begin_at_checkpoint();
            start = writer.log->start();
            // Without a checkpoint, or when a file was begun since the look.
            if (!begun.ok() || !start ||
                (files->live && files->urls.front() != writer.log->url_of(start->file))) {
                return std::nullopt;
            }
        }
        auto end = end_of_writer(*files, count, start);
        if (!end) {
            return std::nullopt;
        }
        writer.lines = std::move(end->lines);
        if (end->cut) {
            writer.lines.drop_first_lines();
        }
        if (writer.log) {
            // What stands behind the checkpoint of a sealed log is among the lines already.
            const ConsoleLines before = writer.lines;
            if (!poll(writer).ok()) {
                return std::nullopt;
            }
            if (!files->live) {
                writer.lines = before;
            }
        }
        writers_.emplace(id, std::move(writer));
    }
    std::vector<ConsoleLine> lines = take_ended();
    if (lines.size() > count) {
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(count));
    }
    return lines;
}

Result<std::vector<ConsoleLine>> ConsoleTail::next() {
    for (const FileName& name : list_logs(run_folder_)) {
        const auto [found, is_new] = writers_.try_emplace(name.writer);
        if (is_new) {
            found->second.log = std::make_unique<WriterLog>(run_folder_, name.writer);
        }
    }
    for (auto& [id, writer] : writers_) {
        if (writer.log) {
            TAFFRAIL_TRY(poll(writer));
        }
    }
    return take_ended();
}

std::vector<ConsoleLine> ConsoleTail::take_ended() {
    std::vector<Writer*> order;
    for (auto& [id, writer] : writers_) {
        order.push_back(&writer);
    }
    std::ranges::stable_sort(order, {}, [](const Writer* writer) {
        return writer->log
                   ? std::tuple(writer->log->identity().attempt, writer->log->identity().rank)
                   : std::tuple(std::uint32_t{0}, std::int32_t{0});
    });
    std::vector<ConsoleLine> lines;
    for (Writer* writer : order) {
        std::ranges::move(writer->lines.take_ended(), std::back_inserter(lines));
    }
    std::ranges::stable_sort(lines, {}, &ConsoleLine::time_ns);
    return lines;
}

std::vector<ConsoleLine> ConsoleTail::open_lines() const {
    std::vector<ConsoleLine> lines;
    for (const auto& [id, writer] : writers_) {
        std::ranges::copy(writer.lines.lines(), std::back_inserter(lines));
    }
    std::ranges::stable_sort(lines, {}, &ConsoleLine::time_ns);
    return lines;
}

}  // namespace taffrail::store
