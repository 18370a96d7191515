// Any bytes as a manifest of RocksDB, as one of its table files, and as a block of one: checksums
// stop a fuzzer early, so what lies behind them is asked directly too.
#include "ask.h"
#include "base/crc32c.h"
#include "codec/sst/manifest.h"
#include "codec/sst/table.h"

#include <cstring>

using namespace taffrail;

namespace {

/// Around one block of entries: everything that a table has, with checksums that are right.
Bytes table_of(ByteSpan entries) {
    Bytes file;
    const auto add = [&](ByteSpan block) {
        const std::uint64_t begin = file.size();
        append(file, block);
        append(file, std::byte{0});
        const std::uint32_t sum = crc32c(ByteSpan(file).subspan(static_cast<std::size_t>(begin)));
        append(file, ((sum >> 15) | (sum << 17)) + 0xA282EAD8u);
        return begin;
    };
    const auto block_of = [](std::string_view key, ByteSpan value) {
        Bytes block;
        append_varint(block, 0);
        append_varint(block, key.size());
        append_varint(block, value.size());
        append(block, as_bytes(key));
        append(block, value);
        append(block, std::uint32_t{0});
        return block;
    };
    const auto place = [](std::uint64_t offset, std::uint64_t size) {
        Bytes made;
        append_varint(made, offset);
        append_varint(made, size);
        return made;
    };
    add(entries);
    const Bytes properties = block_of("rocksdb.index.key.is.user.key", as_bytes("\1"));
    const std::uint64_t properties_at = add(properties);
    const Bytes index = block_of("\xFF\xFF", place(0, entries.size()));
    const std::uint64_t index_at = add(index);
    Bytes meta;
    for (const auto& [name, value] :
         {std::pair("rocksdb.properties", place(properties_at, properties.size())),
          std::pair("rocksdb.range_del", place(0, entries.size()))}) {
        append_varint(meta, 0);
        append_varint(meta, std::strlen(name));
        append_varint(meta, value.size());
        append(meta, as_bytes(name));
        append(meta, value);
    }
    append(meta, std::uint32_t{0});
    const std::uint64_t meta_at = add(meta);
    Bytes footer{std::byte{1}};
    append(footer, place(meta_at, meta.size()));
    append(footer, place(index_at, index.size()));
    footer.resize(41);
    append(footer, std::uint32_t{5});
    append(footer, std::uint64_t{0x88e241b785f4cff7});
    append(file, footer);
    return file;
}

bool ask(ByteSpan file) {
    auto table = sst::Table::open(
        [&](std::uint64_t offset, std::span<std::byte> to) {
            if (offset > file.size() || to.size() > file.size() - offset) {
                std::abort();  // it knows how long the file is
            }
            std::memcpy(to.data(), file.data() + offset, to.size());
            return true;
        },
        file.size(), 9, std::make_shared<sst::Scratch>());
    if (!table) {
        return false;
    }
    std::size_t bytes = 0;
    for (const std::string_view prefix : {std::string_view(), std::string_view("s")}) {
        table->scan(prefix, [&](const sst::Entry& entry) {
            if (!entry.key.starts_with(prefix) || entry.shared > entry.key.size()) {
                std::abort();
            }
            return (bytes += entry.key.size() + entry.value.size()) < (std::size_t{1} << 24);
        });
    }
    table->deleted_ranges([&](const sst::DeletedRange& range) {
        return (bytes += range.begin.size() + range.end.size()) < (std::size_t{1} << 24);
    });
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteSpan bytes = fuzz::input(data, size);
    static_cast<void>(sst::read_manifest(bytes));
    ask(bytes);
    if (!ask(table_of(bytes))) {
        std::abort();  // what is around the block is always right
    }
    return 0;
}
