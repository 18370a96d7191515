#include "sources/tensorboard/repair.h"

#include "base/try.h"
#include "codec/formats/tensorboard/event.h"
#include "io/files.h"
#include "io/inside.h"
#include "sources/tensorboard/discovery.h"
#include "sources/tensorboard/record_stream.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace taffrail::sources::tensorboard {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{4} << 20;
constexpr int kMaxRepairDepth = 64;

bool is_readable(const EventView& event) {
    return event.content != EventContent::Summary ||
           for_each_value(event.body, [](const ValueView&, ByteSpan) {});
}

/// The same event at another time. Of a field given twice the last one counts, so it is appended.
Bytes at_time(ByteSpan payload, double wall_time) {
    Bytes event(payload.begin(), payload.end());
    ProtoWriter(event).fixed64(event::kWallTime, wall_time);
    return event;
}

class Copy {
  public:
    Repaired report;

    Result<void> folder(const std::string& from, const std::string& to, int depth) {
        TAFFRAIL_ASSIGN(const auto entries, io::list(from));
        TAFFRAIL_TRY(io::make_directories(to));
        for (const io::DirectoryEntry& entry : entries) {
            const std::string source = io::join(from, entry.name);
            const std::string target = io::join(to, entry.name);
            const auto info = io::stat(source);
            if (!info.ok()) {
                continue;  // a symbolic link to nowhere
            }
            if (info->type == io::EntryType::Directory) {
                // Linked runs belong to a logdir, any other folder that a link leads to does not.
                if (io::is_link(source) && !holds_event_files(source)) {
                    continue;
                }
                if (depth < kMaxRepairDepth && visited_.emplace(info->device, info->inode).second) {
                    TAFFRAIL_TRY(folder(source, target, depth + 1));
                }
            } else if (io::exists_inside(from, source)) {  // no pipe, no link out of its folder
                TAFFRAIL_TRY(is_event_file(entry.name) ? events(source, target, info->size)
                                                       : as_it_is(source, target));
            }
        }
        return {};
    }

  private:
    Result<void> events(const std::string& from, const std::string& to, std::uint64_t size) {
        TAFFRAIL_ASSIGN(const auto source, io::open_inside(io::parent(from), from));
        TAFFRAIL_ASSIGN(const auto target, io::open(to, io::OpenMode::CreateExclusive));
        RecordStream stream(*source, 0, size, size, false, buffer_);
        ByteSpan payload;
        Bytes pending;
        std::uint64_t kept = 0;
        double last_time = 0;
        while (stream.next(payload)) {
            EventView event;
            if (!parse_event(payload, event) || !is_readable(event)) {
                continue;
            }
            kept += payload.size() + kFrameBytes;
            ++report.records;
            if (std::isfinite(event.wall_time)) {
                last_time = event.wall_time;
                append_record(pending, payload);
            } else {
                ++report.retimed_records;
                append_record(pending, at_time(payload, last_time));
            }
            if (pending.size() >= kWriteBytes) {
                TAFFRAIL_TRY(target->append(pending));
                pending.clear();
            }
        }
        if (!stream.error().empty()) {
            return Error{ErrorCode::Io, stream.error()};
        }
        ++report.event_files;
        report.left_out_bytes += size - std::min(size, kept);
        return target->append(pending);
    }

    Result<void> as_it_is(const std::string& from, const std::string& to) {
        ++report.other_files;
        TAFFRAIL_ASSIGN(const auto source, io::open_inside(io::parent(from), from));
        TAFFRAIL_ASSIGN(const auto target, io::open(to, io::OpenMode::CreateExclusive));
        buffer_.resize(kWriteBytes);
        for (std::uint64_t offset = 0;;) {
            TAFFRAIL_ASSIGN(const std::size_t read, source->read_at(offset, buffer_));
            TAFFRAIL_TRY(target->append(ByteSpan(buffer_).first(read)));
            offset += read;
            if (read < buffer_.size()) {
                return {};
            }
        }
    }

    Bytes buffer_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> visited_;
};

/// True when `outer` is the folder `inner` or one above it, whatever their paths look like.
Result<bool> lies_inside(std::string inner, const std::string& outer) {
    TAFFRAIL_ASSIGN(const io::FileInfo wanted, io::stat(outer));
    const auto same = [](const io::FileInfo& a, const io::FileInfo& b) {
        return a.device == b.device && a.inode == b.inode;
    };
    TAFFRAIL_ASSIGN(io::FileInfo here, io::stat(inner));
    while (!same(here, wanted)) {
        inner = io::join(inner, "..");
        TAFFRAIL_ASSIGN(const io::FileInfo above, io::stat(inner));
        if (same(above, here)) {
            return false;
        }
        here = above;
    }
    return true;
}

}  // namespace

Result<Repaired> repair_logdir(const std::string& from, const std::string& to) {
    if (!holds_event_files(from)) {
        return Error{ErrorCode::NotFound, "no event files below " + from + " to repair"};
    }
    if (const auto there = io::list(to); there.ok() && !there->empty()) {
        return Error{ErrorCode::AlreadyExists,
                     to + " is not empty; name a new folder for the repaired copy"};
    }
    TAFFRAIL_TRY(io::make_directories(to));
    TAFFRAIL_ASSIGN(const bool inside, lies_inside(to, from));
    if (inside) {
        return Error{ErrorCode::InvalidArgument,
                     to + " lies inside " + from + "; name a folder outside of it for the copy"};
    }
    Copy copy;
    TAFFRAIL_TRY(copy.folder(from, to, 0));
    return copy.report;
}

}  // namespace taffrail::sources::tensorboard
