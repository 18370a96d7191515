#include "sources/tensorboard/event_file.h"

#include <algorithm>
#include <array>

#include "io/files.h"

namespace taffrail::tensorboard {
namespace {

constexpr std::size_t kHeadBytes = 256;
constexpr std::size_t kKeptBufferBytes = std::size_t{4} << 20;

std::uint32_t head_crc_of(io::File& file, std::uint64_t bytes) {
    std::array<std::byte, kHeadBytes> head{};
    const auto read = file.read_at(0, std::span(head).first(static_cast<std::size_t>(bytes)));
    return read.ok() ? crc32c({head.data(), *read}) : 0;
}

}  // namespace

RangeResult read_range(io::File& file, std::uint64_t begin, std::uint64_t end, std::uint64_t size, bool synchronise,
                       std::uint32_t file_number) {
    // One window a thread, kept between files: pages already touched are cheaper than fresh ones.
    thread_local Bytes buffer;
    RangeResult result;
    RecordStream stream(file, begin, end, size, synchronise, buffer);
    ByteSpan payload;
    while (stream.next(payload)) {
        if (!result.part.take(payload, stream.record_offset() + kHeaderBytes, file_number)) {
            stream.mark_unreadable("a record with a right checksum holds no event");
        }
    }
    result.first = stream.first_record();
    result.position = stream.position();
    result.tail = stream.tail();
    result.damage = stream.damage();
    result.error = stream.error();
    if (buffer.size() > kKeptBufferBytes) {
        buffer = {};
    }
    return result;
}

Result<void> note_identity(io::File& file, EventFile& event_file) {
    const auto info = file.info();
    if (!info.ok()) {
        return info.error();
    }
    event_file.size = info->size;
    event_file.device = info->device;
    event_file.inode = info->inode;
    event_file.modified_ns = info->modified_ns;
    return {};
}

Change look_again(const EventFile& event_file) {
    const auto info = io::stat(event_file.path);
    if (!info.ok()) {
        return info.error().code == ErrorCode::NotFound ? Change::Gone : Change::None;
    }
    const bool same_file = info->inode == event_file.inode && info->device == event_file.device;
    if (same_file && info->size == event_file.size && info->modified_ns == event_file.modified_ns) {
        return Change::None;
    }
    if (info->size < event_file.position || event_file.head_bytes == 0) {
        return info->size < event_file.position ? Change::Replaced : Change::Grown;
    }
    // Another inode with the same beginning is a copy that was renamed over it (rsync): reading goes on.
    const auto file = io::open(event_file.path, io::OpenMode::Read);
    if (!file.ok()) {
        return Change::None;
    }
    return head_crc_of(**file, event_file.head_bytes) == event_file.head_crc ? Change::Grown : Change::Replaced;
}

void note_head(io::File& file, EventFile& event_file) {
    event_file.head_bytes = std::min<std::uint64_t>(event_file.position, kHeadBytes);
    event_file.head_crc = head_crc_of(file, event_file.head_bytes);
}

}  // namespace taffrail::tensorboard
