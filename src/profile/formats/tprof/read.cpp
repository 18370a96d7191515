#include "base/crc32c.h"
#include "profile/formats/tprof/frames.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <unordered_map>

namespace taffrail::profile {

namespace tprof {

namespace {

// The payload of the frame at the beginning, when it is whole and good.
bool good_frame(ByteSpan bytes, std::uint8_t& type, ByteSpan& payload) noexcept {
    if (bytes.size() < kFrameHeaderBytes || load<std::uint32_t>(bytes.data()) != kMagic) {
        return false;
    }
    const auto length = load<std::uint32_t>(bytes.data() + 12);
    if (length > kMaxPayloadBytes || bytes.size() - kFrameHeaderBytes < length) {
        return false;
    }
    if (crc32c(bytes.subspan(8, 8 + length)) != load<std::uint32_t>(bytes.data() + 4)) {
        return false;
    }
    type = load<std::uint8_t>(bytes.data() + 8);
    payload = bytes.subspan(kFrameHeaderBytes, length);
    return true;
}

std::size_t next_magic(ByteSpan bytes, std::size_t from) noexcept {
    static constexpr std::array<char, 4> kLetters = {'T', 'P', 'F', '1'};
    const std::string_view text = as_text(bytes);
    const std::size_t found = text.find(std::string_view(kLetters.data(), 4), from);
    return found == std::string_view::npos ? bytes.size() : found;
}

}  // namespace

Check walk(ByteSpan bytes, const std::function<void(std::uint8_t, ByteSpan, std::uint64_t)>& each) {
    Check found;
    // A length that lies could have every later magic checked against the rest of the file: what
    // damaged bytes may cost is bounded by a few times their file.
    std::uint64_t effort = 16 * bytes.size() + (1u << 20);
    std::size_t at = 0;
    while (at < bytes.size()) {
        std::uint8_t type = 0;
        ByteSpan payload;
        if (good_frame(bytes.subspan(at), type, payload)) {
            if (at > found.good_bytes) {
                found.damaged.push_back({found.good_bytes, at - found.good_bytes});
            }
            each(type, payload, at);
            ++found.frames;
            found.ended = type == static_cast<std::uint8_t>(FrameType::End);
            at += kFrameHeaderBytes + payload.size();
            found.good_bytes = at;
            continue;
        }
        const std::size_t next = next_magic(bytes, at + 1);
        std::uint64_t cost = next - at;
        if (bytes.size() - at >= kFrameHeaderBytes) {
            const auto length = load<std::uint32_t>(bytes.data() + at + 12);
            cost += length <= bytes.size() - at - kFrameHeaderBytes ? length : 0;
        }
        if (cost > effort) {
            break;
        }
        effort -= cost;
        at = next;
    }
    found.pending_bytes = bytes.size() - found.good_bytes;
    return found;
}

Check check(ByteSpan bytes) {
    return walk(bytes, [](std::uint8_t, ByteSpan, std::uint64_t) {});
}

}  // namespace tprof

namespace {

using tprof::FrameType;

constexpr std::string_view kBadFrame = "a frame whose checksum fits and whose content does not";

class TprofReader {
  public:
    explicit TprofReader(Profile& profile) : profile_(profile) {}

    void frame(std::uint8_t type, ByteSpan payload, std::uint64_t at) {
        ByteCursor cursor(payload);
        switch (static_cast<FrameType>(type)) {
            case FrameType::Header:
                header(cursor);
                break;
            case FrameType::Sites:
                sites(cursor);
                break;
            case FrameType::Table:
                table_ = payload;  // each says everything: the last one counts
                table_at_ = at;
                break;
            case FrameType::Zones:
                zones(cursor);
                break;
            case FrameType::Steps:
                steps(cursor);
                break;
            case FrameType::Loss:
                lost_ += cursor.varint();
                break;
            case FrameType::Threads:
            case FrameType::End:
            default:
                break;  // of a later version
        }
        if (!cursor.ok()) {
            profile_.notes.add(kBadFrame, at);
        }
    }

    void finish() {
        if (!table_.empty()) {
            ByteCursor cursor(table_);
            table(cursor);
            if (!cursor.ok()) {
                profile_.notes.add(kBadFrame, table_at_);
            }
        }
        if (lost_ > 0) {
            profile_.notes.add("zones that were not kept one by one", 0, lost_);
        }
    }

  private:
    void header(ByteCursor& cursor) {
        const std::string_view writer = cursor.text();
        process_id_ = static_cast<std::int64_t>(cursor.varint());
        static_cast<void>(cursor.zigzag());
        const std::string_view program = cursor.text();
        if (cursor.ok()) {
            profile_.name = program.empty() ? writer : program;
            profile_.processes[process()].name = profile_.text(profile_.name);
        }
    }

    ProcessId process() { return profile_.process(process_id_); }

    void sites(ByteCursor& cursor) {
        for (std::uint64_t left = cursor.varint(); left > 0 && cursor.ok(); --left) {
            const std::uint64_t id = cursor.varint();
            const std::string_view name = cursor.text();
            static_cast<void>(cursor.text());
            static_cast<void>(cursor.varint());
            if (cursor.ok()) {
                sites_[id] = profile_.text(name);
            }
        }
    }

