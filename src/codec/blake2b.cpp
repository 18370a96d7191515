#include "codec/blake2b.h"

#include "base/sha256.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace taffrail {
namespace {

constexpr std::array<std::uint64_t, 8> kStart = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

constexpr std::uint8_t kOrder[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                         {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                         {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                         {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                         {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                         {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                         {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                         {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                         {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

void mix(std::array<std::uint64_t, 16>& v, std::size_t a, std::size_t b, std::size_t c,
         std::size_t d, std::uint64_t x, std::uint64_t y) noexcept {
    v[a] += v[b] + x;
    v[d] = std::rotr(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = std::rotr(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = std::rotr(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = std::rotr(v[b] ^ v[c], 63);
}

void compress(std::array<std::uint64_t, 8>& h, const std::byte* block, std::uint64_t count,
              bool is_last) noexcept {
    std::array<std::uint64_t, 16> m, v;
    std::memcpy(m.data(), block, 128);
    std::copy(h.begin(), h.end(), v.begin());
    std::copy(kStart.begin(), kStart.end(), v.begin() + 8);
    v[12] ^= count;
    v[14] = is_last ? ~v[14] : v[14];
    for (std::size_t round = 0; round < 12; ++round) {
        const auto& s = kOrder[round % 10];
        mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
    }
    for (std::size_t i = 0; i < 8; ++i) {
        h[i] ^= v[i] ^ v[i + 8];
    }
}

}  // namespace

std::uint64_t blake2b_64(ByteSpan bytes, std::uint64_t salt) noexcept {
    std::array<std::uint64_t, 8> h = kStart;
    h[0] ^= 0x01010000 ^ 8;  // digest of eight bytes, no key, one leaf
    h[4] ^= salt;
    std::array<std::byte, 128> block;
    std::size_t at = 0;
    for (; bytes.size() - at > block.size(); at += block.size()) {
        compress(h, bytes.data() + at, at + block.size(), false);
    }
    block.fill(std::byte{0});
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(), block.begin());
    compress(h, block.data(), bytes.size(), true);
    return h[0];
}

std::string blake2b_64_hex(ByteSpan bytes) {
    const std::uint64_t digest = blake2b_64(bytes);
    std::array<std::uint8_t, 8> parts;
    std::memcpy(parts.data(), &digest, sizeof digest);
    return to_hex(parts);
}

}  // namespace taffrail
