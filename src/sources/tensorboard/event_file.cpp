#include "sources/tensorboard/event_file.h"

#include "io/files.h"
#include "io/inside.h"

#include <algorithm>
#include <array>

namespace taffrail::sources::tensorboard {
namespace {

constexpr std::size_t kHeadBytes = 256;
constexpr std::size_t kKeptBufferBytes = std::size_t{4} << 20;

std::uint32_t head_crc_of(io::File& file, std::uint64_t bytes) {
    std::array<std::byte, kHeadBytes> head{};
    const auto read = file.read_at(0, std::span(head).first(static_cast<std::size_t>(bytes)));
    return read.ok() ? crc32c({head.data(), *read}) : 0;
}

}  // namespace

RangeResult read_range(io::File& file, std::uint64_t begin, std::uint64_t end, std::uint64_t size,
                       bool synchronise, std::uint32_t file_number, const RunPart* declared) {
    // One window a thread, kept between files: pages already touched are cheaper than fresh ones.
    thread_local Bytes buffer;
    RangeResult result;
    if (declared != nullptr) {
        result.part.declare(*declared);
    }
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
    if (begin == 0) {
        result.head_bytes = std::min<std::uint64_t>(result.position, kHeadBytes);
        result.head_crc = head_crc_of(file, result.head_bytes);
    }
    if (buffer.size() > kKeptBufferBytes) {
        buffer = {};
    }
    return result;
}

Change look_again(EventFile& event_file) {
    const auto info = io::stat_inside(io::parent(event_file.path), event_file.path);
    if (!info.ok()) {
        event_file.error = info.error().message;
        return info.error().code == ErrorCode::NotFound ? Change::Gone : Change::None;
    }
    const bool same_file = info->inode == event_file.inode && info->device == event_file.device;
    if (same_file && info->size == event_file.size && info->modified_ns == event_file.modified_ns) {
        return Change::None;
    }
    event_file.size = info->size;
    event_file.device = info->device;
    event_file.inode = info->inode;
    event_file.modified_ns = info->modified_ns;
    if (info->size < event_file.position) {
        return Change::Replaced;
    }
    if (event_file.head_bytes > 0) {
        // Another inode with the same beginning is a copy that was renamed over it (rsync): reading
        // goes on.
        const auto file = io::open_inside(io::parent(event_file.path), event_file.path);
        if (file.ok() && head_crc_of(**file, event_file.head_bytes) != event_file.head_crc) {
            return Change::Replaced;
        }
    }
    return Change::Grown;
}

}  // namespace taffrail::sources::tensorboard
