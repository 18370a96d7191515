#include "codec/media_probe.h"

#include "base/strings.h"
#include "codec/jpeg.h"
#include "codec/mesh.h"
#include "codec/wav.h"

#include <algorithm>
#include <array>

namespace taffrail {
namespace {

struct Format {
    std::string_view name, family, extension, mime;
};

constexpr std::array<Format, 14> kFormats = {{
    {"png", "image", "png", "image/png"},
    {"jpeg", "image", "jpg", "image/jpeg"},
    {"gif", "image", "gif", "image/gif"},
    {"webp", "image", "webp", "image/webp"},
    {"mp4", "video", "mp4", "video/mp4"},
    {"webm", "video", "webm", "video/webm"},
    {"wav", "audio", "wav", "audio/wav"},
    {"flac", "audio", "flac", "audio/flac"},
    {"ogg", "audio", "ogg", "audio/ogg"},
    {"mp3", "audio", "mp3", "audio/mpeg"},
    {"obj", "mesh", "obj", "model/obj"},
    {"ply", "mesh", "ply", "application/octet-stream"},
    {"stl", "mesh", "stl", "model/stl"},
    {"glb", "mesh", "glb", "model/gltf-binary"},
}};

const Format* format_named(std::string_view name) noexcept {
    const auto* found = std::find_if(kFormats.begin(), kFormats.end(),
                                     [&](const Format& f) { return f.name == name; });
    return found != kFormats.end() ? found : nullptr;
}

MediaInfo info_of(std::string_view name) {
    MediaInfo info;
    info.format = name;
    info.family = format_named(name)->family;
    return info;
}

template <typename T>
T big(ByteSpan file, std::size_t at) {
    if (file.size() < at + sizeof(T)) {
        return 0;
    }
    const T value = load<T>(file.data() + at);
    return sizeof(T) == 2 ? static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)))
                          : static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
}

Result<MediaInfo> probe_png(ByteSpan file) {
    if (file.size() < 33) {
        return Error{ErrorCode::Corrupt, "this PNG ends within its header"};
    }
    MediaInfo info = info_of("png");
    info.width = big<std::uint32_t>(file, 16);
    info.height = big<std::uint32_t>(file, 20);
    info.bit_depth = static_cast<int>(file[24]);
    constexpr int kChannels[] = {1, 0, 3, 3, 2, 0, 4};
    const auto type = static_cast<std::size_t>(file[25]);
    info.channels = type < 7 ? kChannels[type] : 0;
    return info;
}

/// Counts pictures by walking over the blocks; nothing is unpacked.
Result<MediaInfo> probe_gif(ByteSpan file) {
    MediaInfo info = info_of("gif");
    ByteCursor cursor(file);
    cursor.take(6);
    info.width = cursor.read<std::uint16_t>();
    info.height = cursor.read<std::uint16_t>();
    info.channels = 3;
    info.bit_depth = 8;
    const auto skip_table = [&](std::uint8_t flags) {
        if ((flags & 0x80) != 0) {
            cursor.take(std::uint64_t{3} << ((flags & 7) + 1));
        }
    };
    const auto skip_blocks = [&] {
        while (const auto size = cursor.read<std::uint8_t>()) {
            cursor.take(size);
        }
    };
    const auto flags = cursor.read<std::uint8_t>();
    cursor.take(2);
    skip_table(flags);
    while (cursor.ok() && cursor.remaining() > 0) {
        const auto block = cursor.read<std::uint8_t>();
        if (block == 0x21) {
            const auto label = cursor.read<std::uint8_t>();
            if (label == 0xF9 && cursor.remaining() >= 4 && info.frames_per_second == 0) {
                ByteCursor control = cursor;
                control.take(2);
                const auto delay = control.read<std::uint16_t>();
                info.frames_per_second = delay > 0 ? 100.0 / delay : 10.0;
            }
            skip_blocks();
        } else if (block == 0x2C) {
            cursor.take(8);
            skip_table(cursor.read<std::uint8_t>());
            cursor.take(1);
            skip_blocks();
            info.frames += cursor.ok() ? 1 : 0;
        } else {
            break;
        }
    }
    if (info.frames == 0) {
        return Error{ErrorCode::Corrupt, "this GIF holds no complete picture"};
    }
    return info;
}

