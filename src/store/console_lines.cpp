#include "store/console_lines.h"

#include "base/utf8.h"

#include <set>
#include <string_view>

namespace taffrail::store {

void ConsoleLines::add(const tlog::ConsoleChunk& chunk, std::int32_t rank) {
    std::string_view text = chunk.text;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view part = text.substr(0, end);
        const auto [found, is_new] = streams_.try_emplace(chunk.stream);
        Stream& stream = found->second;
        if (stream.open) {
            lines_[stream.newest].text += repair_utf8(part);
        } else {
            stream.newest = lines_.size();
            stream.first = is_new ? stream.newest : stream.first;
            lines_.push_back({chunk.time_ns, chunk.stream == 2, rank, repair_utf8(part)});
        }
        stream.open = end == std::string_view::npos;
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
}

std::vector<ConsoleLine> ConsoleLines::whole_lines() const {
    std::set<std::size_t> cut;
    for (const auto& [number, stream] : streams_) {
        cut.insert(stream.first);
    }
    std::vector<ConsoleLine> whole;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        if (!cut.contains(i)) {
            whole.push_back(lines_[i]);
        }
    }
    return whole;
}

template <typename Stays>
std::vector<ConsoleLine> ConsoleLines::split_off(const Stays& stays) {
    std::vector<ConsoleLine> kept, gone;
    std::map<std::size_t, std::size_t> moved;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        if (stays(i)) {
            moved[i] = kept.size();
            kept.push_back(std::move(lines_[i]));
        } else {
            gone.push_back(std::move(lines_[i]));
        }
    }
    lines_ = std::move(kept);
    for (auto& [number, stream] : streams_) {
        const auto newest = moved.find(stream.newest);
        stream.open = stream.open && newest != moved.end();
        stream.newest = newest != moved.end() ? newest->second : 0;
        stream.first = stream.newest;
    }
    return gone;
}

void ConsoleLines::drop_first_lines() {
    std::set<std::size_t> cut;
    for (const auto& [number, stream] : streams_) {
        cut.insert(stream.first);
    }
    (void)split_off([&](std::size_t line) { return !cut.contains(line); });
}

std::vector<ConsoleLine> ConsoleLines::take_ended() {
    std::set<std::size_t> open;
    for (const auto& [number, stream] : streams_) {
        if (stream.open) {
            open.insert(stream.newest);
        }
    }
    return split_off([&](std::size_t line) { return open.contains(line); });
}

}  // namespace taffrail::store
