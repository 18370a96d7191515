#include "codec/wav.h"

#include <gmock/gmock.h>

#include <array>

namespace taffrail {
namespace {

using testing::HasSubstr;

TEST(Wav, KeepsEverySampleTypeBitForBit) {
    Bytes samples(6 * 8);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] = static_cast<std::byte>(i * 37 + 11);
    }
    for (DType dtype : {DType::U8, DType::I16, DType::I32, DType::F32}) {
        for (int channels : {1, 2, 3}) {
            const auto file = encode_wav(samples, dtype, channels, 16000);
            ASSERT_TRUE(file.ok()) << file.error().message;
            const Wav wav = decode_wav(*file).value();
            EXPECT_EQ(wav.dtype, dtype);
            EXPECT_EQ(wav.channels, channels);
            EXPECT_EQ(wav.sample_rate, 16000);
            EXPECT_EQ(wav.frames * channels * static_cast<std::int64_t>(size_of(dtype)), 48);
            EXPECT_EQ(wav.samples, samples);
        }
    }
}

TEST(Wav, HeaderOfSixteenBitMonoIsTheCanonicalOne) {
    const std::array<std::int16_t, 2> samples{1, -2};
    const Bytes file = encode_wav(std::as_bytes(std::span(samples)), DType::I16, 1, 8000).value();
    const unsigned char expected[] = {'R',  'I',  'F', 'F', 40,   0,    0, 0, 'W', 'A', 'V',  'E',
                                      'f',  'm',  't', ' ', 16,   0,    0, 0, 1,   0,   1,    0,
                                      0x40, 0x1F, 0,   0,   0x80, 0x3E, 0, 0, 2,   0,   16,   0,
                                      'd',  'a',  't', 'a', 4,    0,    0, 0, 1,   0,   0xFE, 0xFF};
    EXPECT_EQ(as_text(file),
              std::string_view(reinterpret_cast<const char*>(expected), sizeof expected));
}

// A process killed while it wrote leaves a data chunk shorter than its header says.
TEST(Wav, CutShortGivesTheWholeFramesThatAreThere) {
    const Bytes samples(100, std::byte{1});
    const Bytes file = encode_wav(samples, DType::I16, 2, 8000).value();
    EXPECT_EQ(decode_wav(ByteSpan(file).first(44 + 10)).value().frames, 2);
    EXPECT_FALSE(decode_wav(ByteSpan(file).first(20)).ok());
}

TEST(Wav, RefusesWhatWavCannotHold) {
    const Bytes samples(12);
    EXPECT_THAT(encode_wav(samples, DType::F64, 1, 8000).error().message, HasSubstr("f64"));
    EXPECT_FALSE(encode_wav(samples, DType::I16, 5, 8000).ok());
    EXPECT_FALSE(encode_wav(samples, DType::I16, 1, 0).ok());
}

}  // namespace
}  // namespace taffrail
