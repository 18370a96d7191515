#include "manifest_parts.h"

#include "base/crc32c.h"
#include "codec/tlog/sections.h"

namespace taffrail::fuzzing {
namespace {

struct Listed {
    std::string_view name;
    std::uint8_t kind = 0;
    std::uint64_t bytes = 0, rows = 0;
    std::uint32_t crc = 0;
};

using ChangeListed = std::function<void(Listed& file)>;

/// The list of files with each entry changed; nothing where the bytes are no such list.
std::optional<Bytes> with_each(ByteSpan body, const ChangeListed& change) {
    ByteCursor from(body);
    Bytes to;
    const std::uint64_t count = from.varint();
    append_varint(to, count);
    for (std::uint64_t i = 0; i < count && from.ok(); ++i) {
        Listed file;
        file.name = from.text();
        file.kind = from.read<std::uint8_t>();
        file.bytes = from.varint();
        file.rows = from.varint();
        file.crc = from.read<std::uint32_t>();
        change(file);
        append_text(to, file.name);
        append(to, file.kind);
        append_varint(to, file.bytes);
        append_varint(to, file.rows);
        append(to, file.crc);
    }
    return from.ok() && from.remaining() == 0 ? std::optional(std::move(to)) : std::nullopt;
}

void change_lists(FileDocument& manifest, const ChangeListed& change) {
    for (Part& part : manifest.parts) {
        Bytes payload;
        const bool divided =
            tlog::for_each_section(part.content, [&](tlog::Section tag, ByteSpan body) {
                const auto changed =
                    tag == tlog::Section::SealedFiles ? with_each(body, change) : std::nullopt;
                append_section(payload, tag, changed ? ByteSpan(*changed) : body);
            });
        if (divided && !payload.empty()) {
            part.content = std::move(payload);
        }
    }
}

}  // namespace

void forget_checksums(FileDocument& manifest) {
    change_lists(manifest, [](Listed& file) {
        file.bytes = 0;
        file.crc = 0;
    });
}

void fill_in_checksums(FileDocument& manifest,
                       const std::function<const Bytes*(std::string_view name)>& find) {
    change_lists(manifest, [&](Listed& file) {
        const Bytes* const bytes = find(file.name);
        if (bytes != nullptr && file.bytes == 0 && file.crc == 0) {
            file.bytes = bytes->size();
            file.crc = crc32c(*bytes);
        }
    });
}

}  // namespace taffrail::fuzzing
