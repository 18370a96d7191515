#include "base/crc32c.h"
#include "profile/formats/tprof/frames.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace taffrail::profile::tprof {

namespace {

constexpr std::size_t kLongestText = 4096;

void add_text(Bytes& to, std::string_view text) {
    append_text(to, text.substr(0, kLongestText));
}

}  // namespace

Bytes frame(FrameType type, ByteSpan payload) {
    Bytes bytes;
    bytes.reserve(kFrameHeaderBytes + payload.size());
    append(bytes, kMagic);
    append(bytes, std::uint32_t{0});
    append(bytes, type);
    append(bytes, std::uint8_t{1});
    append(bytes, std::uint16_t{0});
    append(bytes, static_cast<std::uint32_t>(payload.size()));
    append(bytes, payload);
    store_at(bytes.data() + 4, crc32c(ByteSpan(bytes).subspan(8)));
    return bytes;
}

Bytes encode_header(const FileHeader& header) {
    Bytes payload;
    add_text(payload, header.writer);
    append_varint(payload, header.process_id);
    append_zigzag(payload, header.start_ns);
    add_text(payload, header.program);
    return frame(FrameType::Header, payload);
}

Bytes encode_sites(std::span<const Site> sites) {
    Bytes payload;
    append_varint(payload, sites.size());
    for (const Site& site : sites) {
        append_varint(payload, site.id);
        add_text(payload, site.name);
        add_text(payload, site.file);
        append_varint(payload, site.line);
    }
    return frame(FrameType::Sites, payload);
}

Bytes encode_table(std::span<const TableNode> nodes, std::int64_t time_ns, std::uint64_t steps) {
    // Each place once; a name is in many nodes.
    std::map<std::tuple<std::string_view, std::string_view, std::uint32_t>, std::uint64_t> places;
    Bytes texts, rows;
    for (const TableNode& node : nodes) {
        const auto [place, is_new] =
            places.try_emplace({node.name, node.file, node.line}, places.size());
        if (is_new) {
            add_text(texts, node.name);
            add_text(texts, node.file);
            append_varint(texts, node.line);
        }
        append_varint(rows, node.parent);
        append_varint(rows, place->second);
        append(rows, static_cast<std::uint8_t>(node.open ? 1 : 0));
        for (const std::uint64_t number :
             {node.calls, node.total_ns, node.least_ns, node.most_ns, node.p50_ns, node.p99_ns}) {
            append_varint(rows, number);
        }
    }
    Bytes payload;
    append_zigzag(payload, time_ns);
    append_varint(payload, steps);
    append_varint(payload, places.size());
    append(payload, ByteSpan(texts));
    append_varint(payload, nodes.size());
    append(payload, ByteSpan(rows));
    return frame(FrameType::Table, payload);
}

Bytes encode_zones(std::uint64_t thread, std::span<const ZoneRecord> zones) {
    Bytes payload;
    append_varint(payload, thread);
    append_varint(payload, zones.size());
    std::int64_t before = 0;
    for (const ZoneRecord& zone : zones) {
        append_zigzag(payload, zone.begin_ns - before);
        append_varint(payload, zone.duration_ns);
        append_varint(payload, zone.site);
        before = zone.begin_ns;
    }
    return frame(FrameType::Zones, payload);
}

Bytes encode_steps(std::span<const StepMark> steps) {
    Bytes payload;
    append_varint(payload, steps.size());
    std::int64_t before = 0;
    for (const StepMark& mark : steps) {
        append_zigzag(payload, mark.step);
        append_zigzag(payload, mark.time_ns - before);
        before = mark.time_ns;
    }
    return frame(FrameType::Steps, payload);
}

Bytes encode_loss(std::uint64_t zones, LossReason reason) {
    Bytes payload;
    append_varint(payload, zones);
    append(payload, reason);
    return frame(FrameType::Loss, payload);
}

Bytes encode_end(std::int64_t time_ns) {
    Bytes payload;
    append_zigzag(payload, time_ns);
    return frame(FrameType::End, payload);
}

}  // namespace taffrail::profile::tprof
