#include "gpu/records.h"

#include <cstring>

namespace taffrail::gpu {
namespace {

template <typename Field>
Field field(const unsigned char* record, std::size_t offset) noexcept {
    Field value;
    std::memcpy(&value, record + offset, sizeof value);
    return value;
}

std::int64_t time_at(const unsigned char* record, std::size_t offset) noexcept {
    return static_cast<std::int64_t>(field<std::uint64_t>(record, offset));
}

std::array<std::uint32_t, 3> three(const unsigned char* record, std::size_t offset) noexcept {
    return {field<std::uint32_t>(record, offset), field<std::uint32_t>(record, offset + 4),
            field<std::uint32_t>(record, offset + 8)};
}

void decode_kernel(const unsigned char* record, Records& to) {
    const char* name = field<const char*>(record, 104);
    to.work.push_back(
        {.begin_ns = time_at(record, 16),
         .end_ns = time_at(record, 24),
         .name = to.name(name == nullptr ? "" : name),
         .device = field<std::uint32_t>(record, 40),
         .context = field<std::uint32_t>(record, 44),
         .stream = field<std::uint32_t>(record, 48),
         .correlation = field<std::uint32_t>(record, 92),
         .grid = three(record, 52),
         .block = three(record, 64),
         .shared_memory = field<std::uint32_t>(record, 76) + field<std::uint32_t>(record, 80),
         .registers = field<std::uint16_t>(record, 6)});
}

void decode_copy(const unsigned char* record, WorkKind kind, Records& to) {
    DeviceWork work{.begin_ns = time_at(record, 16),
                    .end_ns = time_at(record, 24),
                    .bytes = field<std::uint64_t>(record, 8),
                    .device = field<std::uint32_t>(record, 32),
                    .context = field<std::uint32_t>(record, 36),
                    .stream = field<std::uint32_t>(record, 40),
                    .correlation = field<std::uint32_t>(record, 44),
                    .kind = kind};
    if (kind == WorkKind::Memcpy) {
        work.copy_kind = record[4];
        work.from_memory = record[5];
        work.to_memory = record[6];
    }
    to.work.push_back(work);
}

void decode_call(const unsigned char* record, bool is_driver, Records& to) {
    to.calls.push_back({.begin_ns = time_at(record, 8),
                        .end_ns = time_at(record, 16),
                        .process = field<std::uint32_t>(record, 24),
                        .thread = field<std::uint32_t>(record, 28),
                        .correlation = field<std::uint32_t>(record, 32),
                        .function = field<std::uint32_t>(record, 4),
                        .is_driver = is_driver});
}

void decode_marker(const unsigned char* record, Records& to) {
    const char* name = field<const char*>(record, 40);
    to.markers.push_back({.time_ns = time_at(record, 8),
                          .id = field<std::uint32_t>(record, 16),
                          .flags = field<std::uint32_t>(record, 4),
                          .thread = field<std::uint32_t>(record, 28),
                          .process = field<std::uint32_t>(record, 24),
                          .name = name == nullptr ? 0 : to.name(name)});
}

}  // namespace

std::uint32_t Records::name(std::string_view text) {
    const auto next = static_cast<std::uint32_t>(names.size());
    const auto [found, is_new] = known_names_.try_emplace(std::string(text), next);
    if (is_new) {
        names.emplace_back(text);
    }
    return found->second;
}

void decode(const unsigned char* record, Records& to) {
    switch (static_cast<RecordKind>(field<std::uint32_t>(record, 0))) {
        case RecordKind::ConcurrentKernel:
            decode_kernel(record, to);
            return;
        case RecordKind::Memcpy:
            decode_copy(record, WorkKind::Memcpy, to);
            return;
        case RecordKind::Memset:
            decode_copy(record, WorkKind::Memset, to);
            return;
        case RecordKind::Runtime:
            decode_call(record, false, to);
            return;
        case RecordKind::Driver:
            decode_call(record, true, to);
            return;
        case RecordKind::Marker:
            decode_marker(record, to);
            return;
        default:
            ++to.others;
    }
}

}  // namespace taffrail::gpu
