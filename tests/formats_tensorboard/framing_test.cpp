// Golden bytes below were written by TensorBoard's own writer.
#include "codec/formats/tensorboard/framing.h"

#include "formats_tensorboard/hex.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace taffrail::formats::tensorboard {
namespace {

TEST(Framing, MasksCrcAsTheFormatSays) {
    EXPECT_EQ(masked_crc32c(as_bytes("123456789")), 0xC78AB0E5u);
    EXPECT_EQ(masked_crc32c({}), 0xA282EAD8u);
    EXPECT_EQ(masked_crc32c(Bytes(8)), 0x07980329u);
}

TEST(Framing, ScansWhatTensorBoardWrote) {
    const Bytes file = from_hex(
        "1800000000000000a37f4b220900000040fc54d9411a0d627261696e2e4576656e743a32eced8f9d");
    const Scan scan = scan_record(file);
    ASSERT_EQ(scan.status, ScanStatus::Record);
    EXPECT_EQ(scan.payload.size(), 24u);
    Bytes again;
    append_record(again, scan.payload);
    EXPECT_EQ(again, file);
}

TEST(Framing, CutAnywhereAsksForMore) {
    Bytes file;
    append_record(file, as_bytes("payload"));
    for (std::size_t size = 0; size < file.size(); ++size) {
        EXPECT_EQ(scan_record(ByteSpan(file).first(size)).status, ScanStatus::NeedMore) << size;
    }
}

// 2^64 - 1 plus the frame wraps around; a careless sum would say the record is whole.
TEST(Framing, AbsurdLengthWithRightCrcOnlyAsksForMore) {
    for (std::uint64_t length :
         {~std::uint64_t{0}, ~std::uint64_t{0} - 15, std::uint64_t{1} << 62}) {
        Bytes file;
        append(file, length);
        append(file, masked_crc32c(file));
        file.resize(64);
        const Scan scan = scan_record(file);
        EXPECT_EQ(scan.status, ScanStatus::NeedMore);
        EXPECT_EQ(scan.length, length);
    }
}

RC_GTEST_PROP(Framing, EveryFlippedBitIsNoticed, ()) {
    const auto payload =
        *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>());
    Bytes file;
    append_record(file, {reinterpret_cast<const std::byte*>(payload.data()), payload.size()});
    const auto bit = *rc::gen::inRange<std::size_t>(0, file.size() * 8);
    file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    RC_ASSERT(scan_record(file).status != ScanStatus::Record);
}

TEST(Framing, FindsNextHeaderBehindJunk) {
    Bytes file(37, std::byte{0x5A});
    append_record(file, as_bytes("after the damage"));
    EXPECT_EQ(find_header(file, 0), 37u);
    EXPECT_EQ(find_header(file, 38), std::nullopt);
    EXPECT_EQ(find_header(Bytes(4096), 0), std::nullopt) << "zero-filled tails hold no record";
}

}  // namespace
}  // namespace taffrail::formats::tensorboard
