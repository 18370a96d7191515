// Opening an index, and its texts and tracks.
#include "profile/index/trace_index.h"

#include "base/try.h"
#include "io/files.h"
#include "profile/json_scan.h"

#include <algorithm>
#include <cstring>

namespace taffrail::profile {
namespace {

Error broken(const std::string& path) {
    return Error{ErrorCode::Corrupt, path + ": no index of a profile, or one that is cut off"};
}

}  // namespace

Result<std::shared_ptr<const TraceIndex>> TraceIndex::open(const std::string& path,
                                                           const std::string& source) {
    auto index = std::make_shared<TraceIndex>();
    TAFFRAIL_TRY(index->take(path));
    if (!source.empty()) {
        index->source_ = source;
        TAFFRAIL_ASSIGN(index->source_info_, io::stat(source));
    }
    return std::shared_ptr<const TraceIndex>(std::move(index));
}

template <typename T>
std::span<const T> TraceIndex::column(Section section) const noexcept {
    const IndexHead::Place& place = head_.places[static_cast<std::size_t>(section)];
    return {reinterpret_cast<const T*>(mapping_.data() + place.offset),
            static_cast<std::size_t>(place.bytes / sizeof(T))};
}

std::string_view TraceIndex::text_section(Section section) const noexcept {
    const IndexHead::Place& place = head_.places[static_cast<std::size_t>(section)];
    return {reinterpret_cast<const char*>(mapping_.data() + place.offset),
            static_cast<std::size_t>(place.bytes)};
}

Result<void> TraceIndex::take(const std::string& path) {
    TAFFRAIL_ASSIGN(const auto file, io::open(path, io::OpenMode::Read));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file->info());
    if (info.size < sizeof head_) {
        return broken(path);
    }
    TAFFRAIL_ASSIGN(mapping_, file->map(static_cast<std::size_t>(info.size), io::MapAccess::Read));
    std::memcpy(&head_, mapping_.data(), sizeof head_);
    if (std::string_view(head_.magic.data(), head_.magic.size()) != kIndexMagic ||
        head_.file_bytes != info.size) {
        return broken(path);
    }
    for (const IndexHead::Place& place : head_.places) {
        if (place.offset % 8 != 0 || place.offset > info.size ||
            place.bytes > info.size - place.offset) {
            return broken(path);
        }
    }
    text_ends_ = column<std::uint64_t>(Section::TextEnds);
    begin_ = column<std::int64_t>(Section::Begin);
    duration_ = column<std::int64_t>(Section::Duration);
    busy_before_ = column<std::uint64_t>(Section::BusyBefore);
    name_ = column<std::uint32_t>(Section::Name);
    category_ = column<std::uint32_t>(Section::Category);
    args_ = column<std::uint64_t>(Section::Args);
    arrow_from_ = column<std::int64_t>(Section::ArrowFromTime);
    arrow_to_ = column<std::int64_t>(Section::ArrowToTime);
    arrow_from_track_ = column<std::uint32_t>(Section::ArrowFromTrack);
    arrow_to_track_ = column<std::uint32_t>(Section::ArrowToTrack);
    arrow_name_ = column<std::uint32_t>(Section::ArrowName);
    counter_time_ = column<std::int64_t>(Section::CounterTime);
    counter_value_ = column<double>(Section::CounterValue);
    flame_parent_ = column<std::uint32_t>(Section::FlameParent);
    flame_end_ = column<std::uint32_t>(Section::FlameEnd);
    flame_title_ = column<std::uint32_t>(Section::FlameTitle);
    flame_total_ = column<double>(Section::FlameTotal);
    flame_self_ = column<double>(Section::FlameSelf);

    TAFFRAIL_ASSIGN(const Json json, parse_json(this->info()));
    duration_ns_ = json.integer_or("duration_ns", 0);
    main_value_ = static_cast<std::size_t>(json.integer_or("main_value", 0));
    const Json* values = json.find("values");
    values_ = values != nullptr && values->array() != nullptr ? values->array()->size() : 0;
    const Json* tracks = json.find("tracks");
    std::uint64_t first = 0;
    for (const Json& track :
         tracks != nullptr && tracks->array() != nullptr ? *tracks->array() : Json::Array()) {
        IndexTrack& added = tracks_.emplace_back();
        added.title = track.string_or("title", "");
        added.process = track.string_or("process", "");
        added.kind = track.string_or("kind", "");
        const Json* rows = track.find("rows");
        for (const Json& size :
             rows != nullptr && rows->array() != nullptr ? *rows->array() : Json::Array()) {
            const auto count = static_cast<std::uint64_t>(size.integer().value_or(0));
            added.rows.push_back({first, count});
            first += count;
        }
    }
    const std::size_t slices = begin_.size();
    const bool fits =
        first == slices && duration_.size() == slices && name_.size() == slices &&
        category_.size() == slices && args_.size() == slices && busy_before_.size() == slices + 1 &&
        arrow_to_.size() == arrow_from_.size() && arrow_from_track_.size() == arrow_from_.size() &&
        arrow_to_track_.size() == arrow_from_.size() && arrow_name_.size() == arrow_from_.size() &&
        counter_time_.size() == counter_value_.size() && !flame_parent_.empty() &&
        flame_end_.size() == flame_parent_.size() && flame_title_.size() == flame_parent_.size() &&
        flame_total_.size() == flame_parent_.size() * values_ &&
        flame_self_.size() == flame_parent_.size() * values_;
    return fits ? Result<void>() : Result<void>(broken(path));
}

