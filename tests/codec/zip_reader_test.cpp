#include "codec/zip_reader.h"

#include "codec/zip_writer.h"

#include <gtest/gtest.h>

namespace taffrail {
namespace {

Bytes archive() {
    Bytes bytes;
    ZipWriter writer([&](ByteSpan part) -> Result<void> {
        append(bytes, part);
        return {};
    });
    EXPECT_TRUE(writer.add("a.txt", as_bytes(std::string(5000, 'x'))).ok());
    EXPECT_TRUE(writer.add("b", as_bytes("stored"), ZipMethod::Stored).ok());
    EXPECT_TRUE(writer.add("empty", {}).ok());
    EXPECT_TRUE(writer.finish().ok());
    return bytes;
}

Result<ZipReader> open(const Bytes& bytes) {
    return ZipReader::open(
        [&bytes](std::uint64_t offset, std::uint64_t size) -> Result<Bytes> {
            if (offset > bytes.size() || size > bytes.size() - offset) {
                return Error{ErrorCode::Corrupt, "short"};
            }
            const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
            return Bytes(begin, begin + static_cast<std::ptrdiff_t>(size));
        },
        bytes.size());
}

TEST(ZipReader, ReadsWhatWasWritten) {
    const Bytes bytes = archive();
    const auto reader = open(bytes);
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    ASSERT_EQ(reader->entries().size(), 3u);
    EXPECT_EQ(as_text(reader->read(*reader->find("a.txt"), 5000).value()), std::string(5000, 'x'));
    EXPECT_EQ(as_text(reader->read(*reader->find("b"), 100).value()), "stored");
    EXPECT_EQ(as_text(reader->read_part(*reader->find("b"), 2, 3).value()), "ore");
    EXPECT_EQ(reader->read(*reader->find("empty"), 100).value().size(), 0u);
    EXPECT_EQ(reader->find("c"), nullptr);
}

TEST(ZipReader, RefusesMoreThanIsAllowed) {
    const Bytes bytes = archive();
    const auto reader = open(bytes);
    EXPECT_FALSE(reader->read(*reader->find("a.txt"), 4999).ok());
}

TEST(ZipReader, ChangedBytesAreAnErrorAndNoOtherBytes) {
    const Bytes whole = archive();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        Bytes bytes = whole;
        bytes[at] ^= std::byte{0x10};
        const auto reader = open(bytes);
        if (!reader.ok()) {
            continue;
        }
        for (const ZipEntry& entry : reader->entries()) {
            if (const auto read = reader->read(entry, 1 << 20); read.ok() && entry.name == "b") {
                EXPECT_EQ(as_text(*read), "stored") << at;
            }
        }
    }
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(open(cut).ok()) << size;
    }
}

}  // namespace
}  // namespace taffrail
