#include "codec/formats/tensorboard/media.h"

#include "base/strings.h"
#include "codec/formats/tensorboard/tensor.h"
#include "codec/protobuf_wire.h"

namespace taffrail::formats::tensorboard {
namespace {

constexpr std::uint32_t kImageBytes = 4, kAudioBytes = 4;

bool begins_with(ByteSpan bytes, std::string_view magic) noexcept {
    return as_text(bytes).starts_with(magic);
}

Value pictures(Kind kind, std::int64_t width, std::int64_t height, int channels,
               std::span<const ByteSpan> encoded, const BlobMaker& blobs) {
    if (kind == Kind::Video) {
        const GifTiming timing = gif_timing(encoded.front());
        return Video{
            .format = "gif",
            .width = width,
            .height = height,
            .frames = timing.frames,
            .channels = 3,
            .frames_per_second = timing.seconds_per_frame > 0 ? 1 / timing.seconds_per_frame : 0,
            .data = blobs(encoded.front()),
            .caption = {}};
    }
    Image image;
    image.format = picture_format(encoded.front());
    image.width = width;
    image.height = height;
    image.channels = channels;
    for (ByteSpan one : encoded) {
        image.images.push_back(blobs(one));
    }
    return image;
}

}  // namespace

bool is_gif(ByteSpan bytes) noexcept {
    return begins_with(bytes, "GIF8");
}

std::string_view picture_format(ByteSpan bytes) noexcept {
    if (begins_with(bytes, "\x89PNG")) {
        return "png";
    }
    if (begins_with(bytes, "\xFF\xD8\xFF")) {
        return "jpeg";
    }
    if (is_gif(bytes)) {
        return "gif";
    }
    if (begins_with(bytes, "BM")) {
        return "bmp";
    }
    return begins_with(bytes, "RIFF") && as_text(bytes).substr(0, 12).ends_with("WEBP") ? "webp"
                                                                                        : "";
}

GifTiming gif_timing(ByteSpan bytes) noexcept {
    GifTiming timing;
    ByteCursor cursor(bytes);
    cursor.take(10);
    const auto flags = cursor.read<std::uint8_t>();
    cursor.take(2);
    const auto skip_palette = [&](std::uint8_t packed) {
        if ((packed & 0x80) != 0) {
            cursor.take(std::uint64_t{3} << ((packed & 7) + 1));
        }
    };
    const auto skip_blocks = [&] {
        for (auto size = cursor.read<std::uint8_t>(); size != 0 && cursor.ok();
             size = cursor.read<std::uint8_t>()) {
            cursor.take(size);
        }
    };
    skip_palette(flags);
    std::int64_t hundredths = 0;
    while (cursor.ok()) {
        const auto introducer = cursor.read<std::uint8_t>();
        if (introducer == 0x21) {
            if (cursor.read<std::uint8_t>() == 0xF9 && cursor.remaining() >= 4) {
                cursor.take(2);
                hundredths += cursor.read<std::uint16_t>();
                cursor.take(1);
            }
            skip_blocks();
        } else if (introducer == 0x2C) {
            cursor.take(8);
            skip_palette(cursor.read<std::uint8_t>());
            cursor.take(1);
            skip_blocks();
            timing.frames += cursor.ok() ? 1 : 0;
        } else {
            break;
        }
    }
    if (timing.frames > 0) {
        timing.seconds_per_frame =
            static_cast<double>(hundredths) / 100.0 / static_cast<double>(timing.frames);
    }
    return timing;
}

ByteSpan legacy_image_bytes(ByteSpan image_message) noexcept {
    ProtoReader reader(image_message);
    WireField field;
    ByteSpan bytes;
    while (reader.next(field)) {
        if (field.is(kImageBytes, WireType::Length)) {
            bytes = field.bytes;
        }
    }
    return bytes;
}

ByteSpan first_tensor_image(ByteSpan tensor_message) {
    TensorMessage tensor;
    if (!parse_tensor(tensor_message, tensor)) {
        return {};
    }
    const auto strings = tensor_strings(tensor);
    return strings.size() > 2 ? strings[2] : ByteSpan{};
}

std::optional<Value> decode_pictures(Kind kind, const ValueView& value, const BlobMaker& blobs) {
    if (value.content == ValueContent::Image) {
        std::int64_t width = 0, height = 0;
        int channels = 0;
        ByteSpan encoded;
        ProtoReader reader(value.body);
        WireField field;
        while (reader.next(field)) {
            if (field.is(1, WireType::Varint)) {
                height = field.as_int32();
            } else if (field.is(2, WireType::Varint)) {
                width = field.as_int32();
            } else if (field.is(3, WireType::Varint)) {
                channels = field.as_int32();
            } else if (field.is(kImageBytes, WireType::Length)) {
                encoded = field.bytes;
            }
        }
        return reader.ok()
                   ? std::optional(pictures(kind, width, height, channels, {&encoded, 1}, blobs))
                   : std::nullopt;
    }
    TensorMessage tensor;
    if (!parse_tensor(value.body, tensor)) {
        return std::nullopt;
    }
    const auto strings = tensor_strings(tensor);
    if (strings.size() < 2) {
        return std::nullopt;
    }
    const std::int64_t width = parse_int(as_text(strings[0])).value_or(0);
    const std::int64_t height = parse_int(as_text(strings[1])).value_or(0);
    if (strings.size() == 2) {
        Image nothing;
        nothing.width = width;
        nothing.height = height;
        return nothing;
    }
    return pictures(kind, width, height, 0, std::span(strings).subspan(2), blobs);
}

std::optional<WavHeader> parse_wav_header(ByteSpan bytes) noexcept {
    ByteCursor cursor(bytes);
    if (as_text(cursor.take(4)) != "RIFF") {
        return std::nullopt;
    }
    cursor.take(4);
    if (as_text(cursor.take(4)) != "WAVE") {
        return std::nullopt;
    }
    WavHeader header;
    std::uint32_t frame_bytes = 0;
    while (cursor.ok() && cursor.remaining() >= 8) {
        const std::string_view name = as_text(cursor.take(4));
        const auto size = cursor.read<std::uint32_t>();
        if (name == "fmt " && size >= 16 && cursor.remaining() >= 16) {
            cursor.take(2);
            header.channels = cursor.read<std::uint16_t>();
            header.sample_rate = static_cast<int>(cursor.read<std::uint32_t>() & 0x7FFFFFFF);
            cursor.take(4);
            frame_bytes = cursor.read<std::uint16_t>();
            cursor.take(2);
            cursor.take(size - 16);
        } else if (name == "data") {
            header.frames = frame_bytes > 0 ? size / frame_bytes : 0;
            return header;
        } else {
            cursor.take(size + (size & 1));
        }
    }
    return header.channels > 0 ? std::optional(header) : std::nullopt;
}

std::optional<Value> decode_audio(const ValueView& value, const BlobMaker& blobs) {
    Audio audio;
    audio.format = "wav";
    ByteSpan encoded;
    if (value.content == ValueContent::Audio) {
        ProtoReader reader(value.body);
        WireField field;
        while (reader.next(field)) {
            if (field.is(1, WireType::Fixed32)) {
                const float rate = field.as_float();
                audio.sample_rate = rate > 0 && rate < 1e9F ? static_cast<int>(rate) : 0;
            } else if (field.is(2, WireType::Varint)) {
                audio.channels = field.as_int32();
            } else if (field.is(3, WireType::Varint)) {
                audio.frames = field.as_int64();
            } else if (field.is(kAudioBytes, WireType::Length)) {
                encoded = field.bytes;
            } else if (field.is(5, WireType::Length) && field.as_text() != "audio/wav") {
                const std::string_view type = field.as_text();
                audio.format = std::string(type.substr(type.rfind('/') + 1));
            }
        }
        if (!reader.ok()) {
            return std::nullopt;
        }
    } else {
        TensorMessage tensor;
        if (!parse_tensor(value.body, tensor)) {
            return std::nullopt;
        }
        const auto strings = tensor_strings(tensor);
        if (strings.empty()) {
            return std::nullopt;
        }
        encoded = strings.front();
        // [k, 2] pairs each clip with a label.
        if (tensor.dims.size() == 2 && tensor.dims[1] == 2 && strings.size() >= 2) {
            audio.caption = std::string(as_text(strings[1]));
        }
    }
    if (const auto wav = parse_wav_header(encoded)) {
        audio.sample_rate = wav->sample_rate;
        audio.channels = wav->channels;
        audio.frames = wav->frames;
    }
    audio.data = blobs(encoded);
    return audio;
}

}  // namespace taffrail::formats::tensorboard
