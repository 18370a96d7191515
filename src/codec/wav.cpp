#include "codec/wav.h"

#include "codec/tensor.h"

#include <algorithm>
#include <optional>
#include <string>

namespace taffrail {
namespace {

constexpr std::uint16_t kPcm = 1, kFloat = 3, kExtensible = 0xFFFE;

struct Parsed {
    Wav wav;
    int bits = 0;
    ByteSpan data;
};

Error not_wav(std::string_view why) {
    return Error{ErrorCode::Corrupt, "not a readable WAV file: " + std::string(why)};
}

Result<Parsed> parse(ByteSpan file) {
    ByteCursor cursor(file);
    if (as_text(cursor.take(4)) != "RIFF" || (cursor.take(4), as_text(cursor.take(4)) != "WAVE")) {
        return not_wav("no RIFF/WAVE header");
    }
    Parsed parsed;
    std::uint16_t format = 0;
    while (cursor.remaining() >= 8) {
        const std::string_view id = as_text(cursor.take(4));
        const auto size = cursor.read<std::uint32_t>();
        // Streams that never learnt their length say 0 or 4 GiB: take what is there.
        const std::size_t length = std::min<std::size_t>(size, cursor.remaining());
        ByteCursor chunk(cursor.take(length));
        if ((size & 1) != 0 && cursor.remaining() > 0) {
            cursor.take(1);
        }
        if (id == "fmt ") {
            format = chunk.read<std::uint16_t>();
            parsed.wav.channels = chunk.read<std::uint16_t>();
            parsed.wav.sample_rate = static_cast<int>(chunk.read<std::uint32_t>() & 0x7FFFFFFF);
            chunk.take(6);
            parsed.bits = chunk.read<std::uint16_t>();
            if (format == kExtensible) {
                chunk.take(8);
                format = chunk.read<std::uint16_t>();
            }
            if (!chunk.ok()) {
                return not_wav("format chunk cut short");
            }
        } else if (id == "data") {
            parsed.data = chunk.take(length);
            break;
        }
    }
    if (format == 0 || parsed.wav.channels == 0) {
        return not_wav("no format chunk");
    }
    if (format == kPcm && parsed.bits == 8) {
        parsed.wav.dtype = DType::U8;
    } else if (format == kPcm && parsed.bits == 16) {
        parsed.wav.dtype = DType::I16;
    } else if (format == kPcm && (parsed.bits == 24 || parsed.bits == 32)) {
        parsed.wav.dtype = DType::I32;
    } else if (format == kFloat && parsed.bits == 32) {
        parsed.wav.dtype = DType::F32;
    } else {
        return Error{ErrorCode::Unsupported,
                     "WAV format " + std::to_string(format) + " with " +
                         std::to_string(parsed.bits) +
                         " bits; PCM of 8, 16, 24, 32 bits and 32-bit float are read"};
    }
    parsed.wav.frames =
        static_cast<std::int64_t>(parsed.data.size()) / (parsed.bits / 8 * parsed.wav.channels);
    return parsed;
}

}  // namespace

Result<Bytes> encode_wav(ByteSpan samples, DType dtype, int channels, int sample_rate) {
    if (dtype != DType::U8 && dtype != DType::I16 && dtype != DType::I32 && dtype != DType::F32) {
        return Error{ErrorCode::InvalidArgument, "audio of " + std::string(to_string(dtype)) +
                                                     "; give u8, i16, i32 or f32 samples"};
    }
    if (channels < 1 || channels > 65535 || sample_rate < 1) {
        return Error{ErrorCode::InvalidArgument, "audio with " + std::to_string(channels) +
                                                     " channels at " + std::to_string(sample_rate) +
                                                     " Hz"};
    }
    const auto width = static_cast<std::uint32_t>(size_of(dtype));
    const auto frame = width * static_cast<std::uint32_t>(channels);
    if (frame > 65535 || samples.size() % frame != 0 || samples.size() > 0xFFFFFF00u) {
        return Error{ErrorCode::InvalidArgument,
                     "audio of " + std::to_string(samples.size()) +
                         " bytes: a WAV file holds whole frames and less than 4 GiB"};
    }
    const bool is_float = dtype == DType::F32;
    Bytes file;
    file.reserve(samples.size() + 58);
    const auto data_size = static_cast<std::uint32_t>(samples.size());
    // Float needs the longer format chunk and the frame count in `fact`; readers are strict about
    // both.
    append(file, as_bytes("RIFF"));
    append(file, static_cast<std::uint32_t>((is_float ? 50 : 36) + data_size + (data_size & 1)));
    append(file, as_bytes("WAVEfmt "));
    append(file, std::uint32_t{is_float ? 18u : 16u});
    append(file, is_float ? kFloat : kPcm);
    append(file, static_cast<std::uint16_t>(channels));
    append(file, static_cast<std::uint32_t>(sample_rate));
    append(file, static_cast<std::uint32_t>(sample_rate) * frame);
    append(file, static_cast<std::uint16_t>(frame));
    append(file, static_cast<std::uint16_t>(width * 8));
    if (is_float) {
        append(file, std::uint16_t{0});
        append(file, as_bytes("fact"));
        append(file, std::uint32_t{4});
        append(file, data_size / frame);
    }
    append(file, as_bytes("data"));
    append(file, data_size);
    append(file, samples);
    if ((data_size & 1) != 0) {
        file.push_back(std::byte{});
    }
    return file;
}

Result<Wav> probe_wav(ByteSpan file) {
    auto parsed = parse(file);
    if (!parsed.ok()) {
        return parsed.error();
    }
    return std::move(parsed->wav);
}

Result<Wav> decode_wav(ByteSpan file) {
    auto parsed = parse(file);
    if (!parsed.ok()) {
        return parsed.error();
    }
    Wav wav = std::move(parsed->wav);
    const auto samples =
        static_cast<std::size_t>(wav.frames) * static_cast<std::size_t>(wav.channels);
    if (parsed->bits == 24) {
        wav.samples.resize(samples * 4);
        for (std::size_t i = 0; i < samples; ++i) {
            std::memcpy(wav.samples.data() + i * 4 + 1, parsed->data.data() + i * 3, 3);
        }
    } else {
        const ByteSpan whole = parsed->data.first(samples * size_of(wav.dtype));
        wav.samples.assign(whole.begin(), whole.end());
    }
    return wav;
}

}  // namespace taffrail
