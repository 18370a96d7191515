#include "png.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace vae_digits {
namespace {

void put_u32(std::string& out, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        out += static_cast<char>(value >> shift);
    }
}

std::uint32_t crc32(const std::string& bytes) {
    std::uint32_t crc = ~0u;
    for (const char byte : bytes) {
        crc ^= static_cast<std::uint8_t>(byte);
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u);
        }
    }
    return ~crc;
}

std::uint32_t adler32(const std::string& bytes) {
    std::uint32_t a = 1, b = 0;
    for (const char byte : bytes) {
        a = (a + static_cast<std::uint8_t>(byte)) % 65521;
        b = (b + a) % 65521;
    }
    return (b << 16) | a;
}

void put_chunk(std::string& out, const std::string& type, const std::string& data) {
    put_u32(out, static_cast<std::uint32_t>(data.size()));
    out += type + data;
    put_u32(out, crc32(type + data));
}

// A zlib stream of stored blocks, each at most 65,535 bytes.
std::string stored(const std::string& bytes) {
    constexpr std::size_t kBlock = 65535;
    std::string out = "\x78\x01";
    for (std::size_t at = 0; at < bytes.size() || at == 0; at += kBlock) {
        const auto size = static_cast<std::uint16_t>(std::min(kBlock, bytes.size() - at));
        const auto inverse = static_cast<std::uint16_t>(~size);
        out += at + kBlock >= bytes.size() ? '\x01' : '\x00';
        out += {static_cast<char>(size & 255), static_cast<char>(size >> 8),
                static_cast<char>(inverse & 255), static_cast<char>(inverse >> 8)};
        out += bytes.substr(at, size);
    }
    put_u32(out, adler32(bytes));
    return out;
}

}  // namespace

bool write_png(const std::string& path, const Picture& picture) {
    std::string header;
    put_u32(header, static_cast<std::uint32_t>(picture.width));
    put_u32(header, static_cast<std::uint32_t>(picture.height));
    header += std::string("\x08\x00\x00\x00\x00", 5);
    std::string rows;
    for (int row = 0; row < picture.height; ++row) {
        rows += '\0';
        const auto* begin = reinterpret_cast<const char*>(picture.pixels.data()) +
                            static_cast<std::ptrdiff_t>(row) * picture.width;
        rows.append(begin, static_cast<std::size_t>(picture.width));
    }
    std::string file = "\x89PNG\r\n\x1A\n";
    put_chunk(file, "IHDR", header);
    put_chunk(file, "IDAT", stored(rows));
    put_chunk(file, "IEND", "");
    std::ofstream out(path, std::ios::binary);
    out << file;
    return out.good();
}

}  // namespace vae_digits
