// GET blob (stored bytes, with ranges) and GET image (a stored picture, raw floats as PNG).
#include "base/bytes.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/image_resize.h"
#include "codec/jpeg.h"
#include "codec/media_probe.h"
#include "codec/png.h"
#include "codec/tensor.h"
#include "codec/value_check.h"
#include "server/api/api.h"
#include "server/byte_range.h"
#include "server/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

namespace taffrail::server {
namespace {

/// Pixels that one request may unpack to make a small picture of them; larger ones stay whole.
constexpr std::uint64_t kMaxShrunkBytes = std::uint64_t{128} << 20;
constexpr std::string_view kAnyBytes = "application/octet-stream";

std::string_view type_of(std::string_view format) {
    return format == "json"  ? "application/json"
           : format == "txt" ? "text/plain; charset=utf-8"
                             : mime_type(format);
}

std::optional<Sha256> parse_sha(std::string_view text) {
    Sha256 digest{};
    if (text.size() != 64) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < 64; ++i) {
        const char c = text[i];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) {
            return std::nullopt;
        }
        digest[i / 2] = static_cast<std::uint8_t>(digest[i / 2] << 4 | digit);
    }
    return digest;
}

// Blobs come from whoever logged them: the page must never run them.
void protect(Response& response) {
    response.headers.emplace_back(
        "Content-Security-Policy",
        "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'");
    response.headers.emplace_back("Cache-Control", "private, max-age=31536000, immutable");
}

void add_range(Response& response, const ByteRange& range, std::uint64_t size) {
    response.headers.emplace_back("Content-Range",
                                  fmt::format("bytes {}-{}/{}", range.first, range.last, size));
}

/// The size of the blob, where who asks knows it (`size`): then a part can be read alone.
std::optional<std::uint64_t> size_of(const Request& request) {
    const auto text = request.parameter("size");
    const std::optional<std::int64_t> size = text ? parse_int(*text) : std::nullopt;
    return size && *size >= 0 ? std::optional(static_cast<std::uint64_t>(*size)) : std::nullopt;
}

struct BlobPart {
    ByteRange range;
    std::vector<std::byte> bytes;
};

/// What a range asks of a blob of that size; nothing where it asks for the whole, or where the blob
/// does not hold that much: the long way knows why.
std::optional<BlobPart> part_of(const RecordedRun& run, const BlobRef& blob,
                                const Request& request) {
    BlobPart part;
    if (parse_range(request.header("range"), blob.size, part.range) != RangeVerdict::Part) {
        return std::nullopt;
    }
    // A player asks for all that is left and takes what it needs: it asks again for the rest.
    constexpr std::uint64_t kMostAtOnce = std::uint64_t{8} << 20;
    const std::uint64_t length = std::min(part.range.last - part.range.first + 1, kMostAtOnce);
    part.range.last = part.range.first + length - 1;
    auto bytes = run.load_range(blob, part.range.first, length);
    if (!bytes || bytes->size() != length) {
        return std::nullopt;
    }
    part.bytes = *std::move(bytes);
    return part;
}

