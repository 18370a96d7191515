#include "sources/tensorboard/run_part.h"

#include "base/crc32c.h"
#include "base/utf8.h"
#include "codec/formats/tensorboard/decode.h"
#include "codec/formats/tensorboard/tag_table.h"
#include "codec/formats/tensorboard/tensor.h"

#include <algorithm>
#include <utility>

namespace taffrail::sources::tensorboard {

PlaceList& TagData::places_of(Kind kind) {
    Details& all = make_details();
    for (PlaceList& list : all.places) {
        if (list.kind == kind) {
            return list;
        }
    }
    return all.places.emplace_back(PlaceList{.kind = kind, .places = {}});
}

void TagData::refile() {
    auto kind =
        details && details->has_metadata ? kind_of_plugin(details->metadata.plugin) : std::nullopt;
    if (!kind) {
        return;
    }
    const auto has = [&](Kind wanted) {
        return std::any_of(details->places.begin(), details->places.end(),
                           [&](const PlaceList& list) { return list.kind == wanted; });
    };
    if (kind == Kind::Image && has(Kind::Video)) {
        kind = Kind::Video;
    }
    std::vector<PlaceList> old = std::exchange(details->places, {});
    for (PlaceList& list : old) {
        const bool by_looks =
            list.kind == Kind::Tensor || list.kind == Kind::Text || list.kind == Kind::Table;
        std::vector<Place>& to = places_of(by_looks ? *kind : list.kind).places;
        to.insert(to.end(), list.places.begin(), list.places.end());
    }
}

const TagData* RunPart::find(std::string_view tag) const noexcept {
    if (table_.empty()) {
        return nullptr;
    }
    const std::uint32_t hash = crc32c(as_bytes(tag));
    const std::size_t mask = table_.size() - 1;
    for (std::size_t slot = hash & mask; table_[slot] != 0; slot = (slot + 1) & mask) {
        const TagData& data = tags_[table_[slot] - 1];
        if (data.hash == hash && data.name == tag) {
            return &data;
        }
    }
    return nullptr;
}

// Programs log the same tags in the same order, step after step: the tag that followed last time is
// nearly always the one that follows now, and one comparison confirms it.
std::uint32_t RunPart::tag_index(std::string_view tag) {
    std::uint32_t index = guess_;
    if (index >= tags_.size() || tags_[index].name != tag) {
        const std::uint32_t hash = crc32c(as_bytes(tag));
        if ((tags_.size() + 1) * 4 > table_.size() * 3) {
            formats::tensorboard::grow_tag_table(table_, tags_);
        }
        const std::size_t mask = table_.size() - 1;
        std::size_t slot = hash & mask;
        while (table_[slot] != 0) {
            const TagData& data = tags_[table_[slot] - 1];
            if (data.hash == hash && data.name == tag) {
                break;
            }
            slot = (slot + 1) & mask;
        }
        if (table_[slot] == 0) {
            TagData& data = tags_.emplace_back();
            data.name = tag;
            data.hash = hash;
            table_[slot] = static_cast<std::uint32_t>(tags_.size());
        }
        index = table_[slot] - 1;
        if (last_ < tags_.size()) {
            tags_[last_].next_guess = index;
        }
    }
    last_ = index;
    guess_ = tags_[index].next_guess;
    return index;
}

void RunPart::note_time(double wall_time) noexcept {
    ++events_;
    if (!(wall_time >= min_wall_) && wall_time == wall_time) {
        min_wall_ = wall_time;
    }
    if (!(wall_time <= max_wall_) && wall_time == wall_time) {
        max_wall_ = wall_time;
    }
}

// The common event, seen byte by byte: wall time, step, and a summary of nothing but (tag,
// simple_value) pairs. Everything else returns false untouched and takes the general way.
bool RunPart::take_scalars_fast(ByteSpan payload, std::uint32_t file) {
    const std::byte* at = payload.data();
    const std::byte* const end = at + payload.size();
    if (payload.size() < 20 || at[0] != std::byte{0x09}) {
        return false;
    }
    const auto wall_time = load<double>(at + 1);
    at += 9;
    std::uint64_t step = 0;
    if (*at == std::byte{0x10}) {
        ++at;
        unsigned shift = 0;
        for (; at < end && shift < 64; shift += 7) {
            const auto byte = static_cast<std::uint64_t>(*at++);
            step |= (byte & 0x7F) << shift;
            if (byte < 0x80) {
                break;
            }
        }
    }
    if (end - at < 11 || *at != std::byte{0x2A}) {
        return false;
    }
    ++at;
    auto summary_size = static_cast<std::uint64_t>(*at++);
    if (summary_size >= 0x80) {
        summary_size = (summary_size & 0x7F) | static_cast<std::uint64_t>(*at++) << 7;
        if (summary_size >= 0x4000) {
            return false;
        }
    }
    if (summary_size != static_cast<std::uint64_t>(end - at)) {
        return false;
    }
    const std::byte* const summary = at;
    // First look over all values, then take them: a value in the middle that needs the general way
    // must not be taken twice.
    while (at < end) {
        if (end - at < 9 || at[0] != std::byte{0x0A} || at[2] != std::byte{0x0A}) {
            return false;
        }
        const auto value_size = static_cast<std::size_t>(at[1]),
                   tag_size = static_cast<std::size_t>(at[3]);
        if (value_size >= 0x80 || tag_size + 7 != value_size ||
            static_cast<std::size_t>(end - at) < value_size + 2 ||
            at[4 + tag_size] != std::byte{0x15}) {
            return false;
        }
        at += value_size + 2;
    }
    note_time(wall_time);
    note_data();
    const ScalarColumn::Origin origin{.file = file, .attempt = attempt_};
    for (at = summary; at < end;) {
        const auto tag_size = static_cast<std::size_t>(at[3]);
        const std::uint32_t index = tag_index({reinterpret_cast<const char*>(at + 4), tag_size});
        tags_[index].scalars.append(static_cast<std::int64_t>(step), wall_time,
                                    load<float>(at + 5 + tag_size), origin);
        at += tag_size + 9;
    }
    return true;
}

bool RunPart::take(ByteSpan payload, std::uint64_t offset, std::uint32_t file) {
    if (take_scalars_fast(payload, file) || payload.empty()) {
        return true;
    }
    first_file_ = events_ == 0 ? file : first_file_;
    EventView event;
    if (!parse_event(payload, event)) {
        return false;
    }
    const auto place_of = [&](ByteSpan bytes) {
        return Place{.step = event.step,
                     .wall_time = event.wall_time,
                     .offset = offset + static_cast<std::uint64_t>(bytes.data() - payload.data()),
                     .length = bytes.size(),
                     .file = file,
                     .attempt = attempt_};
    };
    switch (event.content) {
        case EventContent::Summary:
            note_time(event.wall_time);
            return take_summary(event.body, event, payload.data(), offset, file);
        case EventContent::GraphDef:
            graphs_.push_back(place_of(event.body));
            note_data();
            break;
        case EventContent::SessionLog: {
            SessionLog log;
            if (parse_session_log(event.body, log) && log.status == SessionStatus::Start) {
                note_restart(event.step, file, offset);
            }
            break;
        }
        default:
            break;
    }
    note_time(event.wall_time);
    return true;
}

// Marks with nothing between them are one restart, from the earliest of their steps.
void RunPart::note_restart(std::int64_t step, std::uint32_t file, std::uint64_t offset) {
    if (!has_data_) {
        leading_start_ = std::min(leading_start_.value_or(step), step);
    } else if (!data_since_start_) {
        restarts_.back().from_step = std::min(restarts_.back().from_step.value_or(step), step);
    } else {
        restarts_.push_back(
            {.attempt = ++attempt_, .from_step = step, .file = file, .offset = offset});
    }
    data_since_start_ = false;
}

bool RunPart::take_summary(ByteSpan summary, const EventView& event, const std::byte* base,
                           std::uint64_t offset, std::uint32_t file) {
    return for_each_value(summary, [&](const ValueView& value, ByteSpan message) {
        take_value(value, message, event,
                   offset + static_cast<std::uint64_t>(message.data() - base), file);
    });
}

void RunPart::take_value(const ValueView& value, ByteSpan message, const EventView& event,
                         std::uint64_t offset, std::uint32_t file) {
    const std::uint32_t index =
        is_valid_utf8(value.tag) ? tag_index(value.tag) : tag_index(repair_utf8(value.tag));
    TagData& tag = tags_[index];
    note_data();
    if (value.has_metadata && !(tag.details && tag.details->has_metadata)) {
        TagData::Details& details = tag.make_details();
        details.has_metadata = true;
        parse_metadata(value.metadata, details.metadata);
        tag.refile();
    }
    const ScalarColumn::Origin origin{.file = file, .attempt = attempt_};
    if (value.content == ValueContent::Simple) {
        tag.scalars.append(event.step, event.wall_time, value.simple, origin);
        return;
    }
    const Place place{.step = event.step,
                      .wall_time = event.wall_time,
                      .offset = offset,
                      .length = message.size(),
                      .file = file,
                      .attempt = attempt_};
    const bool may_be_scalar = tag.plugin() == kScalars || tag.plugin().empty();
    if (value.content == ValueContent::Tensor && may_be_scalar) {
        if (const auto scalar = tensor_scalar(value.body)) {
            if (scalar->exact_float) {
                tag.scalars.append(event.step, event.wall_time, static_cast<float>(scalar->value),
                                   origin);
            } else {
                tag.scalars.append_double(event.step, event.wall_time, scalar->value, origin);
            }
            if (tag.plugin().empty()) {
                tag.make_details().unsure.push_back(place);
            }
            return;
        }
    }
    // A broken tensor is no value whatever the plugin, which a later part of a file may not know.
    TensorMessage tensor;
    if ((value.content == ValueContent::Tensor && !parse_tensor(value.body, tensor)) ||
        (value.content == ValueContent::None && !value.has_metadata)) {
        return;
    }
    // What stands under a scalar's tag and is none shows as what it looks like.
    const auto kind = classify(tag.plugin() == kScalars ? std::string_view() : tag.plugin(), value);
    if (kind) {
        tag.places_of(*kind).places.push_back(place);
    }
}

bool RunPart::contradicts(const RunPart& later) const noexcept {
    return std::any_of(later.tags_.begin(), later.tags_.end(), [&](const TagData& tag) {
        if (!tag.details || !tag.details->has_metadata) {
            return false;
        }
        const TagData* known = find(tag.name);
        return known != nullptr && known->details && known->details->has_metadata &&
               known->plugin() != tag.plugin();
    });
}

void RunPart::declare(const RunPart& earlier) {
    for (const TagData& tag : earlier.tags_) {
        if (tag.details && tag.details->has_metadata) {
            TagData::Details& details = tags_[tag_index(tag.name)].make_details();
            details.has_metadata = true;
            details.metadata = tag.details->metadata;
        }
    }
}

void RunPart::join(RunPart&& later, bool new_file) {
    std::uint32_t shift = attempt_;
    if (later.leading_start_ && has_data_ && !data_since_start_) {
        const std::int64_t step = *later.leading_start_;
        restarts_.back().from_step = std::min(restarts_.back().from_step.value_or(step), step);
    } else if (later.leading_start_ && has_data_) {
        ++shift;
        restarts_.push_back(
            {.attempt = shift, .from_step = later.leading_start_, .file = later.first_file_});
    } else if (new_file && has_data_) {
        // A file without a session mark that logs again what an earlier file had: somebody resumed
        // without saying so.
        const bool goes_back =
            std::any_of(later.tags_.begin(), later.tags_.end(), [&](const TagData& tag) {
                const TagData* known = tag.scalars.count() > 0 ? find(tag.name) : nullptr;
                return known != nullptr && known->scalars.count() > 0 &&
                       tag.scalars.first_step() <= known->scalars.last_step();
            });
        if (goes_back) {
            ++shift;
            restarts_.push_back(
                {.attempt = shift, .from_step = std::nullopt, .file = later.first_file_});
        }
    } else if (later.leading_start_) {
        leading_start_ =
            std::min(leading_start_.value_or(*later.leading_start_), *later.leading_start_);
    }
    if (later.has_data_ || later.leading_start_) {
        data_since_start_ = later.data_since_start_;
    }
    for (Restart restart : later.restarts_) {
        restart.attempt += shift;
        restarts_.push_back(restart);
    }
    const auto move_places = [&](std::vector<Place>& to, std::vector<Place>& from) {
        for (Place& place : from) {
            place.attempt += shift;
            to.push_back(place);
        }
    };
    guess_ = 0;
    last_ = UINT32_MAX;
    tags_.reserve(std::max(tags_.size(), later.tags_.size()));
    for (TagData& from : later.tags_) {
        TagData& to = tags_[tag_index(from.name)];
        if (from.details && !to.plugin().empty() && to.plugin() != kScalars &&
            !from.details->unsure.empty() && from.details->unsure.size() == from.scalars.count()) {
            move_places(to.places_of(kind_of_plugin(to.plugin()).value_or(Kind::Tensor)).places,
                        from.details->unsure);
            from.scalars = ScalarColumn();
        }
        to.scalars.join(std::move(from.scalars), shift);
        if (!from.details) {
            continue;
        }
        TagData::Details& details = to.make_details();
        if (!details.has_metadata && from.details->has_metadata) {
            details.metadata = std::move(from.details->metadata);
            details.has_metadata = true;
        }
        for (PlaceList& list : from.details->places) {
            move_places(to.places_of(list.kind).places, list.places);
        }
        to.refile();
    }
    move_places(graphs_, later.graphs_);
    attempt_ = shift + later.attempt_;
    has_data_ |= later.has_data_;
    events_ += later.events_;
    min_wall_ = later.min_wall_ < min_wall_ || min_wall_ != min_wall_ ? later.min_wall_ : min_wall_;
    max_wall_ = later.max_wall_ > max_wall_ || max_wall_ != max_wall_ ? later.max_wall_ : max_wall_;
}

std::size_t RunPart::memory() const noexcept {
    std::size_t bytes =
        tags_.capacity() * sizeof(TagData) + table_.capacity() * sizeof(std::uint32_t);
    for (const TagData& tag : tags_) {
        bytes += tag.scalars.memory() + tag.name.capacity();
    }
    return bytes;
}

void RunPart::drop_points() {
    dropped_ = true;
    for (TagData& tag : tags_) {
        tag.scalars.drop();
    }
}

}  // namespace taffrail::sources::tensorboard
