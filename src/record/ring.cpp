#include "record/ring.h"

#include "base/crc32c.h"
#include "base/names.h"
#include "base/try.h"
#include "io/files.h"
#include "io/map_memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace taffrail::record {
namespace {

// Pages are made ready in steps of this size: a short run should not dirty a whole ring.
constexpr std::uint64_t kPrefaultBytes = 256 << 10;

constexpr std::size_t kCrcFrom = offsetof(RingHeader, crc) + sizeof(std::uint32_t);

std::uint32_t header_crc(const RingHeader& header) noexcept {
    return crc32c(
        {reinterpret_cast<const std::byte*>(&header) + kCrcFrom, sizeof header - kCrcFrom});
}

// In words: a power of two.
std::uint64_t capacity_for(std::uint64_t bytes) noexcept {
    return std::bit_ceil(std::max<std::uint64_t>(bytes, kMinRingBytes)) / 8;
}

void copy_text(std::span<char> to, std::string_view from) noexcept {
    std::copy_n(from.begin(), std::min(from.size(), to.size() - 1), to.begin());
}

}  // namespace

Ring::Ring(std::unique_ptr<io::File> file, io::Mapping mapping, std::uint64_t capacity,
           const WriterIdentity& identity, std::uint32_t number, std::uint32_t producer,
           std::uint32_t generation)
    : file_(std::move(file)),
      mapping_(std::move(mapping)),
      capacity_(capacity),
      number_(number),
      prefaulted_(kPrefaultBytes - kRingDataOffset) {
    mapping_.populate(0, kPrefaultBytes);
    RingHeader header{};
    std::memcpy(header.magic, kRingMagic, sizeof header.magic);
    header.version = 1;
    header.writer = identity.writer;
    header.ring_number = number;
    header.producer = producer;
    header.generation = generation;
    header.capacity_words = capacity;
    if (file_ != nullptr) {
        if (const auto info = file_->info(); info.ok()) {
            header.inode_part = inode_part(info->inode);
        }
    }
    copy_text(header.run_id, identity.run_id);
    copy_text(header.boot_id, identity.boot_id);
    header.crc = header_crc(header);
    std::memcpy(mapping_.data(), &header, sizeof header);
    auto* state = new (mapping_.data() + kRingStateOffset) RingState{};
    for (auto& slot : state->contexts) {
        slot.context = Context{};
    }
}

Result<std::unique_ptr<Ring>> Ring::create(const std::string& folder,
                                           const WriterIdentity& identity, std::uint32_t number,
                                           std::uint32_t producer, std::uint32_t generation,
                                           std::uint64_t bytes) {
    const std::uint64_t capacity = capacity_for(bytes);
    const std::string path =
        io::join(folder, writer_name(identity.writer) + '-' + std::to_string(number) + ".ring");
    TAFFRAIL_ASSIGN(auto file, io::open(path, io::OpenMode::CreateExclusive));
    const auto discard = [&](Error error) {
        file.reset();
        (void)io::remove(path);
        return error;
    };
    const std::uint64_t size = kRingDataOffset + capacity * 8;
    if (auto done = file->allocate(size); !done.ok()) {
        return discard(done.error());
    }
    auto mapping = file->map(static_cast<std::size_t>(size), io::MapAccess::ReadWrite);
    if (!mapping.ok()) {
        return discard(mapping.error());
    }
    return std::unique_ptr<Ring>(new Ring(std::move(file), *std::move(mapping), capacity, identity,
                                          number, producer, generation));
}

Result<std::unique_ptr<Ring>> Ring::create_in_memory(const WriterIdentity& identity,
                                                     std::uint32_t number, std::uint32_t producer,
                                                     std::uint32_t generation,
                                                     std::uint64_t bytes) {
    const std::uint64_t capacity = capacity_for(bytes);
    TAFFRAIL_ASSIGN(auto mapping, io::map_memory(kRingDataOffset + capacity * 8));
    return std::unique_ptr<Ring>(
        new Ring(nullptr, std::move(mapping), capacity, identity, number, producer, generation));
}

void Ring::prefault(std::uint64_t head) noexcept {
    if (prefaulted_ >= bytes() || head * 8 + kPrefaultBytes / 2 < prefaulted_) {
        return;
    }
    const std::uint64_t until = std::min(bytes(), (head * 8 / 4096 * 4096) + kPrefaultBytes);
    if (until > prefaulted_) {
        mapping_.populate(kRingDataOffset + prefaulted_, until - prefaulted_);
        prefaulted_ = until;
    }
}

void Ring::hand_back(std::uint64_t from, std::uint64_t to) noexcept {
#ifdef __x86_64__
    static const bool can_evict = __builtin_cpu_supports("clflushopt") != 0;
    if (!can_evict) {
        return;
    }
    constexpr std::uint64_t kWordsOfLine = 8;
    for (std::uint64_t word = from / kWordsOfLine * kWordsOfLine; word + kWordsOfLine <= to;
         word += kWordsOfLine) {
        asm volatile("clflushopt %0" : "+m"(words()[word & (capacity_ - 1)]));
    }
#else
    (void)from, (void)to;
#endif
}

void Ring::remove() noexcept {
    if (file_ != nullptr) {
        (void)io::remove(file_->path());
    }
}

void Ring::retire() noexcept {
    remove();
    mapping_.abandon();
    file_.reset();
}

Result<RingHeader> check_ring_header(ByteSpan bytes, const std::string& path) {
    if (bytes.size() < kRingDataOffset) {
        return Error{ErrorCode::Corrupt, path + " is too short for a ring file"};
    }
    const auto header = load<RingHeader>(bytes.data());
    if (std::memcmp(header.magic, kRingMagic, sizeof header.magic) != 0) {
        return Error{ErrorCode::Corrupt, path + " is not a ring file of Taffrail"};
    }
    if (header.version != 1) {
        return Error{ErrorCode::Unsupported,
                     path + " was written by a newer Taffrail (ring version " +
                         std::to_string(header.version) + "); use that one"};
    }
    if (header.crc != header_crc(header) || !std::has_single_bit(header.capacity_words) ||
        bytes.size() < kRingDataOffset + header.capacity_words * 8) {
        return Error{ErrorCode::Corrupt, "the header of " + path + " is damaged"};
    }
    return header;
}

}  // namespace taffrail::record
