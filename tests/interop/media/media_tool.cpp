// Our encoders and decoders as a program:
//   media_tool write DIR     files of every format, each with NAME.raw, the exact bytes it must
//   decode to media_tool read FILE     decodes FILE and writes its content to standard output
//   media_tool floats DTYPE  every bit pattern of f16, bf16, f8e4m3 or f8e5m2 as f32 to standard
//   output
#include "codec/gif.h"
#include "codec/jpeg.h"
#include "codec/media_probe.h"
#include "codec/mesh.h"
#include "codec/npy.h"
#include "codec/png.h"
#include "codec/tensor.h"
#include "codec/video_encoder.h"
#include "codec/wav.h"
#include "io/files.h"

#include <cstdio>
#include <string>

using namespace taffrail;

namespace {

std::string g_folder;

void put(const std::string& name, ByteSpan bytes) {
    io::write_file_atomically(io::join(g_folder, name), bytes, false).value();
}

Bytes pattern(std::size_t size) {
    Bytes bytes(size);
    std::uint32_t state = 12345;
    for (std::size_t i = 0; i < size; ++i) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = static_cast<std::byte>((i / 5) + (state >> 29));
    }
    return bytes;
}

void write_pictures() {
    for (int depth : {8, 16}) {
        for (int channels : {1, 2, 3, 4}) {
            for (PngLevel level : {PngLevel::Fast, PngLevel::Small}) {
                const Bytes pixels =
                    pattern(37u * 23u * static_cast<unsigned>(channels * depth / 8));
                const std::string name = "png-" + std::to_string(depth) + "-" +
                                         std::to_string(channels) +
                                         (level == PngLevel::Fast ? "-fast" : "-small");
                put(name + ".png",
                    encode_png(pixels.data(), 37, 23, channels, depth, level).value());
                put(name + ".raw", pixels);
            }
        }
    }
    std::vector<std::uint8_t> frames;
    for (unsigned i = 0; i < 4 * 20 * 30; ++i) {
        frames.insert(frames.end(), {static_cast<std::uint8_t>(i % 250),
                                     static_cast<std::uint8_t>(i / 600 * 60), 9});
    }
    put("gif.gif", encode_gif(frames, 4, 30, 20, 3, 20).value());
    put("gif.raw", std::as_bytes(std::span(frames)));
    Video video;
    video.format = "frames";
    video.width = 32;
    video.height = 16;
    video.frames = 10;
    video.frames_per_second = 12.5;
    Bytes moving(32 * 16 * 10 * 3, std::byte{40});
    for (std::size_t t = 0; t < 10; ++t) {
        for (std::size_t i = 0; i < 16 * 3 * 8; ++i) {
            moving[t * 32 * 16 * 3 + i / 24 * 96 + t * 6 + i % 24] = std::byte{200};
        }
    }
    for (const char* format : {"mp4", "webm"}) {
        if (auto encoded = encode_video(moving, video, format); encoded.ok()) {
            put(std::string("video.") + format, encoded->file);
        }
    }
    put("video.raw", moving);
}

void write_sound_and_arrays() {
    for (DType dtype : {DType::U8, DType::I16, DType::I32, DType::F32}) {
        for (int channels : {1, 2}) {
            Bytes samples = pattern(400);
            if (dtype == DType::F32) {
                for (std::size_t i = 0; i < 100; ++i) {
                    store_at(samples.data() + i * 4, static_cast<float>(i) / 101.0f - 0.4f);
                }
            }
            const std::string name =
                "wav-" + std::string(to_string(dtype)) + "-" + std::to_string(channels);
            put(name + ".wav", encode_wav(samples, dtype, channels, 16000).value());
            put(name + ".raw", samples);
        }
    }
    for (DType dtype : {DType::Bool, DType::U8, DType::I8, DType::U16, DType::I16, DType::U32,
                        DType::I32, DType::U64, DType::I64, DType::F16, DType::F32, DType::F64}) {
        const Bytes elements = pattern(24 * size_of(dtype));
        put("npy-" + std::string(to_string(dtype)) + ".npy",
            encode_npy(elements, dtype, {2, 3, 4}));
        put("npy-" + std::string(to_string(dtype)) + ".raw", elements);
    }
}

void write_meshes() {
    const MeshArrays mesh{{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1.5f},
                          {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3},
                          {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7},
                          {0, 0, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1}};
    put("mesh.obj", write_obj(mesh));
    put("mesh.ply", write_ply(mesh));
    put("mesh.glb", write_glb(mesh));
    const MeshArrays cloud{{1, 2, 3, 4, 5, 6}, {}, {10, 20, 30, 40, 50, 60}, {}};
    put("cloud.ply", write_ply(cloud));
    put("cloud.glb", write_glb(cloud));
}

void print(ByteSpan bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
}

int read(const std::string& path) {
    const Bytes file = io::read_file(path).value();
    const MediaInfo info = probe_media(file, path).value();
    if (info.format == "png") {
        print(decode_png(file).value().data);
    } else if (info.format == "jpeg") {
        print(decode_jpeg(file).value().data);
    } else if (info.format == "wav") {
        print(decode_wav(file).value().samples);
    } else if (info.family == "mesh") {
        Mesh mesh;
        mesh.format = info.format;
        const MeshArrays arrays = read_mesh(mesh, file).value();
        const std::uint32_t counts[] = {static_cast<std::uint32_t>(arrays.vertices.size()),
                                        static_cast<std::uint32_t>(arrays.faces.size())};
        print(std::as_bytes(std::span(counts)));
        print(std::as_bytes(std::span(arrays.vertices)));
        print(std::as_bytes(std::span(arrays.faces)));
    } else {
        std::printf("%s %lld %lld %lld %g\n", info.format.c_str(),
                    static_cast<long long>(info.width), static_cast<long long>(info.height),
                    static_cast<long long>(info.frames), info.frames_per_second);
    }
    return 0;
}

int floats(std::string_view name) {
    const unsigned patterns = name.starts_with("f8") ? 256 : 65536;
    for (unsigned bits = 0; bits < patterns; ++bits) {
        const auto wide = static_cast<std::uint16_t>(bits);
        const auto narrow = static_cast<std::uint8_t>(bits);
        const float value = name == "f16"      ? f16_to_f32(wide)
                            : name == "bf16"   ? bf16_to_f32(wide)
                            : name == "f8e4m3" ? f8e4m3_to_f32(narrow)
                                               : f8e5m2_to_f32(narrow);
        std::fwrite(&value, sizeof value, 1, stdout);
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) {
        std::fputs("usage: media_tool write DIR | read FILE | floats DTYPE\n", stderr);
        return 2;
    }
    const std::string_view command = arguments[1];
    if (command == "read") {
        return read(arguments[2]);
    }
    if (command == "floats") {
        return floats(arguments[2]);
    }
    g_folder = arguments[2];
    write_pictures();
    write_sound_and_arrays();
    write_meshes();
    return 0;
}
