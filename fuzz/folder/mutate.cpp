#include "mutate.h"

#include "chance.h"
#include "codec/tlog/frame.h"
#include "mutate_parts.h"

#include <algorithm>
#include <span>

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
            mutate_page(part.content, chance);
            return;
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

std::vector<FileDocument*> changeable(FolderDocument& folder) {
    std::vector<FileDocument*> files;
    for (FileDocument& file : folder.files) {
        if (may_change(file.name) && !file.parts.empty()) {
            files.push_back(&file);
        }
    }
    return files;
}

std::size_t write_back(const FolderDocument& folder, std::uint8_t* to, std::size_t max_size) {
    const Bytes bytes = serialise(folder);
    if (bytes.size() > max_size) {
        return 0;
    }
    std::ranges::copy(bytes, reinterpret_cast<std::byte*>(to));
    return bytes.size();
}

void mutate(FolderDocument& folder, Chance& chance) {
    std::vector<FileDocument*> files = changeable(folder);
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

/// A part of one folder in the place of one of the other, or beside it; now and then a whole file.
void cross(FolderDocument& folder, FolderDocument& other, Chance& chance) {
    std::vector<FileDocument*> files = changeable(folder), sources = changeable(other);
    if (files.empty() || sources.empty()) {
        return;
    }
    const FileDocument& source = *chance.pick(sources);
    std::erase_if(files, [&](const FileDocument* file) { return file->form != source.form; });
    if (files.empty() || chance.one_in(8)) {
        std::erase_if(folder.files,
                      [&](const FileDocument& file) { return file.name == source.name; });
        folder.files.push_back(source);
        return;
    }
    FileDocument& file = *chance.pick(files);
    const Part part = source.parts[chance.below(source.parts.size())];
    std::vector<Part*> alike;
    for (Part& each : file.parts) {
        if (each.kind == part.kind && each.number == part.number) {
            alike.push_back(&each);
        }
    }
    if (!alike.empty() && !chance.one_in(4)) {
        // Where it stood is told by the number that the old part had.
        chance.pick(alike)->content = part.content;
    } else {
        const auto at = static_cast<std::ptrdiff_t>(chance.below(file.parts.size() + 1));
        file.parts.insert(file.parts.begin() + at, part);
    }
}

}  // namespace

std::size_t mutate_serialised(std::uint8_t* data, std::size_t size, std::size_t max_size,
                              unsigned seed) {
    auto folder = parse(std::as_bytes(std::span(data, size)));
    if (!folder) {
        return size;
    }
    Chance chance(seed);
    mutate(*folder, chance);
    const std::size_t changed = write_back(*folder, data, max_size);
    return changed != 0 ? changed : size;
}

std::size_t cross_serialised(std::span<const std::uint8_t> first,
                             std::span<const std::uint8_t> second, std::span<std::uint8_t> out,
                             unsigned seed) {
    auto folder = parse(std::as_bytes(first));
    auto other = parse(std::as_bytes(second));
    if (!folder || !other) {
        return 0;
    }
    Chance chance(seed);
    cross(*folder, *other, chance);
    return write_back(*folder, out.data(), out.size());
}

}  // namespace taffrail::fuzzing
