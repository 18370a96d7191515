#include "profile/formats/perfetto/interned.h"

#include "base/utf8.h"
#include "codec/protobuf_wire.h"
#include "profile/profile.h"

#include <algorithm>
#include <vector>

namespace taffrail::profile {
namespace {

constexpr std::uint64_t kBootTime = 6;
constexpr std::int64_t kFarNs = std::int64_t{1} << 61;

std::int64_t as_time(std::uint64_t value) noexcept {
    return static_cast<std::int64_t>(std::min(value, static_cast<std::uint64_t>(kFarNs)));
}

}  // namespace

void PacketSequence::take_interned(ByteSpan message, Profile& profile) {
    ProtoReader reader(message);
    for (WireField field; reader.next(field);) {
        auto* table = field.number == 1    ? &categories
                      : field.number == 2  ? &names
                      : field.number == 3  ? &annotation_names
                      : field.number == 29 ? &texts
                                           : nullptr;
        if (table == nullptr || field.type != WireType::Length) {
            continue;
        }
        std::uint64_t id = 0;
        std::string_view text;
        ProtoReader entry(field.bytes);
        for (WireField part; entry.next(part);) {
            if (part.is(1, WireType::Varint)) {
                id = part.raw;
            } else if (part.is(2, WireType::Length)) {
                text = part.as_text();
            }
        }
        (*table)[id] = profile.text(is_valid_utf8(text) ? text : repair_utf8(text));
    }
}

void PacketSequence::take_defaults(ByteSpan message) {
    ProtoReader reader(message);
    for (WireField field; reader.next(field);) {
        if (field.is(58, WireType::Varint)) {
            default_clock = field.raw;
        } else if (field.is(11, WireType::Length)) {
            ProtoReader defaults(field.bytes);
            for (WireField part; defaults.next(part);) {
                if (part.is(11, WireType::Varint)) {
                    default_track = part.raw;
                }
            }
        }
    }
}

void PacketSequence::take_clocks(ByteSpan message) {
    struct Reading {
        std::uint64_t id = 0, time = 0, unit_ns = 1;
        bool is_incremental = false;
    };

    std::vector<Reading> readings;
    std::int64_t boot_ns = 0;
    ProtoReader reader(message);
    for (WireField field; reader.next(field);) {
        if (!field.is(1, WireType::Length)) {
            continue;
        }
        Reading reading;
        ProtoReader clock(field.bytes);
        for (WireField part; clock.next(part);) {
            if (part.type != WireType::Varint) {
                continue;
            }
            if (part.number == 1) {
                reading.id = part.raw;
            } else if (part.number == 2) {
                reading.time = part.raw;
            } else if (part.number == 3) {
                reading.is_incremental = part.raw != 0;
            } else if (part.number == 4) {
                reading.unit_ns = std::clamp<std::uint64_t>(part.raw, 1, 1'000'000'000);
            }
        }
        if (reading.id == kBootTime) {
            boot_ns = as_time(reading.time);
        }
        readings.push_back(reading);
    }
    for (const Reading& it : readings) {
        const std::uint64_t unit = it.unit_ns;
        const std::int64_t there_ns =
            it.time < static_cast<std::uint64_t>(kFarNs) / unit ? as_time(it.time * unit) : kFarNs;
        clocks[it.id] = {it.time, unit, boot_ns - there_ns, it.is_incremental};
    }
}

std::int64_t PacketSequence::time_ns(std::uint64_t timestamp, std::uint64_t clock_id) {
    const std::uint64_t id = clock_id != 0 ? clock_id : default_clock;
    const auto known = id == 0 ? clocks.end() : clocks.find(id);
    if (known == clocks.end()) {
        return as_time(timestamp);
    }
    Clock& clock = known->second;
    if (clock.is_incremental) {
        // Each time counts from the one before it.
        clock.last = std::min(clock.last, static_cast<std::uint64_t>(kFarNs)) +
                     std::min(timestamp, static_cast<std::uint64_t>(kFarNs));
        timestamp = clock.last;
    }
    const std::int64_t there_ns = timestamp < static_cast<std::uint64_t>(kFarNs) / clock.unit_ns
                                      ? as_time(timestamp * clock.unit_ns)
                                      : kFarNs;
    return std::clamp(there_ns, -kFarNs, kFarNs) + std::clamp(clock.offset_ns, -kFarNs, kFarNs);
}

}  // namespace taffrail::profile
