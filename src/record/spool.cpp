#include "record/spool.h"

#include "base/crc32c.h"
#include "base/names.h"
#include "base/try.h"
#include "io/files.h"

namespace taffrail::record {
namespace {

constexpr std::uint32_t kSpoolMagic = 0x314C5053;  // "SPL1"
constexpr std::uint64_t kRollBytes = 64 << 20;

// In front of each payload. The first four fields are written by the log call, the rest by the
// collector.
struct EntryHeader {
    std::uint32_t magic = kSpoolMagic;
    std::uint32_t payload_crc = 0;
    std::uint64_t length = 0;
    std::uint64_t seq = 0;  // 0 = not resolved
    std::uint32_t key = 0;
    std::uint32_t route = 0;
    std::int64_t step = 0;
    std::int64_t time_ns = 0;
    double epoch = 0;
    std::int64_t samples = 0;
    std::uint8_t phase = 0;
    std::uint8_t kind = 0;
    std::uint8_t reserved[2] = {};
    std::uint32_t axes_crc = 0;  // of the bytes from `seq` up to here
};

static_assert(sizeof(EntryHeader) == 72);
constexpr std::size_t kAxesFrom = offsetof(EntryHeader, seq);
constexpr std::size_t kAxesTo = offsetof(EntryHeader, axes_crc);

std::uint32_t axes_crc(const EntryHeader& header) noexcept {
    return crc32c({reinterpret_cast<const std::byte*>(&header) + kAxesFrom, kAxesTo - kAxesFrom});
}

}  // namespace

std::string Spool::path(const std::string& folder, std::uint64_t writer, std::uint32_t file) {
    return io::join(folder, writer_name(writer) + '-' + std::to_string(file) + ".spool");
}

Result<std::shared_ptr<Spool::Part>> Spool::part(std::uint32_t file) {
    const std::lock_guard guard(mutex_);
    const auto found = parts_.find(file);
    if (found == parts_.end()) {
        return Error{ErrorCode::Internal, "spool file " + std::to_string(file) + " is gone"};
    }
    return found->second;
}

Result<SpoolPlace> Spool::write(std::span<const ByteSpan> parts) {
    EntryHeader header;
    for (ByteSpan bytes : parts) {
        header.payload_crc = crc32c(bytes, header.payload_crc);
        header.length += bytes.size();
    }
    const std::uint64_t size = sizeof header + (header.length + 7) / 8 * 8;
    std::shared_ptr<Part> target;
    SpoolPlace place;
    {
        const std::lock_guard guard(mutex_);
        if (current_ == 0 || parts_[current_]->end >= kRollBytes) {
            auto fresh = std::make_shared<Part>();
            TAFFRAIL_ASSIGN(fresh->file, io::open(path(folder_, writer_, current_ + 1),
                                                  io::OpenMode::CreateExclusive));
            parts_[++current_] = std::move(fresh);
        }
        target = parts_[current_];
        place = {current_, target->end, header.length};
        target->end += size;
        ++target->open_entries;
    }
    std::vector<ByteSpan> all{{reinterpret_cast<const std::byte*>(&header), sizeof header}};
    all.insert(all.end(), parts.begin(), parts.end());
    if (auto written = target->file->write_at(place.offset, all); !written.ok()) {
        {
            // Else a full disk, tried again and again, fills the folder with empty files.
            const std::lock_guard guard(mutex_);
            if (target->end == place.offset + size) {
                target->end = place.offset;
            }
        }
        done(place.file);
        return written.error();
    }
    return place;
}

Result<void> Spool::resolve(const SpooledValue& value) {
    TAFFRAIL_ASSIGN(const auto target, part(value.file));
    return resolve_spool_entry(*target->file, value);
}

Result<void> resolve_spool_entry(io::File& file, const SpooledValue& value) {
    EntryHeader header;
    header.seq = value.seq;
    header.key = value.key;
    header.route = value.route;
    header.step = value.step;
    header.time_ns = value.time_ns;
    header.epoch = value.context.epoch;
    header.samples = value.context.samples;
    header.phase = static_cast<std::uint8_t>(value.context.phase);
    header.kind = static_cast<std::uint8_t>(value.kind);
    header.axes_crc = axes_crc(header);
    return file.write_at(
        value.offset + kAxesFrom,
        {reinterpret_cast<const std::byte*>(&header) + kAxesFrom, sizeof header - kAxesFrom});
}

Result<Bytes> Spool::read(std::uint32_t file, std::uint64_t offset, std::uint64_t) {
    TAFFRAIL_ASSIGN(const auto from, part(file));
    SpooledValue value;
    value.offset = offset;
    return read_spool_entry(*from->file, value);
}

Result<Bytes> read_spool_entry(io::File& file, SpooledValue& value) {
    EntryHeader header;
    TAFFRAIL_ASSIGN(std::size_t got,
                    file.read_at(value.offset, std::as_writable_bytes(std::span(&header, 1))));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file.info());
    if (got != sizeof header || header.magic != kSpoolMagic || header.length > info.size) {
        return Error{ErrorCode::Corrupt,
                     file.path() + " holds no entry at offset " + std::to_string(value.offset)};
    }
    if (header.seq != 0 && header.axes_crc == axes_crc(header)) {
        value.seq = header.seq;
        value.key = header.key;
        value.route = header.route;
        value.step = header.step;
        value.time_ns = header.time_ns;
        value.context = {header.epoch, header.samples, header.phase};
        value.kind = static_cast<Kind>(header.kind);
    }
    value.length = header.length;
    Bytes payload(static_cast<std::size_t>(header.length));
    TAFFRAIL_ASSIGN(got, file.read_at(value.offset + sizeof header, payload));
    if (got != payload.size() || crc32c(payload) != header.payload_crc) {
        return Error{ErrorCode::Corrupt, "the entry at offset " + std::to_string(value.offset) +
                                             " of " + file.path() + " is damaged"};
    }
    return payload;
}

void Spool::done(std::uint32_t file) noexcept {
    const std::lock_guard guard(mutex_);
    const auto found = parts_.find(file);
    if (found == parts_.end() || --found->second->open_entries > 0 || found->first == current_) {
        return;
    }
    (void)io::remove(found->second->file->path());
    parts_.erase(found);
}

void Spool::remove_all() noexcept {
    const std::lock_guard guard(mutex_);
    for (const auto& [number, part] : parts_) {
        (void)io::remove(part->file->path());
    }
    parts_.clear();
    current_ = 0;
}

}  // namespace taffrail::record
