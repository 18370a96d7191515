// WAV files: PCM of 8, 16, 24 (read only) and 32 bits, and 32-bit float, bit for bit.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>

namespace taffrail {

struct Wav {
    DType dtype = DType::I16;  ///< U8, I16, I32 or F32; 24-bit files are read as I32, shifted up
    int channels = 1;
    int sample_rate = 44100;
    std::int64_t frames = 0;
    Bytes samples;  ///< interleaved, little-endian
};

/// Wraps interleaved samples. `samples` must hold whole frames of U8, I16, I32 or F32.
Result<Bytes> encode_wav(ByteSpan samples, DType dtype, int channels, int sample_rate);

/// Reads a WAV file; a data chunk cut short by a crash gives the whole frames that are there.
Result<Wav> decode_wav(ByteSpan file);
/// The same without the samples.
Result<Wav> probe_wav(ByteSpan file);

}  // namespace taffrail
