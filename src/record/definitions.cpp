#include "record/definitions.h"

#include "base/crc32c.h"
#include "base/names.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"

namespace taffrail::record {
namespace {

// Entry: u32 length, u32 CRC-32C of the payload, payload = u8 type and fields.
enum class Type : std::uint8_t { Identity = 1, Key = 2, Schema = 3 };

void append_entry(Bytes& to, const Bytes& payload) {
    append(to, static_cast<std::uint32_t>(payload.size()));
    append(to, crc32c(payload));
    append(to, ByteSpan(payload));
}

Bytes identity_payload(const WriterIdentity& identity) {
    Bytes payload;
    append(payload, Type::Identity);
    append_text(payload, identity.run_id);
    append(payload, identity.writer);
    append_varint(payload, identity.process_id);
    append_varint(payload, identity.process_start);
    append_text(payload, identity.boot_id);
    append_text(payload, identity.host);
    append(payload, identity.clock.anchor_ticks);
    append(payload, identity.clock.anchor_wall_ns);
    append(payload, identity.clock.ns_per_tick);
    return payload;
}

bool read_entry(ByteCursor& cursor, Definitions& to) {
    switch (cursor.read<Type>()) {
        case Type::Identity:
            to.identity.run_id = cursor.text();
            to.identity.writer = cursor.read<std::uint64_t>();
            to.identity.process_id = cursor.varint();
            to.identity.process_start = cursor.varint();
            to.identity.boot_id = cursor.text();
            to.identity.host = cursor.text();
            to.identity.clock.anchor_ticks = cursor.read<std::uint64_t>();
            to.identity.clock.anchor_wall_ns = cursor.read<std::int64_t>();
            to.identity.clock.ns_per_tick = cursor.read<double>();
            break;
        case Type::Key: {
            Definitions::Key key;
            key.id = static_cast<std::uint32_t>(cursor.varint());
            key.kind = cursor.read<Kind>();
            key.name = cursor.text();
            to.keys.push_back(std::move(key));
            break;
        }
        case Type::Schema: {
            Definitions::Schema schema;
            schema.id = static_cast<std::uint32_t>(cursor.varint());
            const std::uint64_t width = cursor.varint();
            for (std::uint64_t i = 0; i < width && cursor.ok(); ++i) {
                schema.keys.push_back(static_cast<std::uint32_t>(cursor.varint()));
            }
            to.schemas.push_back(std::move(schema));
            break;
        }
        default:
            break;  // a later version's entry: its length says where the next one starts
    }
    return cursor.ok();
}

}  // namespace

std::string definitions_path(const std::string& folder, std::uint64_t writer) {
    return io::join(folder, writer_name(writer) + ".keys");
}

Result<std::unique_ptr<DefinitionsFile>> DefinitionsFile::create(const std::string& folder,
                                                                 const WriterIdentity& identity) {
    auto definitions = std::make_unique<DefinitionsFile>();
    TAFFRAIL_ASSIGN(definitions->file_, io::open(definitions_path(folder, identity.writer),
                                                 io::OpenMode::CreateExclusive));
    TAFFRAIL_ASSIGN(const bool locked, definitions->file_->try_lock());
    if (!locked) {
        return Error{ErrorCode::Internal,
                     "the new file " + definitions->path() + " is locked already"};
    }
    Bytes bytes;
    append_entry(bytes, identity_payload(identity));
    TAFFRAIL_TRY(definitions->file_->append(bytes));
    return definitions;
}

Result<void> DefinitionsFile::append(std::span<const Definitions::Key> keys,
                                     std::span<const Definitions::Schema> schemas) {
    Bytes bytes, payload;
    for (const Definitions::Key& key : keys) {
        payload.clear();
        taffrail::append(payload, Type::Key);
        append_varint(payload, key.id);
        taffrail::append(payload, key.kind);
        append_text(payload, key.name);
        append_entry(bytes, payload);
    }
    for (const Definitions::Schema& schema : schemas) {
        payload.clear();
        taffrail::append(payload, Type::Schema);
        append_varint(payload, schema.id);
        append_varint(payload, schema.keys.size());
        for (std::uint32_t key : schema.keys) {
            append_varint(payload, key);
        }
        append_entry(bytes, payload);
    }
    return file_->append(bytes);
}

Result<Definitions> read_definitions(const std::string& path) {
    TAFFRAIL_ASSIGN(const Bytes bytes, io::read_inside(io::parent(path), path));
    Definitions definitions;
    ByteCursor cursor(bytes);
    while (cursor.remaining() > 0) {
        const auto length = cursor.read<std::uint32_t>();
        const auto crc = cursor.read<std::uint32_t>();
        const ByteSpan payload = cursor.take(length);
        if (!cursor.ok() || crc32c(payload) != crc) {
            break;
        }
        ByteCursor entry(payload);
        if (!read_entry(entry, definitions)) {
            break;
        }
    }
    if (definitions.identity.run_id.empty()) {
        return Error{ErrorCode::Corrupt,
                     path + " does not name its run; it is not a key file of Taffrail"};
    }
    return definitions;
}

}  // namespace taffrail::record
