#include "trackers/value_files.h"

#include "base/strings.h"
#include "base/try.h"
#include "codec/jpeg.h"
#include "codec/media_probe.h"
#include "codec/png.h"
#include "codec/raw_picture.h"

namespace taffrail::trackers {

Result<std::vector<ValueFile>> files_of(std::string_view key, const Value& value) {
    auto made = taffrail::files_of(value);
    if (!made.ok()) {
        return Error{made.error().code, "'" + std::string(key) + "': " + made.error().message};
    }
    std::vector<ValueFile> files = *std::move(made);
    const auto* text = std::get_if<Text>(&value);
    const auto* embedding = std::get_if<Embedding>(&value);
    if (std::holds_alternative<Figure>(value) && files.empty()) {
        return Error{ErrorCode::Internal,
                     "the picture of '" + std::string(key) + "' was not loaded"};
    }
    for (ValueFile& file : files) {
        if (text != nullptr && text->plain) {
            file.name = "text.txt";
            file.mime = "text/plain";
        } else if (embedding != nullptr && file.name == "metadata.tsv") {
            const std::string json = table_json(embedding->metadata);
            const ByteSpan bytes = as_bytes(json);
            file = {"metadata.json", "application/json", Bytes(bytes.begin(), bytes.end())};
        } else if (std::holds_alternative<Figure>(value) && file.mime == "application/json") {
            file.name = "figure.json";
        } else if (std::holds_alternative<Image>(value) && files.size() > 1) {
            file.name.erase(0, std::string_view("image").size());  // a number is left
        } else if (std::holds_alternative<Artifact>(value)) {
            if (const auto info = probe_media(file.bytes, file.name); info.ok()) {
                file.mime = mime_type(info->format);
            }
        }
    }
    return files;
}

Result<PictureBytes> picture_of(const Image& image, std::size_t index) {
    const Blob& blob = image.images.at(index);
    if (!blob.bytes) {
        return Error{ErrorCode::Internal, "the bytes of an image were not loaded"};
    }
    const ByteSpan bytes = *blob.bytes;
    PictureBytes picture;
    if (image.format == "raw") {
        TAFFRAIL_ASSIGN(picture.pixels, raw_pixels(image, bytes));
        picture.width = static_cast<std::uint32_t>(image.width);
        picture.height = static_cast<std::uint32_t>(image.height);
        picture.channels = image.channels;
        return picture;
    }
    Result<Pixels> decoded =
        image.format == "png" ? decode_png(bytes)
        : image.format == "jpeg"
            ? decode_jpeg(bytes)
            : Result<Pixels>(Error{ErrorCode::Unsupported,
                                   "pictures of format " + image.format + " are not taken apart"});
    if (!decoded.ok()) {
        return decoded.error();
    }
    picture.width = decoded->width;
    picture.height = decoded->height;
    picture.channels = decoded->channels;
    const std::size_t step = decoded->bit_depth == 16 ? 2 : 1;
    picture.pixels.reserve(decoded->data.size() / step);
    // The high byte of a 16-bit sample; they are in the order of this machine.
    for (std::size_t i = step - 1; i < decoded->data.size(); i += step) {
        picture.pixels.push_back(static_cast<std::uint8_t>(decoded->data[i]));
    }
    return picture;
}

}  // namespace taffrail::trackers
