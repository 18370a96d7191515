#include "codec/zip_writer.h"

#include "codec/gzip.h"
#include "test_files.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace taffrail {
namespace {

struct Archive {
    Bytes bytes;
    ZipWriter writer{[this](ByteSpan part) -> Result<void> {
                         append(bytes, part);
                         return {};
                     },
                     1'700'000'000'000'000'000};
};

/// What Python's zipfile says of it: names, sizes and checksums are looked at by `testzip`.
int python_checks(const Bytes& bytes, const std::string& expression) {
    const test::TestFolder folder;
    folder.write("a.zip", std::string(as_text(bytes)));
    const std::string command =
        "python3 -c 'import zipfile,sys; z = zipfile.ZipFile(sys.argv[1]); "
        "sys.exit(0 if z.testzip() is None and (" +
        expression + ") else 1)' " + (folder / "a.zip");
    return std::system(command.c_str());
}

TEST(ZipWriter, IsReadByOthers) {
    Archive archive;
    ASSERT_TRUE(archive.writer.add("a.txt", as_bytes(std::string(5000, 'x'))).ok());
    ASSERT_TRUE(archive.writer.add("folder/ä.bin", as_bytes("ab")).ok());
    ASSERT_TRUE(archive.writer.add("empty", {}).ok());
    ASSERT_TRUE(archive.writer.finish().ok());
    EXPECT_LT(archive.bytes.size(), 1000u);
    EXPECT_EQ(archive.writer.written(), archive.bytes.size());
    EXPECT_EQ(python_checks(archive.bytes,
                            "z.namelist() == [\"a.txt\", \"folder/\\u00e4.bin\", \"empty\"] and "
                            "z.read(\"a.txt\") == b\"x\" * 5000 and z.read(\"empty\") == b\"\" and "
                            "z.infolist()[0].date_time == (2023, 11, 14, 22, 13, 20)"),
              0);
}

TEST(ZipWriter, CountsBeyondSixteenBits) {
    Archive archive;
    for (int i = 0; i < 70000; ++i) {
        ASSERT_TRUE(archive.writer.add(std::to_string(i), as_bytes("x"), ZipMethod::Stored).ok());
    }
    ASSERT_TRUE(archive.writer.finish().ok());
    EXPECT_EQ(python_checks(archive.bytes, "len(z.namelist()) == 70000"), 0);
}

TEST(ZipWriter, RefusesNamesThatAreThereAndThoseThatLeave) {
    Archive archive;
    ASSERT_TRUE(archive.writer.add("a", as_bytes("1")).ok());
    EXPECT_EQ(archive.writer.add("a", as_bytes("2")).error().code, ErrorCode::AlreadyExists);
    EXPECT_FALSE(archive.writer.add("/a", {}).ok());
    EXPECT_FALSE(archive.writer.add("", {}).ok());
    ASSERT_TRUE(archive.writer.finish().ok());
    EXPECT_FALSE(archive.writer.add("b", {}).ok());
}

TEST(ZipWriter, PassesTheErrorsOfItsSinkOn) {
    ZipWriter writer([](ByteSpan) -> Result<void> { return Error{ErrorCode::NoSpace, "full"}; });
    EXPECT_EQ(writer.add("a", as_bytes("1")).error().code, ErrorCode::NoSpace);
}

TEST(Deflate, RoundTrips) {
    const std::string text(100000, 'x');
    EXPECT_EQ(as_text(inflate(deflate(as_bytes(text))).value()), text);
    EXPECT_EQ(inflate(deflate(as_bytes(text)), 1000).error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace taffrail
