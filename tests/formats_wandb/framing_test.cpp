#include "codec/formats/wandb/framing.h"

#include "codec/gzip.h"

#include <gtest/gtest.h>

#include <random>

using namespace taffrail;
using namespace taffrail::formats::wandb;

namespace {

Bytes header() {
    Bytes bytes;
    for (const std::uint8_t byte : kFileHeader) {
        bytes.push_back(static_cast<std::byte>(byte));
    }
    return bytes;
}

Bytes payload_of(std::size_t size, std::uint8_t seed) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<std::byte>((i * 31 + seed) & 0xFF);
    }
    return bytes;
}

/// The same thing said once more, byte by byte, without a thought for speed.
void naive_record(Bytes& file, ByteSpan payload) {
    bool is_first = true;
    for (;;) {
        while (file.size() % 32768 > 32768 - 7) {
            file.push_back(std::byte{0});
        }
        const std::size_t room = 32768 - file.size() % 32768 - 7;
        const std::size_t length = std::min(room, payload.size());
        const bool is_last = length == payload.size();
        Bytes checked{static_cast<std::byte>(is_first ? (is_last ? 1 : 2) : (is_last ? 4 : 3))};
        append(checked, payload.first(length));
        append(file, crc32(checked));
        append(file, static_cast<std::uint16_t>(length));
        append(file, ByteSpan(checked));
        payload = payload.subspan(length);
        is_first = false;
        if (is_last) {
            return;
        }
    }
}

std::vector<Bytes> scan(ByteSpan file, RecordScanner& scanner, std::size_t piece = SIZE_MAX) {
    std::vector<Bytes> records;
    const auto keep = [&](ByteSpan record, std::uint64_t) {
        records.emplace_back(record.begin(), record.end());
    };
    // Like a file that grows: what was not taken comes again with more behind it.
    for (std::size_t seen = std::min(piece, file.size());;) {
        if (scanner.position() < seen) {
            const auto from = static_cast<std::size_t>(scanner.position());
            scanner.take(file.subspan(from, seen - from), keep);
        }
        if (seen == file.size()) {
            return records;
        }
        seen = std::min(file.size(), seen + piece);
    }
}

std::vector<Bytes> scan(ByteSpan file) {
    RecordScanner scanner;
    return scan(file, scanner);
}

}  // namespace

// The official program's sizes at every leftover of a block that matters.
TEST(WandbFraming, WritesWhatAPlainWriterWrites) {
    for (std::size_t left = 0; left <= 14; ++left) {
        for (const std::size_t size :
             {0, 1, 32754, 32755, 32761, 32762, 65522, 200000, 5'000'000}) {
            if (size > 1'000'000 && left % 7 != 0) {
                continue;  // the next block is the same for all of them
            }
            Bytes file = header(), naive = header();
            const Bytes filler = payload_of(32768 - 7 - 7 - left, 1), record = payload_of(size, 2);
            const auto add = [&](const Bytes& one) {
                append_record(file, 0, one);
                naive_record(naive, one);
            };
            add(filler);
            add(record);
            add(payload_of(5, 3));
            ASSERT_EQ(file, naive) << left << " " << size;
            EXPECT_EQ(scan(file), (std::vector<Bytes>{filler, record, payload_of(5, 3)}));
        }
    }
}

TEST(WandbFraming, GoesOnAtAnyOffset) {
    std::mt19937 random(7);
    Bytes whole = header(), pieces = header();
    for (int i = 0; i < 300; ++i) {
        const Bytes record = payload_of(random() % 3000, static_cast<std::uint8_t>(i));
        append_record(whole, 0, record);
        Bytes next;
        append_record(next, pieces.size(), record);
        append(pieces, ByteSpan(next));
    }
    EXPECT_EQ(whole, pieces);
}

TEST(WandbFraming, ReadsAFileThatGrows) {
    Bytes file = header();
    std::vector<Bytes> wanted;
    for (std::size_t i = 0; i < 50; ++i) {
        wanted.push_back(payload_of(i * 977, static_cast<std::uint8_t>(i)));
        append_record(file, 0, wanted.back());
    }
    for (const std::size_t piece : {1, 7, 1000, 40000}) {
        RecordScanner scanner;
        EXPECT_EQ(scan(file, scanner, piece), wanted);
        EXPECT_TRUE(scanner.damage().empty());
    }
}

TEST(WandbFraming, StopsQuietlyAtARecordCutShort) {
    Bytes file = header();
    append_record(file, 0, payload_of(100, 1));
    const std::size_t whole = file.size();
    append_record(file, 0, payload_of(70000, 2));
    for (std::size_t length = whole; length < file.size(); length += 13) {
        RecordScanner scanner;
        EXPECT_EQ(scan(ByteSpan(file).first(length), scanner).size(), 1u);
        EXPECT_TRUE(scanner.damage().empty());
    }
}

TEST(WandbFraming, LosesNoMoreThanTheBlockThatIsDamaged) {
    Bytes file = header();
    for (int i = 0; i < 200; ++i) {
        append_record(file, 0, payload_of(1000, static_cast<std::uint8_t>(i)));
    }
    for (std::size_t at = 100; at < file.size(); at += 4099) {
        Bytes broken = file;
        broken[at] ^= std::byte{0x10};
        RecordScanner scanner;
        const std::size_t kept = scan(broken, scanner).size();
        EXPECT_GE(kept, 200u - 35u);
        EXPECT_LT(kept, 200u);
        EXPECT_FALSE(scanner.damage().empty());
    }
}

TEST(WandbFraming, NamesZerosOnlyWhereRecordsFollow) {
    Bytes file = header();
    append_record(file, 0, payload_of(32000, 1));
    Bytes tail = file;
    tail.resize(3 * kBlockBytes);
    RecordScanner at_end;
    EXPECT_EQ(scan(tail, at_end).size(), 1u);
    EXPECT_TRUE(at_end.damage().empty());
    append_record(tail, 0, payload_of(10, 2));
    RecordScanner between;
    EXPECT_EQ(scan(tail, between).size(), 2u);
    EXPECT_EQ(between.damage().size(), 1u);
}

// Blocks of an early writer begin behind the header.
TEST(WandbFraming, FindsWhereBlocksBegin) {
    Bytes body, file = header();
    for (int i = 0; i < 100; ++i) {
        append_record(body, 0, payload_of(999, static_cast<std::uint8_t>(i)));
    }
    append(file, ByteSpan(body));
    EXPECT_EQ(block_origin_of(file), 7u);
    RecordScanner scanner(7);
    EXPECT_EQ(scan(file, scanner).size(), 100u);
    EXPECT_TRUE(scanner.damage().empty());
    Bytes usual = header();
    for (int i = 0; i < 100; ++i) {
        append_record(usual, 0, payload_of(999, static_cast<std::uint8_t>(i)));
    }
    EXPECT_EQ(block_origin_of(usual), 0u);
}

TEST(WandbFraming, TellsFilesApart) {
    EXPECT_EQ(kind_of_file(header()), FileKind::Wandb);
    EXPECT_EQ(kind_of_file(ByteSpan(header()).first(0)), FileKind::TooShort);
    Bytes other = header();
    other[6] = std::byte{1};
    EXPECT_EQ(kind_of_file(other), FileKind::UnknownVersion);
    other[0] = std::byte{'x'};
    EXPECT_EQ(kind_of_file(other), FileKind::Foreign);
}
