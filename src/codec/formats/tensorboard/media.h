// Pictures and sound inside event files, in their old (own message) and new (string tensor) forms.
#pragma once

#include "codec/formats/tensorboard/decode.h"

#include <optional>

namespace taffrail::formats::tensorboard {

bool is_gif(ByteSpan bytes) noexcept;
/// "png", "jpeg", "gif", "bmp", "webp" by the first bytes; "" when unknown.
std::string_view picture_format(ByteSpan bytes) noexcept;

/// Pictures of a GIF, found by walking its blocks, and the mean display time of one in seconds (0 =
/// not given).
struct GifTiming {
    std::int64_t frames = 0;
    double seconds_per_frame = 0;
};

GifTiming gif_timing(ByteSpan bytes) noexcept;

/// Image.encoded_image_string.
ByteSpan legacy_image_bytes(ByteSpan image_message) noexcept;
/// The first picture of an [width, height, picture…] tensor.
ByteSpan first_tensor_image(ByteSpan tensor_message);

/// Kind::Image or Kind::Video from either form.
std::optional<Value> decode_pictures(Kind kind, const ValueView& value, const BlobMaker& blobs);
std::optional<Value> decode_audio(const ValueView& value, const BlobMaker& blobs);

/// What the first bytes of a WAV file say.
struct WavHeader {
    int sample_rate = 0;
    int channels = 0;
    std::int64_t frames = 0;
};

std::optional<WavHeader> parse_wav_header(ByteSpan bytes) noexcept;

}  // namespace taffrail::formats::tensorboard
