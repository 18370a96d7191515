#include "zones/open_block.h"

#include "base/clock.h"
#include "io/files.h"
#include "io/map_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace taffrail::zones {

namespace {

constexpr char kMagic[8] = {'T', 'Z', 'O', 'P', 'E', 'N', '1', '\n'};
constexpr std::size_t kNamesAt = 4096;
constexpr std::size_t kThreadsAt = kNamesAt + kNameBytes;
constexpr std::size_t kBlockBytes = kThreadsAt + sizeof(OpenThread) * kOpenThreads;
constexpr std::size_t kLongestNameInBlock = 512;

static_assert(sizeof(OpenHeader) <= kNamesAt);

template <typename Number>
Number number_at(ByteSpan bytes, std::size_t offset) {
    Number value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

// Names as they were added: u32 site, u32 length, the bytes, padded to 4.
std::map<std::uint32_t, std::string> read_names(ByteSpan bytes, std::size_t used) {
    std::map<std::uint32_t, std::string> names;
    std::size_t at = 0;
    const std::size_t end = std::min<std::size_t>(used, kNameBytes);
    while (at + 8 <= end) {
        const auto site = number_at<std::uint32_t>(bytes, kNamesAt + at);
        const auto length = number_at<std::uint32_t>(bytes, kNamesAt + at + 4);
        if (length > kLongestNameInBlock || at + 8 + length > end) {
            break;
        }
        const auto* text = reinterpret_cast<const char*>(bytes.data() + kNamesAt + at + 8);
        names.emplace(site, std::string(text, length));
        at += 8 + (length + 3) / 4 * 4;
    }
    return names;
}

}  // namespace

Result<std::unique_ptr<OpenBlock>> OpenBlock::create(const std::string& path) {
    std::unique_ptr<OpenBlock> block(new OpenBlock);
    block->path_ = path;
    auto file = io::open(path, io::OpenMode::Truncate);
    if (!file.ok()) {
        return std::move(file).error();
    }
    block->file_ = *std::move(file);
    // Real blocks: a full disk must not kill the thread that enters a zone.
    if (auto reserved = block->file_->allocate(kBlockBytes); !reserved.ok()) {
        return std::move(reserved).error();
    }
    auto mapping = block->file_->map(kBlockBytes, io::MapAccess::ReadWrite);
    if (!mapping.ok()) {
        return std::move(mapping).error();
    }
    block->mapping_ = *std::move(mapping);
    const TickClock clock = make_tick_clock();
    OpenHeader& header = block->header();
    header.version = 1;
    header.process_id = static_cast<std::uint32_t>(::getpid());
    header.ns_per_tick = clock.ns_per_tick;
    header.anchor_ticks = clock.anchor_ticks;
    header.anchor_wall_ns = clock.anchor_wall_ns;
    header.now_ticks.store(clock.anchor_ticks, std::memory_order_relaxed);
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    return block;
}

OpenBlock::~OpenBlock() {
    if (ours_ && file_) {
        remove_file();
    }
}

void OpenBlock::remove_file() noexcept {
    try {
        static_cast<void>(io::remove(path_));
    } catch (...) {
        // It stays, and tells of nothing: its threads have no open zones.
    }
}

bool OpenBlock::move_to_place_of(OpenBlock& earlier) noexcept {
    if (!io::move_pages(mapping_, earlier.mapping_)) {
        return false;
    }
    mapping_ = std::move(earlier.mapping_);
    return true;
}

void OpenBlock::abandon() noexcept {
    ours_ = false;
    mapping_.abandon();
}

OpenHeader& OpenBlock::header() noexcept {
    return *reinterpret_cast<OpenHeader*>(mapping_.data());
}

OpenThread* OpenBlock::take_thread() noexcept {
    auto* threads = reinterpret_cast<OpenThread*>(mapping_.data() + kThreadsAt);
    for (std::uint32_t index = 0; index < kOpenThreads; ++index) {
        if (threads[index].thread_id.load(std::memory_order_relaxed) == 0) {
            threads[index].thread_id.store(-1, std::memory_order_relaxed);
            return &threads[index];
        }
    }
    header().threads_left_out.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
}

void OpenBlock::give_thread(OpenThread* thread) noexcept {
    thread->depth.store(0, std::memory_order_relaxed);
    thread->thread_id.store(0, std::memory_order_relaxed);
}

void OpenBlock::add_name(std::uint32_t site, std::string_view name) noexcept {
    name = name.substr(0, kLongestNameInBlock);
    const std::uint32_t at = header().name_bytes.load(std::memory_order_relaxed);
    const auto length = static_cast<std::uint32_t>(name.size());
    const std::uint32_t bytes = 8 + (length + 3) / 4 * 4;
    if (at + bytes > kNameBytes) {
        return;
    }
    std::byte* to = mapping_.data() + kNamesAt + at;
    std::memcpy(to, &site, 4);
    std::memcpy(to + 4, &length, 4);
    std::memcpy(to + 8, name.data(), length);
    header().name_bytes.store(at + bytes, std::memory_order_release);
}

Result<OpenZones> parse_open_zones(ByteSpan bytes, const std::string& path) {
    if (bytes.size() < kBlockBytes || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0 ||
        number_at<std::uint32_t>(bytes, offsetof(OpenHeader, version)) != 1) {
        return Error{ErrorCode::Corrupt, "'" + path +
                                             "' is no block of open zones of this version: it is "
                                             "shorter or begins otherwise. It holds nothing but "
                                             "what was open when its process died; delete it if "
                                             "that does not matter"};
    }
    OpenZones found;
    found.process_id = number_at<std::uint32_t>(bytes, offsetof(OpenHeader, process_id));
    found.step = number_at<std::int64_t>(bytes, offsetof(OpenHeader, step));
    found.steps = number_at<std::uint64_t>(bytes, offsetof(OpenHeader, steps));
    TickClock clock;
    clock.ns_per_tick = number_at<double>(bytes, offsetof(OpenHeader, ns_per_tick));
    clock.anchor_ticks = number_at<std::uint64_t>(bytes, offsetof(OpenHeader, anchor_ticks));
    clock.anchor_wall_ns = number_at<std::int64_t>(bytes, offsetof(OpenHeader, anchor_wall_ns));
    const auto names =
        read_names(bytes, number_at<std::uint32_t>(bytes, offsetof(OpenHeader, name_bytes)));
    for (std::uint32_t index = 0; index < kOpenThreads; ++index) {
        const std::size_t at = kThreadsAt + index * sizeof(OpenThread);
        const auto thread_id = number_at<std::int64_t>(bytes, at);
        const auto depth = number_at<std::uint32_t>(bytes, at + offsetof(OpenThread, depth));
        if (thread_id == 0) {
            continue;
        }
        const auto* text =
            reinterpret_cast<const char*>(bytes.data() + at + offsetof(OpenThread, name));
        const std::string thread_name(text, ::strnlen(text, sizeof(OpenThread::name)));
        for (std::uint32_t level = 0; level < std::min(depth, kOpenDepth); ++level) {
            const std::size_t entry =
                at + offsetof(OpenThread, entries) + level * sizeof(OpenThread::Entry);
            const auto site = number_at<std::uint32_t>(bytes, entry + 8);
            const auto name = names.find(site);
            found.zones.push_back({thread_id, thread_name,
                                   name != names.end() ? name->second : "(unknown)", level,
                                   clock.to_wall_ns(number_at<std::uint64_t>(bytes, entry))});
        }
    }
    return found;
}

Result<OpenZones> read_open_zones(const std::string& path) {
    auto info = io::stat(path);
    if (!info.ok()) {
        return std::move(info).error();
    }
    if (info->size > 2 * kBlockBytes) {  // before its bytes take memory
        return parse_open_zones({}, path);
    }
    auto bytes = io::read_file(path);
    if (!bytes.ok()) {
        return std::move(bytes).error();
    }
    return parse_open_zones(*bytes, path);
}

}  // namespace taffrail::zones
