#include "codec/formats/neptune/decode.h"

#include "base/utf8.h"
#include "codec/histogram_moments.h"
#include "codec/protobuf_wire.h"

#include <algorithm>

namespace taffrail::formats::neptune {
namespace {

std::int64_t time_of(ByteSpan bytes) {
    std::int64_t seconds = 0, nanos = 0;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Varint)) {
            seconds = field.as_int64();
        } else if (field.is(2, WireType::Varint)) {
            nanos = field.as_int64();
        }
    }
    constexpr std::int64_t kSecond = 1'000'000'000, kMost = 9'000'000'000;
    return seconds >= 0 && seconds < kMost && nanos >= 0 && nanos < kSecond
               ? seconds * kSecond + nanos
               : 0;
}

double step_of(ByteSpan bytes) {
    double whole = 0, micro = 0;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Varint)) {
            whole = static_cast<double>(field.raw);
        } else if (field.is(2, WireType::Varint)) {
            micro = static_cast<double>(field.raw);
        }
    }
    return whole + micro / 1e6;
}

void take_doubles(const WireField& field, std::vector<double>& to) {
    if (field.type == WireType::Length) {
        for (std::size_t at = 0; at + 8 <= field.bytes.size(); at += 8) {
            to.push_back(load<double>(field.bytes.data() + at));
        }
    } else if (field.type == WireType::Fixed64) {
        to.push_back(std::bit_cast<double>(field.raw));
    }
}

AttributeValue histogram_of(ByteSpan bytes) {
    Histogram histogram;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.number == 1) {
            take_doubles(field, histogram.edges);
        } else if (field.is(4, WireType::Length) || field.is(5, WireType::Length)) {
            const bool is_counts = field.number == 4;
            ProtoReader inner(field.bytes);
            WireField one;
            while (inner.next(one)) {
                if (!is_counts) {
                    take_doubles(one, histogram.counts);
                } else if (one.type == WireType::Varint) {
                    histogram.counts.push_back(static_cast<double>(one.raw));
                } else if (one.type == WireType::Length) {
                    ByteCursor cursor(one.bytes);
                    while (cursor.remaining() > 0 && cursor.ok()) {
                        histogram.counts.push_back(static_cast<double>(cursor.varint()));
                    }
                }
            }
        }
    }
    if (histogram.counts.empty() || histogram.edges.size() != histogram.counts.size() + 1) {
        return {};
    }
    set_moments_by_bins(histogram);
    return histogram;
}

AttributeValue value_of(ByteSpan bytes) {
    AttributeValue value;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Fixed64)) {
            value = std::bit_cast<double>(field.raw);
        } else if (field.is(3, WireType::Varint)) {
            value = field.as_int64();
        } else if (field.is(5, WireType::Varint)) {
            value = field.raw != 0;
        } else if (field.is(6, WireType::Length)) {
            value = repair_utf8(field.as_text());
        } else if (field.is(8, WireType::Length)) {
            value = time_of(field.bytes) / 1'000'000;
        } else if (field.is(12, WireType::Length)) {
            std::vector<std::string> all;
            ProtoReader inner(field.bytes);
            WireField one;
            while (inner.next(one)) {
                if (one.is(1, WireType::Length)) {
                    all.push_back(repair_utf8(one.as_text()));
                }
            }
            value = std::move(all);
        } else if (field.is(13, WireType::Length)) {
            FileReference file;
            ProtoReader inner(field.bytes);
            WireField one;
            while (inner.next(one)) {
                if (one.is(1, WireType::Length)) {
                    file.path = repair_utf8(one.as_text());
                } else if (one.is(2, WireType::Varint)) {
                    file.size = one.raw;
                } else if (one.is(3, WireType::Length)) {
                    file.mime = repair_utf8(one.as_text());
                }
            }
            value = std::move(file);
        } else if (field.is(14, WireType::Length)) {
            value = histogram_of(field.bytes);
        }
    }
    return value;
}

/// The two fields of an entry of a map.
std::pair<std::string_view, ByteSpan> entry_of(ByteSpan bytes) {
    std::pair<std::string_view, ByteSpan> entry;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length)) {
            entry.first = field.as_text();
        } else if (field.is(2, WireType::Length)) {
            entry.second = field.bytes;
        }
    }
    return entry;
}

void decode_tags(std::string_view path, ByteSpan bytes, const UpdateVisitor& visitor) {
    ProtoReader set(bytes);
    WireField field;
    while (set.next(field)) {
        if (!field.is(1, WireType::Length)) {
            continue;
        }
        ProtoReader strings(field.bytes);
        WireField pair;
        while (strings.next(pair)) {
            if (!pair.is(1, WireType::Length)) {
                continue;
            }
            std::string_view tag;
            bool is_removed = false;
            ProtoReader inner(pair.bytes);
            WireField one;
            while (inner.next(one)) {
                if (one.is(1, WireType::Length)) {
                    tag = one.as_text();
                } else if (one.is(2, WireType::Varint)) {
                    is_removed = one.raw == 2;
                }
            }
            visitor.tag(path, tag, is_removed);
        }
    }
}

}  // namespace

std::optional<RunCreated> decode_create(ByteSpan bytes) {
    RunCreated run;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.is(3, WireType::Length)) {
            run.time_ns = time_of(field.bytes);
        } else if (field.is(4, WireType::Length)) {
            run.family = repair_utf8(field.as_text());
        } else if (field.is(5, WireType::Length)) {
            run.experiment = repair_utf8(field.as_text());
        }
    }
    return reader.ok() ? std::optional(std::move(run)) : std::nullopt;
}

std::optional<UpdateHead> decode_head(ByteSpan bytes) {
    UpdateHead head;
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.is(1, WireType::Length)) {
            head.step = step_of(field.bytes);
        } else if (field.is(2, WireType::Length)) {
            head.time_ns = time_of(field.bytes);
        }
    }
    return reader.ok() ? std::optional(head) : std::nullopt;
}

void decode_entries(ByteSpan bytes, const UpdateVisitor& visitor) {
    ProtoReader reader(bytes);
    WireField field;
    while (reader.next(field)) {
        if (field.is(4, WireType::Length) || field.is(8, WireType::Length)) {
            const auto [path, value] = entry_of(field.bytes);
            (field.number == 4 ? visitor.assign : visitor.append)(path, value_of(value));
        } else if (field.is(5, WireType::Length)) {
            const auto [path, value] = entry_of(field.bytes);
            decode_tags(path, value, visitor);
        }
    }
}

}  // namespace taffrail::formats::neptune