/// Boxes of an ISO media file: finds the first video track's size and timing inside moov.
void walk_boxes(ByteSpan bytes, MediaInfo& info, int depth) {
    while (bytes.size() >= 8 && depth < 8) {
        std::uint64_t size = big<std::uint32_t>(bytes, 0);
        std::size_t header = 8;
        if (size == 1 && bytes.size() >= 16) {
            size =
                std::uint64_t{big<std::uint32_t>(bytes, 8)} << 32 | big<std::uint32_t>(bytes, 12);
            header = 16;
        }
        if (size == 0 || size > bytes.size()) {
            size = bytes.size();
        }
        if (size < header) {
            return;
        }
        const std::string_view type = as_text(bytes.subspan(4, 4));
        const ByteSpan body = bytes.subspan(header, static_cast<std::size_t>(size) - header);
        if (type == "moov" || type == "trak" || type == "mdia" || type == "minf" ||
            type == "stbl") {
            walk_boxes(body, info, depth + 1);
        } else if (type == "tkhd" && info.width == 0 && body.size() >= 84) {
            const std::size_t end = body[0] == std::byte{1} ? 96 : 84;
            info.width = big<std::uint32_t>(body, end - 8) >> 16;
            info.height = big<std::uint32_t>(body, end - 4) >> 16;
        } else if (type == "mdhd" && body.size() >= 20 && body[0] == std::byte{0} &&
                   info.frames_per_second == 0) {
            const double duration = big<std::uint32_t>(body, 16),
                         scale = big<std::uint32_t>(body, 12);
            info.frames_per_second =
                duration > 0 && scale > 0 ? scale / duration : 0;  // finished below
        } else if (type == "stsz" && info.frames == 0) {
            info.frames = big<std::uint32_t>(body, 8);
        }
        bytes = bytes.subspan(static_cast<std::size_t>(size));
    }
}

MediaInfo probe_mp4(ByteSpan file) {
    MediaInfo info = info_of("mp4");
    walk_boxes(file, info, 0);
    info.frames_per_second *= static_cast<double>(info.frames);
    info.channels = 3;
    return info;
}

MediaInfo mesh_info(std::string_view format, const MeshArrays& mesh) {
    MediaInfo info = info_of(format);
    info.vertices = static_cast<std::int64_t>(mesh.vertices.size() / 3);
    info.faces = static_cast<std::int64_t>(mesh.faces.size() / 3);
    info.has_colors = !mesh.colors.empty();
    info.has_normals = !mesh.normals.empty();
    return info;
}

Result<MediaInfo> probe_mesh(std::string_view format, ByteSpan file) {
    Mesh mesh;
    mesh.format = format;
    const auto arrays = read_mesh(mesh, file);
    if (!arrays.ok()) {
        return arrays.error();
    }
    return mesh_info(format, *arrays);
}

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && to_lower(text.substr(text.size() - end.size())) == end;
}

}  // namespace

Result<MediaInfo> probe_media(ByteSpan file, std::string_view name) {
    const std::string_view head = as_text(file.first(std::min<std::size_t>(file.size(), 16)));
    const auto at = [&](std::size_t offset, std::string_view text) {
        return head.substr(std::min(offset, head.size())).starts_with(text);
    };
    if (at(0, "\x89PNG\r\n\x1a\n")) {
        return probe_png(file);
    }
    if (at(0, "\xff\xd8\xff")) {
        const auto header = probe_jpeg(file);
        if (!header.ok()) {
            return header.error();
        }
        MediaInfo info = info_of("jpeg");
        info.width = header->width, info.height = header->height;
        info.channels = header->channels, info.bit_depth = header->bit_depth;
        return info;
    }
    if (at(0, "GIF87a") || at(0, "GIF89a")) {
        return probe_gif(file);
    }
    if (at(0, "RIFF") && at(8, "WEBP")) {
        return info_of("webp");
    }
    if (at(0, "RIFF") && at(8, "WAVE")) {
        const auto wav = probe_wav(file);
        if (!wav.ok()) {
            return wav.error();
        }
        MediaInfo info = info_of("wav");
        info.channels = wav->channels, info.frames = wav->frames,
        info.sample_rate = wav->sample_rate;
        return info;
    }
    if (at(4, "ftyp")) {
        return probe_mp4(file);
    }
    for (const auto& [signature, format] :
         {std::pair<std::string_view, std::string_view>{"\x1a\x45\xdf\xa3", "webm"},
          {"fLaC", "flac"},
          {"OggS", "ogg"},
          {"ID3", "mp3"}}) {
        if (at(0, signature)) {
            return info_of(format);
        }
    }
    if (at(0, "glTF")) {
        return probe_mesh("glb", file);
    }
    if (at(0, "ply\n") || at(0, "ply\r")) {
        return probe_mesh("ply", file);
    }
    if (ends_with_ignoring_case(name, ".stl") ||
        (at(0, "solid") && as_text(file).find("facet") != std::string_view::npos)) {
        return probe_mesh("stl", file);
    }
    if (ends_with_ignoring_case(name, ".obj")) {
        return probe_mesh("obj", file);
    }
    return Error{ErrorCode::Unsupported, std::string(name.empty() ? "this file" : name) +
                                             " is none of PNG, JPEG, GIF, WebP, MP4, WebM, WAV, "
                                             "FLAC, Ogg, MP3, OBJ, PLY, STL or GLB"};
}

std::string_view mime_type(std::string_view format) noexcept {
    const Format* known = format_named(format);
    return known != nullptr ? known->mime : "application/octet-stream";
}

std::string_view file_extension(std::string_view format) noexcept {
    const Format* known = format_named(format);
    return known != nullptr ? known->extension : "bin";
}

}  // namespace taffrail
