#include "trackers/watched_log.h"

#include "base/names.h"
#include "base/strings.h"
#include "base/try.h"
#include "record/identity.h"
#include "store/layout.h"
#include "trackers/number_text.h"

#include <algorithm>

namespace taffrail::trackers {
namespace {

constexpr std::string_view kSystem = "system/";

}  // namespace

void WatchedLog::take_load(const store::WriterLog& log, const tlog::Batch& batch,
                           std::vector<LoadReading>& to) {
    const store::LogState& state = log.state();
    const auto is_load = [&](std::uint32_t key) {
        const auto* known = state.key(key);
        return known != nullptr && known->name.starts_with(kSystem);
    };
    for (const tlog::WideRows& wide : batch.wide) {
        const auto* keys = state.schema(wide.schema);
        if (keys == nullptr || keys->empty() || !is_load(keys->front())) {
            continue;
        }
        for (std::size_t row = 0; row < wide.axes.rows(); ++row) {
            LoadReading reading{wide.axes.time_ns[row], log.identity().rank, {}};
            for (std::size_t i = 0; i < keys->size() && i < wide.columns.size(); ++i) {
                if (const auto* key = state.key((*keys)[i]); key != nullptr) {
                    reading.values.emplace_back(key->name, wide.columns[i][row]);
                }
            }
            to.push_back(std::move(reading));
        }
    }
    for (const tlog::LongRows& rows : batch.long_rows) {
        for (std::size_t row = 0; row < rows.axes.rows(); ++row) {
            if (is_load(rows.key[row])) {
                to.push_back({rows.axes.time_ns[row],
                              log.identity().rank,
                              {{state.key(rows.key[row])->name, rows.value[row]}}});
            }
        }
    }
}

Result<WatchedLog::News> WatchedLog::next(bool is_the_end) {
    News news;
    if (run_folder_.empty()) {
        return news;
    }
    for (const store::FileName& name : store::list_logs(run_folder_)) {
        const auto [found, is_new] = writers_.try_emplace(name.writer);
        if (is_new) {
            found->second.log = std::make_unique<store::WriterLog>(run_folder_, name.writer);
        }
    }
    for (auto& [id, writer] : writers_) {
        std::vector<LoadReading> load;
        TAFFRAIL_TRY(writer.log->poll([&](const tlog::Batch& batch, store::FramePlace) {
            const tlog::FileIdentity& identity = writer.log->identity();
            if ((rank_ && identity.rank != *rank_) || identity.attempt != attempt_) {
                return;
            }
            for (const tlog::ConsoleChunk& chunk : batch.console) {
                writer.lines.add(chunk, identity.rank);
            }
            take_load(*writer.log, batch, load);
        }));
        Counts& given = given_[id];
        const auto keep = [](auto& from, std::uint64_t& seen, std::uint64_t& count, auto& to) {
            for (auto& one : from) {
                if (++seen > count) {
                    count = seen;
                    to.push_back(std::move(one));
                }
            }
        };
        std::vector<ConsoleLine> ended = writer.lines.take_ended();
        if (is_the_end) {
            std::ranges::move(writer.lines.lines(), std::back_inserter(ended));
            writer.lines = {};
        }
        keep(ended, writer.seen.lines, given.lines, news.lines);
        keep(load, writer.seen.readings, given.readings, news.load);
    }
    std::ranges::stable_sort(news.lines, {}, &ConsoleLine::time_ns);
    std::ranges::stable_sort(news.load, {}, &LoadReading::time_ns);
    return news;
}

std::string WatchedLog::save() const {
    std::string text;
    for (const auto& [writer, counts] : given_) {
        if (counts.lines > 0 || counts.readings > 0) {
            text += "watched " + writer_name(writer) + " " + std::to_string(counts.lines) + " " +
                    std::to_string(counts.readings) + "\n";
        }
    }
    return text;
}

bool WatchedLog::restore(std::string_view line) {
    const auto words = split(line, ' ');
    if (words.size() != 4 || words[0] != "watched") {
        return false;
    }
    given_[number_in(words[1], 16)] = {number_in(words[2], 10), number_in(words[3], 10)};
    return true;
}

}  // namespace taffrail::trackers
