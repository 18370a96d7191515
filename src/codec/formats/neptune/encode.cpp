#include "codec/formats/neptune/encode.h"

#include "codec/formats/neptune/names.h"
#include "codec/protobuf_wire.h"

#include <algorithm>
#include <cmath>

namespace taffrail::formats::neptune {
namespace {

Bytes timestamp(std::int64_t time_ns) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    writer.varint(1,
                  static_cast<std::uint64_t>(std::max<std::int64_t>(0, time_ns) / 1'000'000'000));
    writer.varint(2,
                  static_cast<std::uint64_t>(std::max<std::int64_t>(0, time_ns) % 1'000'000'000));
    return bytes;
}

}  // namespace

Bytes encode_create(const CreateRun& run) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    writer.bytes(3, timestamp(run.time_ns));
    writer.text(4, run.family);
    if (!run.experiment.empty()) {
        writer.text(5, run.experiment);
    }
    writer.boolean(9, true);
    return bytes;
}

Bytes float_value(double number) {
    Bytes bytes;
    ProtoWriter(bytes).fixed64(1, number);
    return bytes;
}

Bytes text_value(std::string_view text) {
    Bytes bytes;
    ProtoWriter(bytes).text(6, text);
    return bytes;
}

Bytes cell_value(const Cell& cell) {
    Bytes bytes;
    ProtoWriter writer(bytes);
    if (const auto* truth = std::get_if<bool>(&cell)) {
        writer.boolean(5, *truth);
    } else if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        writer.signed_varint(3, *whole);
    } else if (const auto* number = std::get_if<double>(&cell)) {
        writer.fixed64(1, *number);
    } else {
        const auto* text = std::get_if<std::string>(&cell);
        writer.text(6, text != nullptr ? std::string_view(*text) : std::string_view());
    }
    return bytes;
}

Bytes file_value(std::string_view path, std::uint64_t size, std::string_view mime) {
    Bytes file, bytes;
    ProtoWriter inner(file);
    inner.text(1, path);
    inner.varint(2, size);
    inner.text(3, mime);
    ProtoWriter(bytes).bytes(13, file);
    return bytes;
}

Bytes histogram_value(const Histogram& histogram) {
    constexpr std::size_t kMostBins = 512;
    const std::size_t bins =
        std::min(histogram.counts.size(), histogram.edges.empty() ? 0 : histogram.edges.size() - 1);
    const std::size_t join = std::max<std::size_t>(1, (bins + kMostBins - 1) / kMostBins);
    Bytes edges, counts, packed, inner, bytes;
    for (std::size_t i = 0; i < bins; i += join) {
        append(edges, histogram.edges[i]);
        double sum = 0;
        for (std::size_t j = i; j < std::min(i + join, bins); ++j) {
            sum += histogram.counts[j];
        }
        append_varint(counts, static_cast<std::uint64_t>(std::llround(std::max(0.0, sum))));
    }
    if (bins > 0) {
        append(edges, histogram.edges[bins]);
    }
    ProtoWriter(packed).bytes(1, counts);
    ProtoWriter writer(inner);
    writer.bytes(1, edges);
    writer.bytes(4, packed);
    ProtoWriter(bytes).bytes(14, inner);
    return bytes;
}

Bytes number_head(std::string_view path) {
    // entry { 1: path, 2: Value { 1: number } }; a Value of a number has nine bytes.
    Bytes head;
    ProtoWriter writer(head);
    std::size_t length = 1 + 1 + path.size() + 2 + 9;
    for (std::size_t rest = path.size(); rest >= 0x80; rest >>= 7) {
        ++length;
    }
    append_varint(head, (8u << 3) | 2u);
    append_varint(head, length);
    writer.text(1, path);
    append_varint(head, (2u << 3) | 2u);
    append_varint(head, 9);
    append_varint(head, (1u << 3) | 1u);
    return head;
}

void Update::entry(std::uint32_t field, std::string_view path, ByteSpan value) {
    Bytes entry;
    entry.reserve(path.size() + value.size() + 8);
    ProtoWriter writer(entry);
    writer.text(1, path);
    writer.bytes(2, value);
    ProtoWriter(entries_).bytes(field, entry);
}

void Update::append_number(ByteSpan head, double number) {
    taffrail::append(entries_, head);
    taffrail::append(entries_, number);
}

void Update::add_tag(std::string_view path, std::string_view tag, bool is_removed) {
    Bytes one, set, value;
    ProtoWriter pair(one);
    pair.text(1, tag);
    pair.varint(2, is_removed ? 2 : 1);
    ProtoWriter(set).bytes(1, one);
    ProtoWriter(value).bytes(1, set);
    entry(5, path, value);
}

Bytes Update::take(std::optional<std::uint64_t> micro_step, std::int64_t time_ns) {
    Bytes bytes;
    bytes.reserve(entries_.size() + 40);
    ProtoWriter writer(bytes);
    if (micro_step) {
        Bytes step;
        ProtoWriter inner(step);
        if (*micro_step >= kMicro) {
            inner.varint(1, *micro_step / kMicro);
        }
        if (*micro_step % kMicro != 0) {
            inner.varint(2, *micro_step % kMicro);
        }
        writer.bytes(1, step);
    }
    writer.bytes(2, timestamp(time_ns));
    taffrail::append(bytes, ByteSpan(entries_));
    entries_.clear();
    return bytes;
}

}  // namespace taffrail::formats::neptune