    void zones(ByteCursor& cursor) {
        const ThreadId thread =
            profile_.thread(process(), static_cast<std::int64_t>(cursor.varint()));
        const std::uint64_t count = cursor.varint();
        std::uint64_t begin = 0;
        for (std::uint64_t left = count; left > 0; --left) {
            begin += static_cast<std::uint64_t>(cursor.zigzag());  // wraps around in a bad file
            const std::uint64_t duration = cursor.varint();
            const std::uint64_t site = cursor.varint();
            if (!cursor.ok()) {
                return;
            }
            const auto name = sites_.find(site);
            Span span;
            span.begin_ns = static_cast<std::int64_t>(begin);
            span.duration_ns =
                static_cast<std::int64_t>(std::min<std::uint64_t>(duration, INT64_MAX / 4));
            span.name = name == sites_.end() ? profile_.text("(unknown)") : name->second;
            span.category = profile_.text("zone");
            span.thread = thread;
            profile_.spans.push_back(span);
        }
    }

    void steps(ByteCursor& cursor) {
        std::uint64_t time = 0;
        for (std::uint64_t left = cursor.varint(); left > 0; --left) {
            const std::int64_t step = cursor.zigzag();
            time += static_cast<std::uint64_t>(cursor.zigzag());
            if (!cursor.ok()) {
                return;
            }
            Instant instant;
            instant.time_ns = static_cast<std::int64_t>(time);
            instant.name = profile_.text("step " + std::to_string(step));
            instant.category = profile_.text("step");
            instant.thread = profile_.thread(process(), process_id_);
            instant.scope = InstantScope::Process;
            profile_.instants.push_back(instant);
        }
    }

    void table(ByteCursor& cursor) {
        static_cast<void>(cursor.zigzag());
        static_cast<void>(cursor.varint());
        std::vector<FrameId> frames;
        for (std::uint64_t left = cursor.varint(); left > 0 && cursor.ok(); --left) {
            const std::string_view name = cursor.text();
            const std::string_view file = cursor.text();
            const std::uint64_t line = cursor.varint();
            if (cursor.ok()) {
                frames.push_back(profile_.frame(name, file, static_cast<std::uint32_t>(line)));
            }
        }

        struct Row {
            NodeId node = kRoot;
            std::uint64_t calls = 0;
            double self = 0;
        };

        std::vector<Row> rows(1);
        for (std::uint64_t left = cursor.varint(); left > 0; --left) {
            const std::uint64_t parent = cursor.varint();
            const std::uint64_t place = cursor.varint();
            static_cast<void>(cursor.read<std::uint8_t>());
            const std::uint64_t calls = cursor.varint();
            const std::uint64_t total = cursor.varint();
            for (int other = 0; other < 4; ++other) {
                static_cast<void>(cursor.varint());
            }
            if (!cursor.ok() || parent >= rows.size() || place >= frames.size()) {
                cursor.fail();
                break;
            }
            const auto weight = static_cast<double>(total);
            rows[parent].self -= weight;
            rows.push_back({profile_.tree.child(rows[parent].node, frames[place]), calls, weight});
        }
        const std::size_t calls = profile_.value_type("calls", "count");
        const std::size_t time = profile_.value_type("time", "nanoseconds");
        std::vector<double> values(profile_.value_types.size());
        const ThreadId thread = profile_.thread(process(), process_id_);
        for (std::size_t index = 1; index < rows.size(); ++index) {
            values[calls] = static_cast<double>(rows[index].calls);
            values[time] = std::max(rows[index].self, 0.0);
            profile_.add_sample({.node = rows[index].node, .thread = thread}, values);
        }
    }

    Profile& profile_;
    std::int64_t process_id_ = 0;
    std::unordered_map<std::uint64_t, TextId> sites_;
    ByteSpan table_;
    std::uint64_t table_at_ = 0, lost_ = 0;
};

}  // namespace

bool is_tprof(ByteSpan bytes) {
    return bytes.size() >= tprof::kFrameHeaderBytes &&
           load<std::uint32_t>(bytes.data()) == tprof::kMagic;
}

Result<void> read_tprof(ByteSpan bytes, Profile& profile) {
    TprofReader reader(profile);
    const tprof::Check found =
        tprof::walk(bytes, [&](std::uint8_t type, ByteSpan payload, std::uint64_t at) {
            reader.frame(type, payload, at);
        });
    if (found.frames == 0) {
        return Error{ErrorCode::Corrupt,
                     "no whole frame of a .tprof file: it is of another format, or was cut off "
                     "in its first frame"};
    }
    reader.finish();
    for (const tprof::DamagedRange& range : found.damaged) {
        profile.notes.add("bytes that are no frame", range.offset);
    }
    if (found.pending_bytes > 0) {
        profile.notes.add("the last frame is not whole: its process died, or goes on",
                          found.good_bytes);
    }
    return {};
}

}  // namespace taffrail::profile
