#include "tlog/reference_decoder.h"

#include <zstd.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace taffrail::tlog {
namespace {

using Octets = std::vector<unsigned char>;

void require(bool condition, const char* what) {
    if (!condition) {
        throw std::runtime_error(what);
    }
}

// Bit by bit from the polynomial, no table.
std::uint32_t slow_crc(const Octets& bytes) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const unsigned char byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
        }
    }
    return ~crc;
}

struct Reader {
    const Octets& bytes;
    std::size_t at = 0;

    std::uint64_t fixed(std::size_t size) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) {
            require(at < bytes.size(), "past the end");
            value += static_cast<std::uint64_t>(bytes[at++]) << (8 * i);
        }
        return value;
    }

    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const std::uint64_t byte = fixed(1);
            value |= (byte & 127) << shift;
            if (byte < 128) {
                return value;
            }
        }
    }

    std::int64_t zigzag() {
        const std::uint64_t value = varint();
        return static_cast<std::int64_t>((value >> 1) ^ (value % 2 == 1 ? ~0ull : 0ull));
    }

    Octets take(std::size_t size) {
        require(bytes.size() - at >= size, "past the end");
        Octets taken(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
        at += size;
        return taken;
    }
};

std::vector<std::int64_t> integers(Reader& from, std::size_t rows, std::int64_t absent) {
    const std::uint64_t codec = from.fixed(1);
    if (codec == 255) {
        return std::vector<std::int64_t>(rows, absent);
    }
    std::vector<std::int64_t> values = {from.zigzag()};
    if (codec == 0) {
        values.resize(rows, values[0]);
    } else if (codec == 1) {
        const auto step = static_cast<std::uint64_t>(from.zigzag());
        while (values.size() < rows) {
            values.push_back(
                static_cast<std::int64_t>(static_cast<std::uint64_t>(values.back()) + step));
        }
    } else {
        require(codec == 2, "integer codec");
        const std::size_t width = from.fixed(1);
        const Octets planes = from.take(width * (rows - 1));
        for (std::size_t i = 0; i + 1 < rows; ++i) {
            std::uint64_t word = 0;
            for (std::size_t plane = 0; plane < width; ++plane) {
                word += static_cast<std::uint64_t>(planes[plane * (rows - 1) + i]) << (8 * plane);
            }
            const std::uint64_t delta = (word >> 1) ^ (word % 2 == 1 ? ~0ull : 0ull);
            values.push_back(
                static_cast<std::int64_t>(static_cast<std::uint64_t>(values.back()) + delta));
        }
    }
    return values;
}

std::vector<std::uint64_t> numbers(Reader& from, std::size_t rows) {
    const std::uint64_t codec = from.fixed(1);
    if (codec == 255) {
        return std::vector<std::uint64_t>(
            rows, std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()));
    }
    if (codec == 0) {
        return std::vector<std::uint64_t>(rows, from.fixed(8));
    }
    require(codec == 1 || codec == 2, "number codec");
    const std::size_t width = codec == 1 ? 8 : 4;
    const Octets planes = from.take(width * rows);
    std::vector<std::uint64_t> bits;
    for (std::size_t i = 0; i < rows; ++i) {
        std::uint64_t word = 0;
        for (std::size_t plane = 0; plane < width; ++plane) {
            word += static_cast<std::uint64_t>(planes[plane * rows + i]) << (8 * plane);
        }
        if (codec == 2) {
            word = std::bit_cast<std::uint64_t>(
                static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(word))));
        }
        bits.push_back(word);
    }
    return bits;
}

std::vector<ReferenceRow> axes(Reader& from, std::size_t rows) {
    const auto seq = integers(from, rows, 0);
    const auto step = integers(from, rows, 0);
    const auto time = integers(from, rows, 0);
    const auto epoch = numbers(from, rows);
    const auto samples = integers(from, rows, INT64_MIN);
    const auto phase = integers(from, rows, 0);
    const auto route = integers(from, rows, 0xFFFF);
    std::vector<ReferenceRow> result(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        result[i] = {static_cast<std::uint64_t>(seq[i]),
                     0,
                     step[i],
                     time[i],
                     samples[i],
                     epoch[i],
                     0,
                     static_cast<std::uint64_t>(phase[i]),
                     static_cast<std::uint64_t>(route[i])};
    }
    return result;
}

void decode_payload(const Octets& payload,
                    std::map<std::uint64_t, std::vector<std::uint32_t>>& schemas,
                    std::vector<ReferenceRow>& out) {
    Reader sections{payload};
    while (sections.at < payload.size()) {
        const std::uint64_t tag = sections.fixed(1);
        const Octets body = sections.take(sections.varint());
        Reader from{body};
        if (tag == 2) {
            for (std::uint64_t left = from.varint(); left > 0; --left) {
                auto& keys = schemas[from.varint()];
                for (std::uint64_t width = from.varint(); width > 0; --width) {
                    keys.push_back(static_cast<std::uint32_t>(from.varint()));
                }
            }
        } else if (tag == 3) {
            const auto& keys = schemas.at(from.varint());
            const std::size_t rows = from.varint();
            const auto base = axes(from, rows);
            for (const std::uint32_t key : keys) {
                const auto values = numbers(from, rows);
                for (std::size_t i = 0; i < rows; ++i) {
                    out.push_back(base[i]);
                    out.back().key = key;
                    out.back().value_bits = values[i];
                }
            }
        } else if (tag == 4) {
            const std::size_t rows = from.varint();
            const auto keys = integers(from, rows, 0);
            auto base = axes(from, rows);
            const auto values = numbers(from, rows);
            for (std::size_t i = 0; i < rows; ++i) {
                base[i].key = static_cast<std::uint32_t>(keys[i]);
                base[i].value_bits = values[i];
                out.push_back(base[i]);
            }
        }
    }
}

}  // namespace

std::vector<ReferenceRow> reference_decode(ByteSpan file) {
    Octets bytes;
    for (const std::byte byte : file) {
        bytes.push_back(static_cast<unsigned char>(byte));
    }
    std::vector<ReferenceRow> rows;
    std::map<std::uint64_t, std::vector<std::uint32_t>> schemas;
    Reader from{bytes};
    std::uint64_t previous = 0;
    while (from.at < bytes.size()) {
        const std::size_t start = from.at;
        require(from.take(4) == Octets{0x54, 0x4C, 0x47, 0x31}, "magic");
        const std::uint64_t header_crc = from.fixed(4);
        const std::uint64_t type = from.fixed(1);
        require(from.fixed(1) == 1, "version");
        const std::uint64_t flags = from.fixed(2);
        from.take(4 + 8);
        const std::uint64_t stored_size = from.fixed(4);
        const std::uint64_t size = from.fixed(4);
        const std::uint64_t payload_crc = from.fixed(4);
        require(from.fixed(4) == previous, "chain");
        from.take(8);
        require(
            slow_crc(Octets(bytes.begin() + static_cast<std::ptrdiff_t>(start + 8),
                            bytes.begin() + static_cast<std::ptrdiff_t>(start + 48))) == header_crc,
            "header CRC");
        previous = header_crc;
        Octets payload = from.take(stored_size);
        require(slow_crc(payload) == payload_crc, "payload CRC");
        if ((flags & 1) != 0) {
            Octets plain(size);
            require(ZSTD_decompress(plain.data(), size, payload.data(), payload.size()) == size,
                    "zstd");
            payload = plain;
        }
        if (type == 2) {
            decode_payload(payload, schemas, rows);
        }
    }
    return rows;
}

}  // namespace taffrail::tlog