Response blob(const ApiContext& context, const Request& request) {
    const auto run = find_run(context, required_parameter(request, "run"));
    const auto digest = parse_sha(required_parameter(request, "sha"));
    if (!digest) {
        refuse(400, "invalid", "'sha' must be 64 hexadecimal digits");
    }
    const std::string tag = '"' + to_hex(*digest) + '"';
    Response response;
    response.headers.emplace_back("ETag", tag);
    response.headers.emplace_back("Accept-Ranges", "bytes");
    protect(response);
    if (request.header("if-none-match") == tag) {
        response.status = 304;
        return response;
    }
    const std::string_view type = type_of(request.parameter("format").value_or(""));
    response.headers.emplace_back("Content-Type", type);
    if (const auto name = request.parameter("name"); name || type == kAnyBytes) {
        response.headers.emplace_back(
            "Content-Disposition",
            "attachment; filename*=UTF-8''" + percent_encode(name.value_or("blob")));
    }
    if (const auto size = size_of(request)) {
        if (auto part = part_of(*run, {*digest, *size}, request)) {
            response.status = 206;
            add_range(response, part->range, *size);
            response.body.text = as_text(part->bytes);
            return response;
        }
    }
    auto loaded = run->load(BlobRef{*digest, 0});
    if (!loaded) {
        refuse(404, "not_found", "the run holds no such bytes");
    }
    const auto& bytes = *loaded;
    const std::string_view whole(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    response.body.owner = bytes;
    response.body.view = whole;
    ByteRange range;
    switch (parse_range(request.header("range"), whole.size(), range)) {
        case RangeVerdict::Whole:
            break;
        case RangeVerdict::Part:
            response.status = 206;
            response.body.view = whole.substr(range.first, range.last - range.first + 1);
            add_range(response, range, whole.size());
            break;
        case RangeVerdict::Unsatisfiable: {
            Response refused =
                Response::error(request, 416, "invalid", "the range lies behind the end");
            refused.headers.emplace_back("Content-Range",
                                         "bytes */" + std::to_string(whole.size()));
            return refused;
        }
    }
    return response;
}

/// Values that become black and white.
struct FloatRange {
    float low = 0, high = 1;
    std::size_t odd = 0;  ///< values that are no finite number
};

enum class FloatShades : std::uint8_t { Robust, Full, Unit };

FloatShades parse_shades(const Request& request) {
    const std::string_view name = request.parameter("range").value_or("");
    if (name.empty() || name == "robust") {
        return FloatShades::Robust;
    }
    if (name == "full") {
        return FloatShades::Full;
    }
    if (name == "unit") {
        return FloatShades::Unit;
    }
    refuse(400, "invalid", "'range' is robust, full or unit");
}

// What fits into 0…1 is shown as that. Otherwise one bright pixel must not turn the rest black: the
// range leaves out the lowest and the highest hundredth.
FloatRange range_of(const std::vector<float>& values, FloatShades shades) {
    std::vector<float> finite;
    finite.reserve(values.size());
    std::ranges::copy_if(values, std::back_inserter(finite),
                         [](float value) { return std::isfinite(value); });
    FloatRange range{.odd = values.size() - finite.size()};
    if (shades == FloatShades::Unit || finite.empty()) {
        return range;
    }
    const auto [least, largest] = std::ranges::minmax(finite);
    if (shades == FloatShades::Robust) {
        const auto at = [&](double share) {
            const auto place =
                finite.begin() + std::lround(share * static_cast<double>(finite.size() - 1));
            std::ranges::nth_element(finite, place);
            return *place;
        };
        range.low = at(0.01);
        range.high = at(0.99);
        if (range.low >= 0 && range.high <= 1) {
            return {.low = 0, .high = 1, .odd = range.odd};
        }
    }
    if (shades == FloatShades::Full || !(range.low < range.high)) {
        range.low = least;
        range.high = largest;
    }
    return range;
}

/// Pixels of one value are grey, or magenta where there is no number: never taken for black.
Bytes shade(const std::vector<float>& values, int channels, const FloatRange& range, int& made) {
    const auto scale = [&](float value) {
        // In double: both ends may be as far apart as a float reaches.
        const double span = static_cast<double>(range.high) - range.low;
        const double at = span > 0 ? (static_cast<double>(value) - range.low) / span : 0;
        return static_cast<std::byte>(std::lround(std::clamp(at, 0.0, 1.0) * 255));
    };
    const bool marks = range.odd > 0 && channels != 4;
    made = marks ? 3 : channels;
    const auto per_pixel = static_cast<std::size_t>(channels);
    Bytes pixels;
    pixels.reserve(values.size() / per_pixel * static_cast<std::size_t>(made));
    for (std::size_t i = 0; i + per_pixel <= values.size(); i += per_pixel) {
        const std::span pixel(values.data() + i, per_pixel);
        if (!std::ranges::all_of(pixel, [](float value) { return std::isfinite(value); })) {
            constexpr std::byte kMagenta[] = {std::byte{255}, std::byte{0}, std::byte{255},
                                              std::byte{255}};
            pixels.insert(pixels.end(), kMagenta, kMagenta + made);
            continue;
        }
        for (int c = 0; c < made; ++c) {
            pixels.push_back(scale(pixel[std::min<std::size_t>(
                static_cast<std::size_t>(c), marks && channels < 3 ? 0 : per_pixel - 1)]));
        }
    }
    return pixels;
}

Result<Bytes> picture_of_floats(const Image& image, ByteSpan raw, FloatShades shades,
                                FloatRange& range) {
    const std::int64_t extents[] = {image.height, image.width, image.channels};
    if (raw.empty() || bytes_of_shape(extents, image.dtype) != raw.size()) {
        return Error{ErrorCode::Corrupt, "the stored pixels do not fit the picture's size"};
    }
    const std::vector<float> values = to_f32(TensorView(
        raw.data(), image.dtype, {static_cast<std::int64_t>(raw.size() / size_of(image.dtype))}));
    range = range_of(values, shades);
    int channels = image.channels;
    const Bytes pixels = shade(values, image.channels, range, channels);
    return encode_png(pixels.data(), static_cast<std::uint32_t>(image.width),
                      static_cast<std::uint32_t>(image.height), channels);
}

/// A PNG or JPEG made `width` pixels wide, in its own format. A picture that cannot be decoded, a
/// deep, an animated or a smaller one goes out as it is.
Result<Bytes> shrunk(ByteSpan file, std::string_view format, std::uint32_t width) {
    if (format != "png" && format != "jpeg") {
        return Error{ErrorCode::Unsupported, std::string(format) + " stays whole"};
    }
    TAFFRAIL_ASSIGN(const Pixels pixels, format == "png" ? decode_png(file, kMaxShrunkBytes)
                                                         : decode_jpeg(file, kMaxShrunkBytes));
    // The width that the record states is somebody's word; only the pixels tell what is smaller.
    if (pixels.bit_depth != 8 || width >= pixels.width) {
        return Error{ErrorCode::Unsupported, "16-bit and smaller pictures stay whole"};
    }
    const auto height = std::max(
        1u, static_cast<std::uint32_t>(std::uint64_t{pixels.height} * width / pixels.width));
    const std::span samples(reinterpret_cast<const std::uint8_t*>(pixels.data.data()),
                            pixels.data.size());
    const auto smaller =
        resize_image(samples, pixels.width, pixels.height, pixels.channels, width, height);
    const auto* made = reinterpret_cast<const std::byte*>(smaller.data());
    return format == "png" ? encode_png(made, width, height, pixels.channels)
                           : encode_jpeg(made, width, height, pixels.channels);
}

Response image(const ApiContext& context, const Request& request) {
    const std::string id = required_parameter(request, "run");
    const auto run = find_run(context, id);
    const auto read = context.entries->get(id, *run, required_parameter(request, "key"));
    if (!read) {
        refuse(read.error());
    }
    const auto& entries = *read;
    required_parameter(request, "index");
    const std::int64_t index = integer_parameter(request, "index", 0),
                       item = integer_parameter(request, "item", 0);
    const std::int64_t width = integer_parameter(request, "width", 0);
    if (index < 0 || index >= static_cast<std::int64_t>(entries->size())) {
        refuse(404, "not_found", "the key has no entry of that number");
    }
    const auto* value = std::get_if<Image>((*entries)[static_cast<std::size_t>(index)].value.get());
    if (value == nullptr || item < 0 || item >= static_cast<std::int64_t>(value->images.size())) {
        refuse(404, "not_found", "the entry holds no such picture");
    }
    const Blob& stored = value->images[static_cast<std::size_t>(item)];
    const FloatShades shades = parse_shades(request);
    const std::string tag = '"' + to_hex(std::span(stored.ref.sha256).first(16)) + '-' +
                            std::to_string(width) + '-' + std::to_string(static_cast<int>(shades)) +
                            '"';
    Response response;
    response.headers.emplace_back("ETag", tag);
    protect(response);
    if (request.header("if-none-match") == tag) {
        response.status = 304;
        return response;
    }
    auto loaded = run->load(stored.ref);
    if (!loaded) {
        refuse(404, "unavailable", loaded.error().message);
    }
    std::string format = value->format;
    auto bytes = std::make_shared<Bytes>(**loaded);
    if (format == "raw") {
        FloatRange range;
        auto encoded = picture_of_floats(*value, *bytes, shades, range);
        if (!encoded) {
            refuse(404, "unavailable", encoded.error().message);
        }
        response.headers.emplace_back("Taffrail-Range",
                                      fmt::format("{} {} {}", range.low, range.high, range.odd));
        *bytes = *std::move(encoded);
        format = "png";
    }
    if (width > 0 && width < value->width) {
        if (auto smaller = shrunk(*bytes, format, static_cast<std::uint32_t>(width))) {
            *bytes = *std::move(smaller);
        }
    }
    response.headers.emplace_back("Content-Type", type_of(format));
    response.body.view = {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
    response.body.owner = std::move(bytes);
    return response;
}

}  // namespace

void add_media_routes(Router& router, const ApiContext& context) {
    router.get("blob",
               guarded([&context](const Request& request) { return blob(context, request); }));
    router.get("image",
               guarded([&context](const Request& request) { return image(context, request); }));
}

}  // namespace taffrail::server