std::string_view TraceIndex::text(std::uint32_t id) const noexcept {
    const std::string_view bytes = text_section(Section::TextBytes);
    if (id >= text_ends_.size() || text_ends_[id] > bytes.size()) {
        return {};
    }
    const std::uint64_t from = id == 0 ? 0 : text_ends_[id - 1];
    return from > text_ends_[id] ? std::string_view()
                                 : bytes.substr(static_cast<std::size_t>(from),
                                                static_cast<std::size_t>(text_ends_[id] - from));
}

Result<SliceDetail> TraceIndex::slice(std::uint32_t id) const {
    if (id >= slices()) {
        return Error{ErrorCode::NotFound, "the trace has no slice " + std::to_string(id)};
    }
    SliceDetail detail{.id = id, .begin_ns = begin_[id], .duration_ns = duration_[id]};
    for (std::uint32_t track = 0; track < tracks_.size(); ++track) {
        const auto& rows = tracks_[track].rows;
        if (rows.empty() || id < rows.front().first ||
            id >= rows.back().first + rows.back().count) {
            continue;
        }
        detail.track = track;
        while (id >= rows[detail.row].first + rows[detail.row].count) {
            ++detail.row;
        }
    }
    detail.self_ns = detail.duration_ns;
    const auto& rows = tracks_[detail.track].rows;
    if (detail.row + 1 < rows.size()) {
        const IndexRow& below = rows[detail.row + 1];
        const std::int64_t end_ns = detail.begin_ns + detail.duration_ns;
        for (std::uint64_t at = first_ending_after(below, detail.begin_ns);
             at < below.first + below.count && begin_[at] < end_ns; ++at) {
            detail.self_ns -= std::min(begin_[at] + duration_[at], end_ns) -
                              std::max(begin_[at], detail.begin_ns);
        }
    }
    detail.name = text(name_[id]);
    detail.category = text(category_[id]);
    for (std::size_t at = 0; at < slices(); ++at) {
        if (name_[at] == name_[id]) {
            ++detail.same_count;
            detail.same_ns += static_cast<std::uint64_t>(duration_[at]);
            detail.same_longest_ns = std::max(detail.same_longest_ns, duration_[at]);
        }
    }
    return detail;
}

std::string TraceIndex::args(std::uint32_t id) const {
    const std::uint64_t place = id < args_.size() ? args_[id] : 0;
    if ((place & kInSource) != 0) {
        return args_in_source(place & ~kInSource);
    }
    const std::string_view args = text_section(Section::ArgsBytes);
    if (place == 0 || args.size() < 4 || place > args.size() - 4) {
        return {};
    }
    const auto length = load<std::uint32_t>(args.data() + place);
    return std::string(length <= args.size() - place - 4
                           ? args.substr(static_cast<std::size_t>(place) + 4, length)
                           : std::string_view());
}

std::string TraceIndex::args_in_source(std::uint64_t place) const {
    const auto info = io::stat(source_);
    if (!info.ok() || info->size != source_info_.size ||
        info->modified_ns != source_info_.modified_ns) {
        return {};
    }
    const auto file = io::open(source_, io::OpenMode::Read);
    std::string text(kMaxArgsBytes, '\0');
    const auto got =
        file.ok()
            ? (*file)->read_at(place, {reinterpret_cast<std::byte*>(text.data()), text.size()})
            : Result<std::size_t>(std::size_t{0});
    text.resize(got.ok() ? *got : 0);
    JsonScan scan(text);
    if (scan.peek() != '{') {
        return {};
    }
    const std::string_view json = scan.value();
    return scan.failed()        ? std::string()
           : scan.is_doubtful() ? clean_json(json)
                                : std::string(json);
}

}  // namespace taffrail::profile
