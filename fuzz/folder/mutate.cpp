#include "mutate.h"

#include "chance.h"
#include "codec/tlog/frame.h"
#include "wire_mutate.h"

#include <algorithm>

namespace taffrail::fuzzing {
namespace {

void mutate_content(Part& part, Chance& chance) {
    switch (part.kind) {
        case PartKind::Frame:
            if (static_cast<tlog::FrameType>(part.number) == tlog::FrameType::Batch &&
                !chance.one_in(4)) {
                mutate_batch(part.content, chance);
            } else {
                mutate_sections(part.content, chance);
            }
            return;
        case PartKind::Index:
            mutate_index(part.content, chance);
            return;
        case PartKind::Footer:
            mutate_footer(part.content, chance);
            return;
        case PartKind::Record:
            mutate_message(part.content, chance);
            return;
        case PartKind::Page:
        case PartKind::Block:
        case PartKind::Bytes:
            chance.bytes(part.content, part.content.size() + 64);
            return;
    }
}

void mutate_numbers(Part& part, Chance& chance) {
    if (part.kind == PartKind::Page) {
        switch (chance.below(4)) {
            case 0:  // another encoding
                part.number = (part.number & ~std::uint64_t{0xff00}) | (chance.below(12) << 8);
                return;
            case 1: {  // another count of values
                auto values = static_cast<std::uint32_t>(part.number >> 16);
                chance.number(values);
                part.number = (part.number & 0xffff) | (std::uint64_t{values} << 16);
                return;
            }
            case 2:
                part.number ^= 1 + chance.below(2);
                return;
            default:  // a body larger than there is
                part.number ^= std::uint64_t{chance.below(65536)} << 48;
                return;
        }
    }
    chance.one_in(2) ? chance.number(part.number) : chance.number(part.second);
}

void rename(std::string& name, FolderDocument& folder, Chance& chance) {
    static constexpr std::string_view kNames[] = {"../outside",
                                                  "manifest-00002",
                                                  "manifest-99999",
                                                  "data/../../x",
                                                  "meta/x.tlog",
                                                  "notes",
                                                  "cursors/csv.sink",
                                                  "live/0.tlog",
                                                  "plugins/profile/r/h.xplane.pb",
                                                  "projector_config.pbtxt"};
    if (chance.one_in(2)) {
        name = std::string(kNames[chance.below(std::size(kNames))]);
    } else {
        name = chance.pick(folder.files).name;
    }
}

void mutate_order(std::vector<Part>& parts, Chance& chance) {
    const std::size_t at = chance.below(parts.size());
    switch (chance.below(3)) {
        case 0:
            parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at), parts[at]);
            return;
        case 1:
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
            return;
        default:
            std::swap(parts[at], parts[chance.below(parts.size())]);
    }
}

}  // namespace

void mutate(FolderDocument& folder, unsigned seed, const MayChange& may_change) {
    Chance chance(seed);
    std::vector<FileDocument*> files;
    for (FileDocument& file : folder.files) {
        if (may_change(file.name) && !file.parts.empty()) {
            files.push_back(&file);
        }
    }
    if (files.empty()) {
        return;
    }
    FileDocument& file = *chance.pick(files);
    switch (chance.below(12)) {
        case 0:
            mutate_order(file.parts, chance);
            return;
        case 1:
            mutate_numbers(chance.pick(file.parts), chance);
            return;
        case 2:
            if (chance.one_in(4)) {
                rename(file.name, folder, chance);
                return;
            }
            [[fallthrough]];
        default:
            mutate_content(chance.pick(file.parts), chance);
    }
}

std::size_t mutate_serialised(std::uint8_t* data, std::size_t size, std::size_t max_size,
                              unsigned seed, const MayChange& may_change) {
    auto folder = parse(std::as_bytes(std::span(data, size)));
    if (!folder) {
        return size;
    }
    mutate(*folder, seed, may_change);
    const Bytes changed = serialise(*folder);
    if (changed.size() > max_size) {
        return size;
    }
    std::copy(changed.begin(), changed.end(), reinterpret_cast<std::byte*>(data));
    return changed.size();
}

}  // namespace taffrail::fuzzing
